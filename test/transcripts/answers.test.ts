// Our readers on what real programs and interfaces answered; the values beside them were read by eye.
import {describe, expect, it} from 'vitest'
import {openCluster} from '../../src/host/cluster.js'
import {lastLogLines} from '../../src/host/daemon-log.js'
import {openIpam} from '../../src/host/ipam.js'
import {readKubeconfig} from '../../src/host/kubeconfig.js'
import type {Http, HttpResponse} from '../../src/machine/http.js'
import {openRealClock} from '../../src/machine/real/clock.js'
import type {Run} from '../../src/machine/run.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {only} from '../fakes/partial.js'
import {bytesOf, ofGroup, recording, RECORDINGS, responseOf, textOf} from './corpus.js'

const answer = (id: string): HttpResponse => responseOf(recording(id))

describe('the API server', () => {
  const cluster = (id: string) => {
    const http = only<Http>('http', {request: async () => answer(id)})
    const run: Run = () => Promise.reject(new Error('no program was expected'))
    const machine = {clock: openRealClock(), http, run}
    return openCluster(machine, {server: 'https://10.0.0.10:6443', tls: {}, whole: ''})
  }

  it('tells its version', async () => {
    expect(await cluster('kubernetes/version').version()).toBe('v1.20.2')
  })

  it.each([
    ['kubernetes/node', '10.0.0.5', '10.244.3.0/24'],
    ['kubernetes/node-linux', '10.0.0.11', '10.244.0.0/24'],
    ['kubernetes/patch', '10.0.0.5', '10.244.3.0/24'],
  ])('describes a node: %s', async (id, address, podCIDR) => {
    expect(await cluster(id).node('n')).toEqual({
      addresses: [address],
      name: 'n',
      podCIDR,
      ready: true,
      readyMessage: 'kubelet is posting ready status',
    })
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
    ['node-wrong-token', 'API_SERVER_REFUSES', 'It answered 401'],
    ['node-foreign-certificate', 'API_SERVER_REFUSES', 'It answered 401'],
    ['node-expired-certificate', 'API_SERVER_REFUSES', 'It answered 401'],
    ['node-nobody', 'API_SERVER_REFUSES', 'It answered 403: it does not know who we are.'],
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

describe('kubeconfigs that kubectl shows', () => {
  const read = (id: string) => readKubeconfig('/lab/kubeconfig', bytesOf(recording(id), 'out'), async () => undefined)

  it.each(['kubectl/view-raw', 'kubectl/view-flat'])('are read: %s', async (id) => {
    expect(await read(id)).toMatchObject({
      ca: expect.stringContaining('BEGIN CERTIFICATE') as string,
      server: 'https://10.0.0.10:6443',
      tls: {serverName: 'kubernetes'},
      token: 'not-a-token',
    })
  })

  it('may name a plugin', async () => {
    const {exec} = await read('kubectl/view-exec')
    expect(exec).toMatchObject({args: ['token'], command: 'login.exe'})
  })

  it.each([
    ['kubectl/view', 'its certificate authority is no certificate'],
    ['kubectl/view-json', 'its certificate authority is no certificate'],
    ['kubectl/view-empty', 'it has no current-context'],
    ['kubectl/view-missing', 'it has no current-context'],
  ])('are refused where they hold nothing to use: %s', async (id, why) => {
    await expect(read(id)).rejects.toThrow(why)
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
  const calls = ofGroup('host-local').filter(({asked}) => asked.startsWith('CNI_COMMAND=ADD '))

  it.each(calls.filter(({exitCode}) => exitCode === 0).map(({id}) => id))('gives an address: %s', async (id) => {
    // Results of 0.1 and 0.2 have another form; we ask for 0.3.
    const isOld = /version-0\.[12]\.0|version-1-add/.test(id)
    const reserved = ipam(id).reserve('vxlan0', '10.244.3.0/24')
    if (isOld) return expect(reserved).rejects.toMatchObject({id: 'HOST_LOCAL_FAILED'})
    expect(await reserved).toMatch(/^10\.\d+\.\d+\.\d+$/)
  })

  it.each(calls.filter(({exitCode}) => exitCode !== 0).map(({id}) => id))('is quoted: %s', async (id) => {
    const [said = ''] = /(?<="msg": ").*(?=")/.exec(textOf(recording(id), 'out')) ?? []
    const error: unknown = await ipam(id)
      .reserve('vxlan0', '10.244.3.0/24')
      .catch((reason: unknown) => reason)
    expect(said).not.toBe('')
    expect((error as {reason: string}).reason).toContain(said)
  })
})

describe('logs', () => {
  it.each(RECORDINGS.filter(({id, parts}) => parts.includes('log') && /^kube/.test(id)))(
    'end with why a daemon died: $id',
    async (entry) => {
      const files = memoryFiles({[String.raw`C:\k\logs\x\x.log`]: bytesOf(entry, 'log')})
      const lines = await lastLogLines(files, String.raw`C:\k\logs\x`, 3)
      expect(lines.join('\n')).toMatch(/^F\d{4} [\d:.]+ +\d+ server\.go:\d+\] \S/m)
      expect(lines.join('\n')).not.toContain('goroutine')
    },
  )
})
