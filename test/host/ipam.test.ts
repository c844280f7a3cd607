// kube-proxy's address in the store of host-local: found as it was written, reserved as the CNI plugins do.
import {describe, expect, it} from 'vitest'

import {openIpam} from '../../src/host/ipam.js'
import type {Run, RunOptions} from '../../src/machine/run.js'
import {memoryFiles} from '../fakes/memory-files.js'

const HOST_LOCAL = String.raw`C:\k\cni\host-local.exe`
const STORE = String.raw`C:\var\lib\cni\networks\vxlan0`

function open(stored: Record<string, string>, exitCode = 0, stdout = '') {
  const calls: {args: readonly string[]; options: RunOptions; program: string}[] = []
  const run: Run = async (program, args, options) => {
    calls.push({args, options, program})
    return {durationMs: 1, exitCode, stderr: '', stdout}
  }

  const files = memoryFiles(
    Object.fromEntries(Object.entries(stored).map(([name, text]) => [`${STORE}\\${name}`, text])),
  )
  return {calls, ipam: openIpam(files, run, HOST_LOCAL)}
}

describe('find', () => {
  it.each(['kube-proxy\r\nsource-vip', 'kube-proxy\nsource-vip', 'kube-proxy\r\nsource-vip\r\n'])(
    'reads %o',
    async (text) => {
      const stored = {'10.244.3.2': text, '10.244.3.7': 'abcdef\r\neth0', 'last_reserved_ip.0': '10.244.3.7', lock: ''}
      expect(await open(stored).ipam.find('vxlan0')).toBe('10.244.3.2')
    },
  )

  it('reports also one of an older pod network', async () => {
    expect(await open({'10.244.9.2': 'kube-proxy\r\nsource-vip'}).ipam.find('vxlan0')).toBe('10.244.9.2')
  })

  it.each(['kube-proxy\r\neth0', 'kube-proxy', 'kube-proxy-2\r\nsource-vip', 'dummy\r\ndummy', ''])(
    'does not take %o for it',
    async (text) => {
      expect(await open({'10.244.3.2': text}).ipam.find('vxlan0')).toBeUndefined()
    },
  )

  it('finds nothing where there is no store, and runs nothing', async () => {
    const {calls, ipam} = open({})
    expect(await ipam.find('vxlan0')).toBeUndefined()
    expect(calls).toEqual([])
  })
})

describe('of another owner', () => {
  const dummy = {id: 'dummy', interface: 'dummy'}

  it('is found, and released by its words', async () => {
    const {calls, ipam} = open({'10.244.3.2': 'dummy\r\ndummy', '10.244.3.3': 'kube-proxy\r\nsource-vip'})
    expect(await ipam.find('vxlan0', dummy)).toBe('10.244.3.2')
    await ipam.release('vxlan0', '10.244.3.0/24', dummy)
    expect(calls[0]?.options.env).toMatchObject({CNI_COMMAND: 'DEL', CNI_CONTAINERID: 'dummy', CNI_IFNAME: 'dummy'})
  })
})

describe('reserve', () => {
  it('asks host-local for an address of the pod network', async () => {
    const answer =
      '{"cniVersion":"0.3.0","ips":[{"version":"4","address":"10.244.3.2/24","gateway":"10.244.3.1"}],"dns":{}}'
    const {calls, ipam} = open({}, 0, answer)
    expect(await ipam.reserve('vxlan0', '10.244.3.0/24')).toBe('10.244.3.2')
    expect(calls).toHaveLength(1)
    const [{args, options, program}] = calls as [(typeof calls)[0]]
    expect([program, args, options.effect]).toEqual([HOST_LOCAL, [], 'change'])
    expect(options.env).toEqual({
      CNI_COMMAND: 'ADD',
      CNI_CONTAINERID: 'kube-proxy',
      CNI_IFNAME: 'source-vip',
      CNI_NETNS: 'kube-proxy',
      CNI_PATH: String.raw`C:\k\cni`,
    })
    expect(JSON.parse(options.input ?? '')).toEqual({
      cniVersion: '0.3.0',
      ipam: {dataDir: '/var/lib/cni/networks', ranges: [[{subnet: '10.244.3.0/24'}]], type: 'host-local'},
      name: 'vxlan0',
    })
  })

  it.each([
    [
      'a duplicate',
      1,
      '{"code":999,"msg":"failed to allocate for range 0: 10.244.3.2 has been allocated to kube-proxy, duplicate allocation is not allowed"}',
      'duplicate allocation is not allowed',
    ],
    ['an answer without an address', 0, '{"cniVersion":"0.3.0","ips":[]}', '"ips":[]'],
    ['no answer', 0, '', 'said: nothing'],
    ['no JSON', 0, 'panic: x', 'panic: x'],
  ])('reports %s', async (_, exitCode, stdout, said) => {
    const error = await open({}, exitCode, stdout)
      .ipam.reserve('vxlan0', '10.244.3.0/24')
      .catch((error_: unknown) => error_)
    expect(error).toMatchObject({exitCode: 5, id: 'HOST_LOCAL_FAILED'})
    expect((error as {reason: string}).reason).toContain(said)
  })
})

it('release gives it back', async () => {
  const {calls, ipam} = open({})
  await ipam.release('vxlan0', '10.244.3.0/24')
  expect(calls[0]?.options.env).toMatchObject({CNI_COMMAND: 'DEL', CNI_CONTAINERID: 'kube-proxy'})
})
