// What a cluster is asked before anything is done: permissions, flannel, nodes, DaemonSets, services, its clock.
import fc from 'fast-check'
import {describe, expect, it, onTestFinished} from 'vitest'
import {isCordoned} from '../../../src/components/cordon.js'
import {type Access, type Cluster, openCluster} from '../../../src/host/cluster/cluster.js'
import {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import type {Clock} from '../../../src/machine/clock.js'
import type {Http, HttpRequest} from '../../../src/machine/http.js'
import type {Machine} from '../../../src/machine/machine.js'
import {retryingMachine} from '../../../src/machine/retrying.js'
import type {Run} from '../../../src/machine/run.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {MemoryHost} from '../../fakes/memory-host.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {only} from '../../fakes/partial.js'
import {clusterAt, refusal, serveCluster} from './loopback-cluster.js'

const SERVER = 'https://10.0.0.1:6443'
const SIMULATED = 'https://10.0.0.10:6443'
const NOW = Date.UTC(2021, 9, 20, 12)
const ACCESS: Access = {group: '', name: 'win-1', resource: 'nodes', subresource: 'status', verb: 'patch'}

interface Answer {
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
  /** How long it takes. */
  readonly takesMs?: number
}

function open(body: unknown, {headers = {}, status = 200, takesMs = 0}: Answer = {}) {
  const requests: HttpRequest[] = []
  let now = NOW
  const http = only<Http>('http', {
    async request(request) {
      requests.push(request)
      const at = now + takesMs / 2
      now += takesMs
      return {at, body: Buffer.from(JSON.stringify(body) ?? ''), headers, status}
    },
  })
  const clock = only<Clock>('clock', {elapsed: () => now, now: () => now, sleep: async (ms) => void (now += ms)})
  const run: Run = () => Promise.reject(new Error('no program was expected'))
  return {
    cluster: openCluster({clock, http, run}, {server: SERVER, tls: {}, key: '', secrets: [], write: () => ''}),
    requests,
  }
}

describe('what this identity may', () => {
  it('is asked by a review that makes nothing', async () => {
    const {cluster, requests} = open({status: {allowed: true}}, {status: 201})
    expect(await cluster.may(ACCESS)).toBe(true)
    expect(requests[0]).toMatchObject({effect: 'read', headers: {'content-type': 'application/json'}, method: 'POST'})
    expect(requests[0]?.url).toBe(`${SERVER}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`)
    expect(JSON.parse(requests[0]?.body as string)).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {resourceAttributes: ACCESS},
    })
  })

  it('is not, where the answer is no', async () => {
    expect(await open({status: {allowed: false, reason: 'x'}}, {status: 201}).cluster.may(ACCESS)).toBe(false)
  })

  it.each([[{}], [{status: {}}], [{status: {allowed: 'yes'}}], [{kind: 'Status', status: 'Failure'}]])(
    'is not taken for a no where the answer is none: %o',
    async (body) => {
      await expect(open(body).cluster.may(ACCESS)).rejects.toMatchObject({id: 'API_SERVER_ANSWER'})
    },
  )
})

describe('the clock', () => {
  const ahead = async (date: string | undefined, takesMs = 0): Promise<number | undefined> =>
    (await open({}, {headers: date === undefined ? {} : {date}, takesMs}).cluster.about()).clockAheadMs
  const told = (ms: number): string => new Date(ms).toUTCString()

  it('is as far off as the server says, to half a second', async () => {
    for (const off of [0, 45_000, -3_600_000]) {
      expect(Math.abs(((await ahead(told(NOW - off))) ?? Number.NaN) - off)).toBeLessThanOrEqual(500)
    }
  })

  it('is not off because the answer took long', async () => {
    expect(Math.abs((await ahead(told(NOW + 5000), 10_000)) ?? Number.NaN)).toBeLessThanOrEqual(500)
  })

  it('review J8: is not off because of a request that was tried again, and of the pause before it', async () => {
    const simulated = await openSimulator({dir: new MemoryHost(), profile: 'ws2022-containerd'})
    let tries = 0
    const busy: Machine = {
      ...simulated,
      http: {
        ...simulated.http,
        async request(request) {
          const answer = await simulated.http.request(request)
          return ++tries < 4 ? {...answer, headers: {'retry-after': '60'}, status: 503} : answer
        },
      },
    }
    const {signal} = new AbortController()
    const machine = retryingMachine(busy, {onRetry: () => {}, signal})
    const tls = {ca: CLUSTER_CA, ...NODE_CERTIFICATE}
    const before = machine.clock.now()
    const {clockAheadMs} = await openCluster(machine, {
      key: '',
      server: SIMULATED,
      tls,
      secrets: [],
      write: () => '',
    }).about()
    expect(tries).toBe(4)
    expect(machine.clock.now() - before).toBeGreaterThan(180_000)
    expect(Math.abs(clockAheadMs ?? Number.NaN)).toBeLessThanOrEqual(1000)
  })

  it.each([undefined, '', 'yesterday'])('is not known where the server does not report: %s', async (date) => {
    expect(await ahead(date)).toBeUndefined()
  })
})

