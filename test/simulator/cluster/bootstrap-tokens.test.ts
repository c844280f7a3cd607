// Bootstrap tokens: whom the API server takes a bearer for, the API of their Secrets, and the ConfigMap that they sign.
import {createHmac} from 'node:crypto'
import {beforeEach, describe, expect, it} from 'vitest'
import {parse} from 'yaml'

import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import {cleanTokens, makeTokenSecret} from '../../../src/simulator/cluster/bootstrap-tokens.js'
import {CLUSTER_CA, NODE_CERTIFICATE, SIGNER} from '../../../src/simulator/cluster/certificates.js'
import {ANONYMOUS, identify, type Identity} from '../../../src/simulator/cluster/identity.js'
import type {ClusterState} from '../../../src/simulator/cluster/state.js'
import type {Stage} from '../../../src/simulator/model.js'
import {ask, jsonOf, makeStage, START} from '../fresh-model.js'

const ADMIN: Identity = {groups: ['system:masters'], user: 'kubernetes-admin'}
const TOKEN = 'abcdef.0123456789abcdef'
const SECRETS = '/api/v1/namespaces/kube-system/secrets'
const INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info'
const HOUR = 3_600_000
const at = (ms: number): string => new Date(START + ms).toISOString()

interface Answer {
  readonly body: {
    readonly data?: Record<string, string>
    readonly items?: readonly {readonly metadata: {readonly name: string}}[]
    readonly message?: string
    readonly reason?: string
  }
  readonly status: number
}

let stage: Stage
let cluster: ClusterState
beforeEach(() => {
  stage = makeStage()
  ;({cluster} = stage.world)
})

const bearer = (token: string, now = START): Identity | undefined =>
  identify(cluster, undefined, {authorization: `Bearer ${token}`}, now)

async function send(method: string, target: string, identity: Identity | undefined, body?: object): Promise<Answer> {
  const request = ask(method, target, body ? JSON.stringify(body) : '')
  const response = await answerCluster(stage, request, identity)
  return {body: await jsonOf(response), status: response.status}
}

describe('as a bearer', () => {
  it('is a new node', () => {
    expect(bearer(TOKEN)).toEqual({
      groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
      user: 'system:bootstrap:abcdef',
    })
  })

  it.each([
    ['another secret', 'abcdef.0123456789abcdee', {}],
    ['another ID', 'abcdeg.0123456789abcdef', {}],
    ['another form', 'abcdef0123456789abcdef', {}],
    ['a token that has expired', TOKEN, {expiration: at(-1000)}],
    ['an end that is not a time', TOKEN, {expiration: 'tomorrow'}],
    ['a token for signing only', TOKEN, {'usage-bootstrap-authentication': 'false'}],
    ['a group that is not of bootstrappers', TOKEN, {'auth-extra-groups': 'system:masters'}],
    ['a Secret with the ID of another', TOKEN, {'token-id': 'fedcba'}],
  ])('is not known with %s', (_, token, changes) => {
    cluster.secrets = [makeTokenSecret('abcdef', '0123456789abcdef', changes)]
    expect(bearer(token)).toBeUndefined()
  })

  it('is not known from a Secret of another type or namespace', () => {
    const secret = makeTokenSecret('abcdef', '0123456789abcdef')
    cluster.secrets = [
      {...secret, type: 'Opaque'},
      {...secret, namespace: 'default'},
    ]
    expect(bearer(TOKEN)).toBeUndefined()
  })

  it('expires by the clock of the cluster, and is then deleted', () => {
    cluster.secrets = [makeTokenSecret('abcdef', '0123456789abcdef', {expiration: at(HOUR)})]
    expect(bearer(TOKEN, START + HOUR - 1)).toBeDefined()
    expect(cleanTokens(cluster, START + HOUR - 1)).toBe(false)
    cluster.clockAheadMs = 2 * HOUR
    expect(bearer(TOKEN)).toBeUndefined()
    expect(cleanTokens(cluster, START + HOUR)).toBe(true)
    expect(cluster.secrets).toEqual([])
  })

  it('reads what kubeadm and k8s-win publish for new nodes, and nothing else', async () => {
    const read = async (name: string): Promise<number> =>
      (await send('GET', `/api/v1/namespaces/${name}`, bearer(TOKEN))).status
    expect(await read('kube-system/configmaps/kubeadm-config')).toBe(200)
    expect(await read('kube-system/configmaps/kubelet-config-1.23')).toBe(200)
    expect(await read('kube-system/configmaps/kube-proxy')).toBe(200)
    expect(await read('kube-flannel/configmaps/kube-flannel-cfg')).toBe(200)
    expect(await read('kube-system/configmaps/other')).toBe(403)
    expect(await read('kube-system/secrets')).toBe(403)
    expect((await send('GET', '/api/v1/nodes/linux-1', bearer(TOKEN))).status).toBe(200)
    expect((await send('GET', '/api/v1/nodes', bearer(TOKEN))).status).toBe(403)
  })
})

