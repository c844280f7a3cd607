// Our readers on what real programs and interfaces answered; the values beside them were read by eye.
import {describe, expect, it} from 'vitest'
import {openCluster} from '../../src/host/cluster/cluster.js'
import {openIpam} from '../../src/host/ipam.js'
import type {Http, HttpResponse} from '../../src/machine/http.js'
import type {Run} from '../../src/machine/run.js'
import {handClock} from '../fakes/hand-clock.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'
import {idsOf, recording, responseOf, textOf} from './corpus.js'
import {HOST_LOCAL_QUESTIONS} from './questions/host-local.js'

const answer = (id: string): HttpResponse => responseOf(recording(id))

describe('the API server', () => {
  const cluster = (id: string) => {
    const http = only<Http>('http', {request: async () => answer(id)})
    const run: Run = () => Promise.reject(new Error('no program was expected'))
    const machine = {clock: handClock(), http, run}
    return openCluster(machine, {server: 'https://10.0.0.10:6443', tls: {}, key: '', secrets: [], write: () => ''})
  }

  it('reports its version', async () => {
    expect((await cluster('kubernetes/version').about()).version).toBe('v1.20.2')
  })

  it.each([
    ['kubernetes/node', '10.0.0.5', '10.244.3.0/24'],
    ['kubernetes/node-linux', '10.0.0.11', '10.244.0.0/24'],
    ['kubernetes/patch', '10.0.0.5', '10.244.3.0/24'],
  ])('describes a node: %s', async (id, address, podCIDR) => {
    expect(await cluster(id).node('n')).toMatchObject({
      addresses: [address],
      machineID: id.endsWith('linux') ? 'linux-1' : 'win-1',
      name: 'n',
      os: id.endsWith('linux') ? 'linux' : 'windows',
      podCIDR,
      ready: true,
      readyMessage: 'kubelet is posting ready status',
    })
  })

  it.each([
    ['review-allowed', true],
    ['review-denied', false],
    ['review-node-get', true],
    ['review-node-delete', false],
    ['review-services-list', true],
    ['review-daemon-sets-list', false],
    ['review-config-map-get', false],
  ])('says what one may: %s', async (name, allowed) => {
    expect(await cluster(`kubernetes/${name}`).may({group: '', resource: 'nodes', verb: 'get'})).toBe(allowed)
  })

  it('lists nodes and DaemonSets, and has flannel’s configuration', async () => {
    const nodes = await cluster('kubernetes/nodes').nodes()
    expect(nodes.map(({name, os, podCIDR}) => [name, os, podCIDR])).toEqual([
      ['linux-1', 'linux', '10.244.0.0/24'],
      ['win-1', 'windows', '10.244.3.0/24'],
    ])
    expect(await cluster('kubernetes/daemon-sets').daemonSets()).toEqual([
      {
        name: 'kube-flannel-ds',
        namespace: 'kube-flannel',
        nodeSelector: {'kubernetes.io/os': 'linux'},
        tolerations: [],
      },
    ])
    expect(await cluster('kubernetes/config-map').configMap('kube-flannel', 'kube-flannel-cfg')).toHaveProperty(
      ['net-conf.json'],
      '{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}',
    )
    expect(await cluster('kubernetes/config-map-missing').configMap('a', 'b')).toBeUndefined()
  })

  it.each(['kubernetes/services', 'kubernetes/services-dns'])('knows its DNS: %s', async (id) => {
    expect(await cluster(id).dnsAddress()).toBe('10.10.0.10')
  })

  it('has no DNS where there is no service', async () => {
    expect(await cluster('kubernetes/services-no-namespace').dnsAddress()).toBeUndefined()
  })

  it.each(['kubernetes/node-missing', 'kubernetes/no-such-resource', 'kubernetes/no-such-group'])(
    'has no such node: %s',
    async (id) => {
      expect(await cluster(id).node('n')).toBeUndefined()
    },
  )

  it.each(['kubernetes/delete', 'kubernetes/delete-again'])('deletes a node: %s', async (id) => {
    await cluster(id).deleteNode('win-1')
  })

  it.each([
    ['node-wrong-token', 'API_SERVER_REFUSES', 'It returned 401'],
    ['node-foreign-certificate', 'API_SERVER_REFUSES', 'It returned 401'],
    ['node-expired-certificate', 'API_SERVER_REFUSES', 'It returned 401'],
    ['node-nobody', 'API_SERVER_REFUSES', 'It returned 403: it rejects the credentials.'],
    ['node-stranger', 'API_SERVER_FORBIDS', 'cannot get resource "nodes" in API group "" at the cluster scope'],
    ['services-stranger', 'API_SERVER_FORBIDS', 'in the namespace "kube-system"'],
    ['delete-by-node', 'API_SERVER_FORBIDS', 'User "system:node:win-1" cannot delete resource "nodes"'],
    ['patch-conflict', 'API_SERVER_ANSWER', 'the object has been modified'],
    ['patch-bad-label', 'API_SERVER_ANSWER', 'Invalid value: "not a label!"'],
    ['patch-wrong-type', 'API_SERVER_ANSWER', 'Unsupported Media Type'],
    ['post-to-a-node', 'API_SERVER_ANSWER', 'does not allow this method'],
  ])('refuses, and is quoted: %s', async (name, id, said) => {
    const error: unknown = await cluster(`kubernetes/${name}`)
      .node('win-1')
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({id, reason: expect.stringContaining(said) as string})
  })
})

describe('host-local', () => {
  const ipam = (id: string) => {
    const entry = recording(id)
    const run: Run = async () => ({
      durationMs: 1,
      exitCode: entry.exitCode ?? 0,
      stderr: textOf(entry, 'err'),
      stdout: textOf(entry, 'out'),
    })
    return openIpam(memoryFiles(), run, String.raw`C:\k\cni\host-local.exe`)
  }
  const asked = HOST_LOCAL_QUESTIONS.filter(({call}) => call.command === 'ADD').map(({name}) => `host-local/${name}`)
  const ids = new Set(idsOf('host-local'))

  it.each(asked.filter((id) => ids.has(id)))('is understood: %s', async (id) => {
    const said = textOf(recording(id), 'out')
    const reserved = ipam(id).reserve('vxlan0', '10.244.3.0/24')
    const [address] = /(?<="address": ")10[\d.]+/.exec(said) ?? []
    if (address !== undefined) return expect(await reserved).toBe(address)
    const [why = ''] = /(?<="msg": ").*(?=")/.exec(said) ?? []
    expect(why).not.toBe('')
    const error: unknown = await reserved.catch((reason: unknown) => reason)
    expect(error).toMatchObject({id: 'HOST_LOCAL_FAILED', reason: expect.stringContaining(why) as string})
  })
})
