// The cluster's answers, the good and the others, and who we say we are.
import {inspect} from 'node:util'
import {describe, expect, it} from 'vitest'

import {openCluster} from '../../../src/host/cluster/cluster.js'
import type {Kubeconfig} from '../../../src/host/cluster/kubeconfig.js'
import type {Http, HttpRequest} from '../../../src/machine/http.js'
import type {Run} from '../../../src/machine/run.js'
import {NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {handClock} from '../../fakes/hand-clock.js'
import {only} from '../../fakes/partial.js'

const SERVER = 'https://10.0.0.1:6443'
const TLS = {ca: 'the authority'}

function open(status: number, body: unknown, kubeconfig: Partial<Kubeconfig> = {}, run?: Run) {
  const requests: HttpRequest[] = []
  const http = only<Http>('http', {
    async request(request) {
      requests.push(request)
      return {body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), headers: {}, status}
    },
  })
  const never: Run = () => Promise.reject(new Error('no program was expected'))
  const machine = {clock: handClock(Date.now()), http, run: run ?? never}
  const cluster = openCluster(machine, {server: SERVER, tls: TLS, key: '', secrets: [], write: () => '', ...kubeconfig})
  return {cluster, requests}
}

const node = (ready: unknown[], spec?: object): object => ({
  metadata: {name: 'win-1'},
  ...(spec ? {spec} : {}),
  status: {
    addresses: [
      {address: '10.0.0.5', type: 'InternalIP'},
      {address: 'WIN-1', type: 'Hostname'},
    ],
    conditions: [{status: 'False', type: 'MemoryPressure'}, ...ready],
  },
})

describe('a node', () => {
  it('is read', async () => {
    const {cluster, requests} = open(
      200,
      node([{message: 'kubelet is posting ready status', status: 'True', type: 'Ready'}], {podCIDR: '10.244.3.0/24'}),
    )
    expect(await cluster.node('win-1')).toEqual({
      addresses: ['10.0.0.5'],
      isUnschedulable: false,
      labels: {},
      machineID: '',
      name: 'win-1',
      os: '',
      podCIDR: '10.244.3.0/24',
      ready: true,
      readyMessage: 'kubelet is posting ready status',
      taints: [],
      vtepMac: '',
    })
    expect(requests[0]).toMatchObject({effect: 'read', method: 'GET', tls: TLS, url: `${SERVER}/api/v1/nodes/win-1`})
    expect(requests[0]?.deadlineMs).toBeGreaterThan(0)
  })

  it.each([
    [[{message: 'cni config uninitialized', status: 'False', type: 'Ready'}], 'cni config uninitialized'],
    [[{reason: 'NodeStatusUnknown', status: 'Unknown', type: 'Ready'}], 'NodeStatusUnknown'],
    [[], 'the kubelet has not reported yet'],
  ])('is not Ready: %o', async (conditions, readyMessage) => {
    expect(await open(200, node(conditions)).cluster.node('win-1')).toMatchObject({
      podCIDR: '',
      ready: false,
      readyMessage,
    })
  })

  it('is fresh, with nothing in it', async () => {
    expect(await open(200, {metadata: {name: 'win-1'}}).cluster.node('win-1')).toMatchObject({
      addresses: [],
      ready: false,
    })
  })

  it('is not there', async () => {
    expect(await open(404, {message: 'nodes "win-1" not found'}).cluster.node('win-1')).toBeUndefined()
  })

  it('is deleted, or was not there', async () => {
    for (const status of [200, 404]) {
      const {cluster, requests} = open(status, {})
      await cluster.deleteNode('win-1')
      expect(requests[0]).toMatchObject({effect: 'change', method: 'DELETE', url: `${SERVER}/api/v1/nodes/win-1`})
    }
  })
})

describe('an answer that is none', () => {
  it.each([
    [401, {message: 'Unauthorized'}, 'API_SERVER_REFUSES', 'It returned 401'],
    [403, {message: 'nodes "win-1" is forbidden'}, 'API_SERVER_FORBIDS', 'It said: nodes "win-1" is forbidden'],
    [403, '<html>', 'API_SERVER_FORBIDS', 'It said: nothing'],
    [
      500,
      {message: 'etcdserver: no leader'},
      'API_SERVER_BUSY',
      'It returned 500 for GET /api/v1/nodes/win-1: etcdserver',
    ],
    [302, 'elsewhere', 'API_SERVER_ANSWER', 'It returned 302'],
    [
      429,
      {message: 'Too many requests'},
      'API_SERVER_BUSY',
      'for GET /api/v1/nodes/win-1: Too many requests (the API server',
    ],
    [503, '<html>', 'API_SERVER_BUSY', 'It returned 503 for GET /api/v1/nodes/win-1.'],
    [200, '<html>a proxy</html>', 'API_SERVER_ANSWER', 'It returned no JSON object'],
    [200, [], 'API_SERVER_ANSWER', 'It returned no JSON object'],
    [200, 'null', 'API_SERVER_ANSWER', 'It returned no JSON object'],
  ])('is reported: %i %o', async (status, body, id, reason) => {
    const error = await open(status, body)
      .cluster.node('win-1')
      .catch((error_: unknown) => error_)
    expect(error).toMatchObject({exitCode: 3, id})
    expect((error as {reason: string}).reason).toContain(reason)
  })

  it('is reported by a deletion, too', async () => {
    await expect(open(500, {}).cluster.deleteNode('win-1')).rejects.toMatchObject({id: 'API_SERVER_BUSY'})
  })
})