describe('objects', () => {
  it('a ConfigMap has its texts', async () => {
    const {cluster, requests} = open({data: {a: 'b', c: 4}})
    expect(await cluster.configMap('kube-flannel', 'kube-flannel-cfg')).toEqual({a: 'b'})
    expect(requests[0]?.url).toBe(`${SERVER}/api/v1/namespaces/kube-flannel/configmaps/kube-flannel-cfg`)
    expect(await open({}, {status: 404}).cluster.configMap('a', 'b')).toBeUndefined()
  })

  it('a node reports its system, its machine and its VNI', async () => {
    const annotations = {'flannel.alpha.coreos.com/backend-data': '{"VNI":4096,"VtepMAC":"0a:58:0a:f4:00:01"}'}
    const nodeInfo = {machineID: 'WIN-1', operatingSystem: 'windows'}
    const {cluster, requests} = open({items: [{metadata: {annotations, name: 'win-1'}, status: {nodeInfo}}]})
    expect(await cluster.nodes()).toMatchObject([{machineID: 'WIN-1', name: 'win-1', os: 'windows', vni: 4096}])
    expect(requests[0]?.url).toMatch(/\/api\/v1\/nodes\?limit=\d+$/)
  })

  it.each(['', 'no JSON', '{"VtepMAC":"0a:58"}', '{"VNI":"4096"}', 'null'])(
    'a node of an old flannel tells no VNI: %s',
    async (data) => {
      const annotations = {'flannel.alpha.coreos.com/backend-data': data}
      expect((await open({metadata: {annotations}}).cluster.node('a'))?.vni).toBeUndefined()
    },
  )

  it('a node without a status has the system of its label', async () => {
    const labels = {'kubernetes.io/os': 'linux'}
    expect(await open({metadata: {labels}}).cluster.node('a')).toMatchObject({machineID: '', os: 'linux'})
  })

  it('a service has an address, or is headless', async () => {
    const service = (clusterIP: string) => open({spec: {clusterIP}}).cluster.serviceAddress('default', 'kubernetes')
    expect(await service('10.10.0.1')).toBe('10.10.0.1')
    expect(await service('None')).toBeUndefined()
    expect(await open({}, {status: 404}).cluster.serviceAddress('a', 'b')).toBeUndefined()
  })
})

