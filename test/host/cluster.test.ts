// The cluster's answers, the good and the others, and who we say we are.
import {describe, expect, it} from 'vitest'

import {openCluster} from '../../src/host/cluster.js'
import type {Kubeconfig} from '../../src/host/kubeconfig.js'
import type {Http, HttpRequest} from '../../src/machine/http.js'
import type {Run} from '../../src/machine/run.js'
import {only} from '../fakes/partial.js'

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
  const cluster = openCluster(http, run ?? never, {server: SERVER, tls: TLS, whole: '', ...kubeconfig})
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
      name: 'win-1',
      podCIDR: '10.244.3.0/24',
      ready: true,
      readyMessage: 'kubelet is posting ready status',
    })
    expect(requests[0]).toMatchObject({effect: 'read', method: 'GET', tls: TLS, url: `${SERVER}/api/v1/nodes/win-1`})
    expect(requests[0]?.deadlineMs).toBeGreaterThan(0)
  })

  it.each([
    [[{message: 'cni config uninitialized', status: 'False', type: 'Ready'}], 'cni config uninitialized'],
    [[{reason: 'NodeStatusUnknown', status: 'Unknown', type: 'Ready'}], 'NodeStatusUnknown'],
    [[], 'the kubelet has not said anything yet'],
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
    [401, {message: 'Unauthorized'}, 'API_SERVER_REFUSES', 'It answered 401'],
    [403, {message: 'nodes "win-1" is forbidden'}, 'API_SERVER_FORBIDS', 'It said: nodes "win-1" is forbidden'],
    [403, '<html>', 'API_SERVER_FORBIDS', 'It said:'],
    [
      500,
      {message: 'etcdserver: no leader'},
      'API_SERVER_ANSWER',
      'It answered 500 to GET /api/v1/nodes/win-1: etcdserver',
    ],
    [302, 'elsewhere', 'API_SERVER_ANSWER', 'It answered 302'],
    [200, '<html>a proxy</html>', 'API_SERVER_ANSWER', 'with no JSON'],
  ])('is told: %i %o', async (status, body, id, reason) => {
    const error = await open(status, body)
      .cluster.node('win-1')
      .catch((error_: unknown) => error_)
    expect(error).toMatchObject({exitCode: 3, id})
    expect((error as {reason: string}).reason).toContain(reason)
  })

  it('is told also to a deletion', async () => {
    await expect(open(500, {}).cluster.deleteNode('win-1')).rejects.toMatchObject({id: 'API_SERVER_ANSWER'})
  })
})

describe("the cluster's DNS", () => {
  const service = (name: string, clusterIP: string): object => ({metadata: {name}, spec: {clusterIP}})

  it.each([
    ['kube-dns first', [service('coredns-metrics', '10.10.0.9'), service('kube-dns', '10.10.0.10')], '10.10.0.10'],
    ['another name', [service('metrics-server', '10.10.0.8'), service('rke2-coredns', '10.10.0.11')], '10.10.0.11'],
    ['never a headless one', [service('kube-dns', 'None'), service('coredns', '10.10.0.12')], '10.10.0.12'],
    ['none', [service('metrics-server', '10.10.0.8')], undefined],
    ['nothing', [], undefined],
  ])('%s', async (_, items, address) => {
    expect(await open(200, {items}).cluster.dnsAddress()).toBe(address)
  })
})

it('tells its version', async () => {
  expect(await open(200, {gitVersion: 'v1.21.5'}).cluster.version()).toBe('v1.21.5')
})

describe('who we are', () => {
  const exec = {args: ['token'], command: String.raw`C:\p.exe`, env: {A: 'b'}}
  const plugin =
    (exitCode: number, stdout: string): Run =>
    async (program, args, options) => {
      expect([program, args, options.env, options.effect]).toEqual([exec.command, exec.args, exec.env, 'read'])
      return {durationMs: 1, exitCode, stderr: '', stdout}
    }

  it('is said by a token, of the kubeconfig or of a plugin, or by nothing', async () => {
    const byToken = open(200, {}, {token: 'one'})
    await byToken.cluster.version()
    expect(byToken.requests[0]?.headers).toMatchObject({authorization: 'Bearer one'})
    const byPlugin = open(200, {}, {exec}, plugin(0, '{"status":{"token":"two"}}'))
    await byPlugin.cluster.version()
    expect(byPlugin.requests[0]?.headers).toMatchObject({authorization: 'Bearer two'})
    const byNothing = open(200, {})
    await byNothing.cluster.version()
    expect(byNothing.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([
    [1, 'secret'],
    [0, 'a-secret-token'],
  ])('is not known where the plugin ends with %i and %s, which is not repeated', async (exitCode, stdout) => {
    const error = await open(200, {}, {exec}, plugin(exitCode, stdout))
      .cluster.version()
      .catch((error_: unknown) => error_)
    expect(error).toMatchObject({exitCode: 3, id: 'EXEC_PLUGIN_FAILED'})
    const {fix, message, reason, stack} = error as {fix: string; message: string; reason: string; stack: string}
    expect([fix, message, reason, stack].join(' ')).not.toContain('secret')
  })
})
