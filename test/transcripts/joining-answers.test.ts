// Our readers on what a real cluster answered to nodes that join and drain; the values beside them were read by eye.
import {describe, expect, it} from 'vitest'
import {openCluster} from '../../src/host/cluster/cluster.js'
import {discoverCluster} from '../../src/host/cluster/discovery.js'
import {KUBEADM_CONFIG, readKubeadmNetworking} from '../../src/host/cluster/kubeadm-config.js'
import {readClusterInfo, readClusterOf} from '../../src/host/cluster/cluster-info.js'
import type {ClusterPod} from '../../src/host/cluster/pods.js'
import {pinnedKeysIn} from '../../src/host/cluster/public-key-pin.js'
import type {Http, HttpRequest, HttpResponse} from '../../src/machine/http.js'
import type {Run} from '../../src/machine/run.js'
import {handClock} from '../fakes/hand-clock.js'
import {only} from '../fakes/partial.js'
import {recording, responseOf} from './corpus.js'
import {TOKENS} from './questions/joining.js'

const SERVER = 'https://10.0.0.10:6443'
const HEADER = Buffer.from('{"alg":"HS256","kid":"abcdef"}').toString('base64url')
const answer = (id: string): HttpResponse => responseOf(recording(id))

const cluster = (...ids: readonly string[]) => {
  const left = [...ids]
  const http = only<Http>('http', {request: async () => answer(left.length > 1 ? left.shift()! : left[0]!)})
  const run: Run = () => Promise.reject(new Error('no program was expected'))
  return openCluster({clock: handClock(), http, run}, {server: SERVER, tls: {}, key: '', secrets: [], write: () => ''})
}

describe('discovery', () => {
  const info = (): HttpResponse => {
    const {body, ...rest} = answer('joining/cluster-info')
    return {...rest, body: Buffer.from(body.toString('utf8').replace('HEADER..', `${HEADER}..`))}
  }
  const {ca} = readClusterOf(readClusterInfo(info().body)!)

  async function discover(review: string, token = TOKENS.token) {
    const asked: string[] = []
    const request = async ({headers, method, tls, url}: HttpRequest): Promise<HttpResponse> => {
      const how = tls?.isUnverified ? 'unverified' : tls?.ca === ca ? 'verified' : 'otherwise'
      asked.push(`${method} ${new URL(url).pathname.split('/').at(-1)} ${how}${headers?.authorization ? ' token' : ''}`)
      return method === 'GET' ? info() : answer(`joining/${review}`)
    }
    const http = only<Http>('http', {request})
    const caCertHashes = pinnedKeysIn(ca).map(({hash}) => hash)
    const join = {caCertHashes, isVerificationSkipped: false, server: SERVER, token}
    const found = discoverCluster({clock: handClock(), http}, join, new AbortController().signal)
    return {asked, found: await found.catch((error: unknown) => error)}
  }

  it('finds the cluster by its signature and CA, and shows the token last', async () => {
    const {asked, found} = await discover('review-token')
    expect(found).toEqual({ca, server: SERVER, token: TOKENS.token})
    expect(asked).toEqual([
      'GET cluster-info unverified',
      'GET cluster-info verified',
      'POST selfsubjectaccessreviews verified token',
    ])
  })

  it.each(['review-expired', 'review-unusable', 'review-unknown', 'review-wrong'])(
    'a token that the API server refuses: %s',
    async (review) => {
      expect((await discover(review)).found).toMatchObject({id: 'JOIN_TOKEN_REFUSED'})
    },
  )

  it('a wrong secret is not shown to the cluster', async () => {
    const {asked, found} = await discover('review-token', TOKENS.wrong)
    expect(found).toMatchObject({id: 'JOIN_TOKEN_WRONG'})
    expect(asked).toEqual(['GET cluster-info unverified'])
  })
})

describe('a node that joins', () => {
  it('reads the networks of kubeadm', async () => {
    const {name, namespace} = KUBEADM_CONFIG
    const data = await cluster('joining/kubeadm-config').configMap(namespace, name)
    expect(readKubeadmNetworking(data?.['ClusterConfiguration'] ?? '')).toEqual({
      dnsDomain: 'cluster.local',
      podSubnet: '10.244.0.0/16',
      serviceSubnet: '10.10.0.0/16',
    })
  })

  it('finds its requests for a certificate', async () => {
    const requests = await cluster('joining/requests').certificateRequests('win-1', 'system:bootstrap:abcdef')
    expect(requests.find(({name}) => name === 'csr-approved')).toMatchObject({state: 'approved'})
    expect(await cluster('joining/requests').certificateRequests('win-10', 'system:bootstrap:abcdef')).toEqual([])
  })
})

describe('tokens', () => {
  const GROUPS = ['system:bootstrappers:kubeadm:default-node-token']
  const settings = {description: '', expiration: undefined}

  it('are listed without their secrets', async () => {
    const tokens = await cluster('joining/tokens').bootstrapTokens()
    expect(tokens.map(({groups, id, usages}) => ({groups, id, usages}))).toEqual([
      {groups: GROUPS, id: 'abcdef', usages: ['authentication', 'signing']},
      {groups: GROUPS, id: 'unused', usages: ['signing']},
    ])
    expect(JSON.stringify(tokens)).not.toContain('0123456789abcdef')
  })

  it('are created once, and deleted once', async () => {
    const token = {id: 'create', secret: '0123456789abcdef'}
    const create = (id: string) => cluster(id).createBootstrapToken(token, settings)
    expect([await create('joining/token-create'), await create('joining/token-create-again')]).toEqual([true, false])
    const remove = (id: string) => cluster(id).deleteBootstrapToken('create')
    expect([await remove('joining/token-delete'), await remove('joining/token-delete-again')]).toEqual([true, false])
  })

  it('are not for nodes', async () => {
    await expect(cluster('joining/tokens-node').bootstrapTokens()).rejects.toMatchObject({id: 'API_SERVER_FORBIDS'})
  })
})

describe('evictions', () => {
  it.each([
    ['taken', {result: 'taken'}],
    ['by-node', {result: 'taken'}],
    ['again', {result: 'gone'}],
    ['missing', {result: 'gone'}],
    ['other-uid', {result: 'gone'}],
    ['refused', {result: 'refused', said: 'The disruption budget web needs 1 healthy pods and has 1 currently'}],
    [
      'two-budgets',
      {
        result: 'refused',
        said: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    ],
    [
      'by-node-elsewhere',
      {
        // Of the admission plugin NodeRestriction, not of the authorizer.
        result: 'refused',
        said: 'pods "elsewhere-1" is forbidden: node win-1 can only evict pods with spec.nodeName set to itself',
      },
    ],
  ])('%s', async (name, eviction) => {
    const pod = only<ClusterPod>('pod', {name: 'web-1', namespace: 'default', uid: 'x'})
    // The first answer names the version of the eviction API: an object without it means the newest.
    expect(await cluster('joining/kubeadm-config', `draining/evict-${name}`).evictPod(pod)).toEqual(eviction)
  })
})