describe('the API of Secrets', () => {
  const secret = {metadata: {name: 'bootstrap-token-fedcba'}, type: 'bootstrap.kubernetes.io/token'}

  it('creates one once', async () => {
    const stringData = {
      'token-id': 'fedcba',
      'token-secret': 'fedcba9876543210',
      'usage-bootstrap-authentication': 'true',
    }
    const created = await send('POST', SECRETS, ADMIN, {...secret, stringData})
    expect(created).toMatchObject({body: {data: {'token-id': 'ZmVkY2Jh'}, kind: 'Secret', ...secret}, status: 201})
    expect(bearer('fedcba.fedcba9876543210')?.user).toBe('system:bootstrap:fedcba')
    const again = await send('POST', SECRETS, ADMIN, {...secret, data: {}})
    expect(again).toMatchObject({
      body: {message: 'secrets "bootstrap-token-fedcba" already exists', reason: 'AlreadyExists'},
      status: 409,
    })
  })

  it('lists tokens by their type', async () => {
    await send('POST', SECRETS, ADMIN, {data: {}, metadata: {name: 'other'}})
    const {body} = await send('GET', `${SECRETS}?fieldSelector=type%3Dbootstrap.kubernetes.io/token`, ADMIN)
    expect(body.items?.map(({metadata}) => metadata.name)).toEqual(['bootstrap-token-abcdef'])
    expect((await send('GET', SECRETS, ADMIN)).body.items).toHaveLength(2)
  })

  it('gets and deletes one', async () => {
    const path = `${SECRETS}/bootstrap-token-abcdef`
    expect((await send('GET', path, ADMIN)).status).toBe(200)
    expect(await send('DELETE', path, ADMIN)).toMatchObject({
      body: {details: {kind: 'secrets', name: 'bootstrap-token-abcdef'}, status: 'Success'},
      status: 200,
    })
    expect(await send('DELETE', path, ADMIN)).toMatchObject({
      body: {message: 'secrets "bootstrap-token-abcdef" not found', reason: 'NotFound'},
      status: 404,
    })
    expect(bearer(TOKEN)).toBeUndefined()
  })

  it.each([
    ['GET', SECRETS],
    ['POST', SECRETS],
    ['DELETE', `${SECRETS}/bootstrap-token-abcdef`],
  ])('refuses a node: %s', async (method, path) => {
    const node = identify(cluster, NODE_CERTIFICATE, {}, START)
    expect((await send(method, path, node, {})).status).toBe(403)
  })

  it.each([
    ['nothing', undefined, 400],
    ['one of another namespace', {metadata: {name: 'x', namespace: 'default'}}, 400],
  ])('refuses to create %s', async (_, body, status) => {
    expect((await send('POST', SECRETS, ADMIN, body)).status).toBe(status)
  })
})

describe('cluster-info', () => {
  const info = async (identity: Identity = ANONYMOUS): Promise<Record<string, string>> =>
    (await send('GET', INFO, identity)).body.data ?? {}

  it('is readable for everybody, and names the cluster', async () => {
    const {kubeconfig = ''} = await info()
    expect(parse(kubeconfig)).toMatchObject({
      clusters: [
        {
          cluster: {
            'certificate-authority-data': Buffer.from(CLUSTER_CA).toString('base64'),
            server: 'https://10.0.0.10:6443',
          },
          name: '',
        },
      ],
      users: null,
    })
    expect((await send('GET', '/api/v1/namespaces/kube-public/configmaps', ANONYMOUS)).status).toBe(403)
    expect((await send('GET', '/api/v1/namespaces/kube-system/configmaps/kubeadm-config', ANONYMOUS)).status).toBe(403)
  })

  it('is signed with every token for signing', async () => {
    cluster.secrets?.push(
      makeTokenSecret('fedcba', 'fedcba9876543210', {'usage-bootstrap-signing': 'false'}),
      makeTokenSecret('aaaaaa', 'fedcba9876543210', {expiration: at(-1)}),
      makeTokenSecret('bbbbbb', 'fedcba9876543210', {'usage-bootstrap-authentication': 'false'}),
    )
    const {kubeconfig = '', ...signatures} = await info()
    expect(Object.keys(signatures)).toEqual(['jws-kubeconfig-abcdef', 'jws-kubeconfig-bbbbbb'])
    const header = Buffer.from('{"alg":"HS256","kid":"abcdef"}').toString('base64url')
    const signed = `${header}.${Buffer.from(kubeconfig).toString('base64url')}`
    const mac = createHmac('sha256', '0123456789abcdef').update(signed).digest('base64url')
    expect(signatures['jws-kubeconfig-abcdef']).toBe(`${header}..${mac}`)
  })

  it('is signed later where the controller is late', async () => {
    cluster.signerDelayMs = 10_000
    cluster.secrets = [{...makeTokenSecret('abcdef', '0123456789abcdef'), createdAt: START}]
    expect(Object.keys(await info())).toEqual(['kubeconfig'])
    await stage.elapse(10_000)
    expect(Object.keys(await info())).toContain('jws-kubeconfig-abcdef')
  })

  it('can be absent, forbidden or wrong', async () => {
    cluster.clusterInfo = {ca: SIGNER.cert, server: 'https://10.9.9.9:6443', signatures: {abcdef: 'x'}}
    const {'jws-kubeconfig-abcdef': signature, kubeconfig = ''} = await info()
    expect(signature).toBe('x')
    expect(kubeconfig).toContain(Buffer.from(SIGNER.cert).toString('base64'))
    expect(kubeconfig).toContain('https://10.9.9.9:6443')
    cluster.clusterInfo = 'absent'
    expect((await send('GET', INFO, ANONYMOUS)).status).toBe(404)
    delete cluster.clusterInfo
    cluster.roleBindings = []
    expect((await send('GET', INFO, ANONYMOUS)).status).toBe(403)
  })

  it('is another one for those who do not verify the server, where one is in between', async () => {
    cluster.clusterInfo = {unverified: {ca: SIGNER.cert}}
    const unverified = {...ask('GET', INFO), isUnverified: true}
    const {data} = await jsonOf<Answer['body']>(await answerCluster(stage, unverified, ANONYMOUS))
    const {kubeconfig} = await info()
    expect(data?.['kubeconfig']).not.toBe(kubeconfig)
  })
})