it('no answer, of whatever shape, is more than an error for people', async () => {
  const questions: readonly ((cluster: Cluster) => Promise<unknown>)[] = [
    (cluster) => cluster.may(ACCESS),
    (cluster) => cluster.configMap('a', 'b'),
    (cluster) => cluster.daemonSets(),
    (cluster) => cluster.dnsAddress(),
    (cluster) => cluster.node('a'),
    (cluster) => cluster.nodes(),
    (cluster) => cluster.serviceAddress('a', 'b'),
    (cluster) => cluster.about(),
  ]
  // Names that are read, with anything below them.
  const names = [
    'items',
    'metadata',
    'spec',
    'status',
    'conditions',
    'addresses',
    'template',
    'affinity',
    'annotations',
  ]
  const key = fc.oneof(fc.constantFrom(...names, 'nodeInfo', 'nodeSelector', 'tolerations', 'data'), fc.string())
  const {tree} = fc.letrec((tie) => ({
    tree: fc.oneof(
      {maxDepth: 5},
      fc.jsonValue({maxDepth: 1}),
      fc.array(tie('tree'), {maxLength: 3}),
      fc.dictionary(key, tie('tree'), {maxKeys: 4}),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(tree, fc.constantFrom(...questions), async (body, question) => {
      const error = await question(open(body).cluster).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error === undefined || error instanceof K8sWinError).toBe(true)
    }),
    {numRuns: 200},
  )
})

const [ONE, OTHER] = [Symbol('one'), Symbol('other')]

/** Answers in turn, the last one for ever. */
function answering(...answers: readonly {body?: unknown; connection?: symbol; status: number}[]) {
  const urls: string[] = []
  let slept = 0
  const http = only<Http>('http', {
    async request({url}) {
      const {body = {}, connection = ONE, status} = answers[Math.min(urls.push(url), answers.length) - 1]!
      return {body: Buffer.from(JSON.stringify(body)), connection, headers: {}, status}
    },
  })
  const clock = only<Clock>('clock', {
    elapsed: () => slept,
    now: () => NOW + slept,
    sleep: async (ms) => void (slept += ms),
  })
  const run: Run = () => Promise.reject(new Error('no program was expected'))
  const cluster = openCluster({clock, http, run}, {server: SERVER, tls: {}, key: '', secrets: [], write: () => ''})
  return {cluster, slept: () => slept, urls}
}

const FORBIDDEN = {body: {message: 'nodes "win-1" is forbidden'}, status: 403}

describe('review K2: a 403', () => {
  it('of an API server that has just started is asked again some seconds later', async () => {
    const {cluster, slept, urls} = answering(FORBIDDEN, {body: {metadata: {name: 'win-1'}}, status: 200})
    expect(await cluster.node('win-1')).toMatchObject({name: 'win-1'})
    expect({asked: urls.length, slept: slept()}).toEqual({asked: 2, slept: 3000})
  })

  it('is final where it repeats, and the next one is believed at once', async () => {
    const {cluster, slept} = answering(FORBIDDEN)
    for (const _ of [1, 2]) await expect(cluster.node('win-1')).rejects.toMatchObject({id: 'API_SERVER_FORBIDS'})
    expect(slept()).toBe(3000)
  })

  it('review K3-7: is certain where RBAC has just allowed what it allows everyone', async () => {
    const {cluster, slept, urls} = answering({body: {gitVersion: 'v1.37.0'}, status: 200}, FORBIDDEN)
    await cluster.about()
    await expect(cluster.daemonSets()).rejects.toMatchObject({id: 'API_SERVER_FORBIDS'})
    expect({asked: urls.length, slept: slept()}).toEqual({asked: 2, slept: 0})
  })

  it.each([
    ['what RBAC allows everyone', {body: {gitVersion: 'v1.37.0'}, connection: OTHER, status: 200}, 3000],
    ['the same again', {...FORBIDDEN, connection: OTHER}, 6000],
  ])(
    'review K3-7: is asked again where another API server behind the load balancer has answered %s',
    async (_, first, ms) => {
      const found = {body: {metadata: {name: 'win-1'}}, status: 200}
      const isOfBoth = first.status === 403 ? [first, first] : [first]
      const {cluster, slept, urls} = answering(...isOfBoth, FORBIDDEN, found)
      await (first.status === 403
        ? expect(cluster.node('win-1')).rejects.toMatchObject({id: 'API_SERVER_FORBIDS'})
        : cluster.about())
      expect(await cluster.node('win-1')).toMatchObject({name: 'win-1'})
      expect({asked: urls.length, slept: slept()}).toEqual({asked: isOfBoth.length + 2, slept: ms})
    },
  )

  it('of an eviction is asked again, too', async () => {
    const {cluster} = answering({status: 200}, FORBIDDEN, {status: 201})
    const pod = {
      controller: '',
      isFinished: false,
      isLeaving: false,
      isMirror: false,
      labels: {},
      name: 'a',
      namespace: 'b',
      uid: 'c',
    }
    expect(await cluster.evictPod({...pod, finalizers: [], hasEmptyDir: false})).toEqual({result: 'taken'})
  })
})

const service = (name: string, spec: object): object => ({metadata: {name}, spec})

it('review K7: DaemonSets and Services are asked for page by page', async () => {
  const page = (name: string, more?: string) => ({
    body: {items: [{...service(name, {clusterIP: '10.96.0.10'})}], metadata: {...(more && {continue: more})}},
    status: 200,
  })
  const sets = answering(page('a', 'next page'), page('b'))
  expect((await sets.cluster.daemonSets()).map(({name}) => name)).toEqual(['a', 'b'])
  expect(sets.urls).toEqual([
    `${SERVER}/apis/apps/v1/daemonsets?limit=500`,
    `${SERVER}/apis/apps/v1/daemonsets?limit=500&continue=next%20page`,
  ])
  const services = answering(page('web', '2'), page('kube-dns'))
  expect(await services.cluster.dnsAddress()).toBe('10.96.0.10')
})

describe('review K7: a list whose next page has expired', () => {
  const page = (names: readonly string[], more?: string) => ({
    body: {items: names.map((name) => service(name, {})), metadata: {...(more && {continue: more})}},
    status: 200,
  })
  const EXPIRED = {
    body: {code: 410, kind: 'Status', message: 'The provided continue parameter is too old'},
    status: 410,
  }

  it('is asked for once more, as a whole', async () => {
    const {cluster, urls} = answering(page(['a', 'b'], 'next'), EXPIRED, page(['a', 'c']))
    expect((await cluster.daemonSets()).map(({name}) => name)).toEqual(['a', 'c'])
    expect(urls.map((url) => url.split('?')[1])).toEqual(['limit=500', 'limit=500&continue=next', 'limit=0'])
  })

  it.each([
    ['at once', [EXPIRED]],
    ['again', [page(['a'], 'next'), EXPIRED, EXPIRED]],
    [
      'again, of a server that has pages where none were asked for',
      [page(['a'], 'b'), EXPIRED, page(['a'], 'b'), EXPIRED],
    ],
  ])('is an error where it has expired %s', async (_, answers) => {
    expect(await refusal(answering(...answers).cluster.daemonSets())).toMatchObject({id: 'API_SERVER_ANSWER'})
  })
})

it('review K7: a list has an end, however much a page has', async () => {
  const list = (length: number, more: string) => ({
    body: {items: Array.from({length}, () => 0), metadata: {continue: more}},
    status: 200,
  })
  expect(await answering(list(50_000, '')).cluster.daemonSets()).toHaveLength(50_000)
  for (const answers of [
    [list(300_000, '')],
    [list(49_999, 'a'), list(2, '')],
    [list(1, '\u{D800}')],
    [list(1, 'a'.repeat(5000))],
  ]) {
    expect(await refusal(answering(...answers).cluster.daemonSets())).toMatchObject({id: 'API_SERVER_ANSWER'})
  }
})

it('review K9: a dual-stack Service is known by its IPv4 address, also where IPv6 is first', async () => {
  const spec = {clusterIP: 'fd00::a', clusterIPs: ['fd00::a', '10.96.0.10']}
  const {cluster} = answering({body: {items: [service('kube-dns', spec)]}, status: 200})
  expect(await cluster.dnsAddress()).toBe('10.96.0.10')
  expect(await answering({body: service('kubernetes', spec), status: 200}).cluster.serviceAddress('a', 'b')).toBe(
    '10.96.0.10',
  )
})

it('review K8: a node is cordoned by its specification, before any controller has tainted it', async () => {
  const {cluster} = answering({body: {metadata: {name: 'win-1'}, spec: {unschedulable: true}}, status: 200})
  expect(isCordoned(await cluster.node('win-1'))).toBe(true)
  const tainted = {spec: {taints: [{effect: 'NoSchedule', key: 'node.kubernetes.io/unschedulable'}]}}
  expect(isCordoned(await answering({body: tainted, status: 200}).cluster.node('win-1'))).toBe(false)
})

it('review K11: a 429 is reported with its meaning', async () => {
  const {cluster} = answering({body: {message: 'Too many requests, please try again later.'}, status: 429})
  const error = await refusal(cluster.node('win-1'))
  expect(error.id).toBe('API_SERVER_BUSY')
  expect(error.reason).toContain('API Priority and Fairness')
})

describe('over TLS', () => {
  it('review K11: a tls-server-name that is an address prints no warning, and is what the certificate must have', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const {server} = await serveCluster()
    const named = (name: string) => clusterAt(server, {cluster: {'tls-server-name': name}})
    expect(await (await named('127.0.0.1')).node('win-1')).toMatchObject({name: 'win-1'})
    expect((await refusal((await named('127.0.0.2')).node('win-1'))).id).toBe('API_SERVER_UNTRUSTED')
    await new Promise(setImmediate)
    expect(warnings).toEqual([])
  })

  it('answers every question', async () => {
    const {server, stage} = await serveCluster()
    const cluster = await clusterAt(server)
    expect(await cluster.may(ACCESS)).toBe(true)
    stage.world.cluster.permissions = ['get nodes']
    expect(await cluster.may(ACCESS)).toBe(false)
    expect(await cluster.may({group: '', resource: 'nodes', verb: 'get'})).toBe(true)
    expect((await refusal(cluster.nodes())).id).toBe('API_SERVER_FORBIDS')
    stage.world.cluster.permissions = ['*']
    expect((await cluster.nodes()).map(({name, os}) => `${name} ${os}`)).toContain('linux-1 linux')
    expect((await cluster.configMap('kube-flannel', 'kube-flannel-cfg'))?.['net-conf.json']).toContain('4096')
    expect(await cluster.configMap('kube-system', 'kube-flannel-cfg')).toBeUndefined()
    expect(await cluster.daemonSets()).toMatchObject([
      {name: 'kube-flannel-ds', namespace: 'kube-flannel', nodeSelector: {'kubernetes.io/os': 'linux'}},
    ])
    expect(await cluster.serviceAddress('default', 'kubernetes')).toBe('10.10.0.1')
    // Its time is that of this machine.
    expect(Math.abs((await cluster.about()).clockAheadMs ?? Number.NaN)).toBeLessThan(5000)
  })
})