describe("the cluster's DNS", () => {
  const service = (name: string, clusterIP: string, port = 53): object => ({
    metadata: {name},
    spec: {clusterIP, ports: [{port}]},
  })

  it.each([
    ['kube-dns first', [service('coredns-metrics', '10.10.0.9'), service('kube-dns', '10.10.0.10')], '10.10.0.10'],
    ['another name', [service('metrics-server', '10.10.0.8'), service('rke2-coredns', '10.10.0.11')], '10.10.0.11'],
    [
      'one that is none',
      [service('external-dns', '10.10.0.7', 7979), service('rke2-coredns-rke2-coredns', '10.10.0.11')],
      '10.10.0.11',
    ],
    ['never a headless one', [service('kube-dns', 'None'), service('coredns', '10.10.0.12')], '10.10.0.12'],
    ['none', [service('metrics-server', '10.10.0.8')], undefined],
    ['nothing', [], undefined],
  ])('%s', async (_, items, address) => {
    expect(await open(200, {items}).cluster.dnsAddress()).toBe(address)
  })
})

it('reports its version', async () => {
  expect((await open(200, {gitVersion: 'v1.21.5'}).cluster.about()).version).toBe('v1.21.5')
  const same = {emulationMajor: '1', emulationMinor: '36', gitVersion: 'v1.36.4', major: '1', minor: '36'}
  expect((await open(200, same).cluster.about()).version).toBe('v1.36.4')
})

describe('who we are', () => {
  it('is said by a token, or by nothing', async () => {
    const byToken = open(200, {}, {token: 'one'})
    await byToken.cluster.about()
    expect(byToken.requests[0]?.headers).toMatchObject({authorization: 'Bearer one'})
    const byNothing = open(200, {})
    await byNothing.cluster.about()
    expect(byNothing.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`
  const inTime = {certificate: NODE_CERTIFICATE.cert}

  it.each<[Partial<Kubeconfig>, string]>([
    [{token: jwt({exp: 1_600_000_000})}, 'The token expired on 2020-09-13.'],
    [{token: jwt({exp: 9_600_000_000})}, 'The token may be of another cluster, or was deleted there.'],
    [{token: jwt({exp: -1e300})}, 'The token may be'],
    [{token: 'x.y.z'}, 'The token may be'],
    [{token: 'opaque'}, 'The token may be'],
    [inTime, 'The client certificate may be of another cluster.'],
    [{}, "The kubeconfig's user has neither a certificate nor a token."],
  ])('is not known, and why: %o', async (kubeconfig, why) => {
    const error = await open(401, {message: 'Unauthorized'}, kubeconfig)
      .cluster.node('win-1')
      .catch((error_: unknown) => error_)
    expect(error).toMatchObject({id: 'API_SERVER_REFUSES'})
    expect((error as {reason: string}).reason).toContain(why)
    expect((error as {reason: string}).reason).not.toContain(kubeconfig.token ?? 'BEGIN')
  })

  it('is never said with the password of an address', async () => {
    const {cluster} = open(401, {}, {server: 'https://admin:hunter2@10.0.0.1:6443'})
    expect(cluster.server).not.toContain('hunter2')
    const error = await cluster.about().catch((error_: unknown) => error_)
    expect(inspect(error, {depth: 9})).not.toContain('hunter2')
  })
})

it('is reached through the proxy of the kubeconfig, and never follows a redirect', async () => {
  const {cluster, requests} = open(200, {}, {proxy: 'http://proxy:3128'})
  await cluster.about()
  expect(requests[0]).toMatchObject({followRedirects: false, proxy: 'http://proxy:3128'})
})

describe('ServiceCIDRs', () => {
  it('are read, whatever else is in the answer', async () => {
    const items = [
      {metadata: {name: 'kubernetes'}, spec: {cidrs: ['10.96.0.0/12', 5, 'fd00::/112']}},
      {metadata: {name: 'empty'}},
      null,
    ]
    const {cluster, requests} = open(200, {items})
    expect(await cluster.serviceCIDRs()).toEqual([
      {cidrs: ['10.96.0.0/12', 'fd00::/112'], name: 'kubernetes'},
      {cidrs: [], name: 'empty'},
      {cidrs: [], name: ''},
    ])
    expect(requests.map(({url}) => url)).toEqual([`${SERVER}/apis/networking.k8s.io/v1/servicecidrs?limit=500`])
  })

  it('are none where the API server knows no version of them', async () => {
    const {cluster, requests} = open(404, {kind: 'Status'})
    expect(await cluster.serviceCIDRs()).toEqual([])
    expect(requests.map(({url}) => url.split('/')[5])).toEqual(['v1', 'v1beta1'])
  })
})
