// host-local.exe: the CNI protocol, its store on disk, and its errors.
import fc from 'fast-check'
import {beforeEach, describe, expect, it} from 'vitest'

import type {RunResult} from '../../../src/machine/run.js'
import {runProgram} from '../../../src/simulator/programs/index.js'
import type {TestStage} from '../stage.js'
import {install, makeStage} from '../stage.js'

const PROGRAM = String.raw`C:\odd folder\ipam.exe`
const STORE = String.raw`C:\var\lib\cni\networks\vxlan0`
let stage: TestStage

beforeEach(async () => {
  stage = await makeStage()
  await install(stage, PROGRAM, 'host-local', 'v1.9.1')
})

const config = (subnet = '10.244.3.0/24', cniVersion = '0.3.0') => ({
  cniVersion,
  ipam: {dataDir: '/var/lib/cni/networks', ranges: [[{subnet}]], type: 'host-local'},
  name: 'vxlan0',
})

function cni(
  command: string,
  input: unknown = config(),
  env: Record<string, string> = {},
  on = stage,
): Promise<RunResult> {
  return runProgram(on, PROGRAM, [], {
    deadlineMs: 1000,
    effect: 'change',
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: 'kube-proxy',
      CNI_IFNAME: 'source-vip',
      CNI_NETNS: 'none',
      CNI_PATH: 'C:\\k\\cni',
      ...env,
    },
    input: typeof input === 'string' ? input : JSON.stringify(input),
  })
}

const errorOf = async (result: Promise<RunResult>): Promise<{code: number; msg: string}> => {
  const {exitCode, stdout} = await result
  expect(exitCode).toBe(1)
  return JSON.parse(stdout) as {code: number; msg: string}
}

describe('ADD', () => {
  it('gives .2 first, as .1 is the gateway, and keeps it in a file', async () => {
    const {exitCode, stdout} = await cni('ADD')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      cniVersion: '0.3.0',
      dns: {},
      ips: [{address: '10.244.3.2/24', gateway: '10.244.3.1', version: '4'}],
    })
    expect(await stage.text(`${STORE}\\10.244.3.2`)).toBe('kube-proxy\r\nsource-vip')
    expect(await stage.text(`${STORE}\\last_reserved_ip.0`)).toBe('10.244.3.2')
    expect(await stage.files.list(STORE)).toEqual(['10.244.3.2', 'last_reserved_ip.0', 'lock'])
  })

  it('refuses the same container twice', async () => {
    await cni('ADD')
    expect(await errorOf(cni('ADD'))).toEqual({
      code: 999,
      msg: 'failed to allocate for range 0: 10.244.3.2 has been allocated to kube-proxy, duplicate allocation is not allowed',
    })
    expect(await stage.files.list(STORE)).toHaveLength(3)
  })

  it('speaks the version of the configuration', async () => {
    expect(JSON.parse((await cni('ADD', config(undefined, '1.0.0'))).stdout)).toEqual({
      cniVersion: '1.0.0',
      dns: {},
      ips: [{address: '10.244.3.2/24', gateway: '10.244.3.1'}],
    })
  })

  it.each(['0.2.0', '0.1.0', ''])('has the result of the first versions for %j', async (version) => {
    expect(JSON.parse((await cni('ADD', config(undefined, version))).stdout)).toEqual({
      cniVersion: version || '0.1.0',
      dns: {},
      ip4: {gateway: '10.244.3.1', ip: '10.244.3.2/24'},
    })
  })

  it('goes round: what was released comes last', async () => {
    for (const id of ['a', 'b']) await cni('ADD', config('10.0.0.0/29'), {CNI_CONTAINERID: id})
    await cni('DEL', config('10.0.0.0/29'), {CNI_CONTAINERID: 'a'})
    expect((await cni('ADD', config('10.0.0.0/29'), {CNI_CONTAINERID: 'c'})).stdout).toContain('10.0.0.4/29')
  })

  it.each([
    ['no JSON', '{', 6, 'error unmarshall network config'],
    ['null', 'null', 7, 'missing network name'],
    ['no ipam', {cniVersion: '0.3.0', name: 'x'}, 999, "IPAM config missing 'ipam' key"],
    ['no ranges', {cniVersion: '0.3.0', ipam: {}, name: 'x'}, 999, 'no IP ranges specified'],
    ['a subnet that is none', config('10.244.3/24'), 999, 'invalid CIDR address: 10.244.3/24'],
    ['a subnet that is too small', config('10.244.3.0/31'), 999, 'too small to allocate from'],
    ['an unknown version', config(undefined, '9.9.9'), 1, 'incompatible CNI versions'],
  ])('refuses %s', async (_, input, code, text) => {
    const error = await errorOf(cni('ADD', input))
    expect(error.code).toBe(code)
    expect(error.msg).toContain(text)
  })

  it('needs its environment', async () => {
    expect(await errorOf(cni('ADD', config(), {CNI_CONTAINERID: '', CNI_IFNAME: ''}))).toEqual({
      code: 4,
      msg: 'required env variables [CNI_CONTAINERID,CNI_IFNAME] missing',
    })
    expect((await errorOf(cni('GO'))).msg).toBe('unknown CNI_COMMAND: GO')
  })

  it('never gives the gateway, the first, the last, or one address twice, until there are no more', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({max: 29, min: 26}), async (bits) => {
        const fresh = await makeStage()
        await install(fresh, PROGRAM, 'host-local', 'v1.9.1')
        const room = 2 ** (32 - bits) - 3
        const given = new Set<string>()
        for (let index = 0; index < room; index++) {
          const {stdout} = await cni('ADD', config(`10.1.0.0/${bits}`), {CNI_CONTAINERID: `c${index}`}, fresh)
          given.add((JSON.parse(stdout) as {ips: {address: string}[]}).ips[0]?.address ?? '')
        }

        expect(given.size).toBe(room)
        for (const last of [0, 1, 2 ** (32 - bits) - 1]) expect(given).not.toContain(`10.1.0.${last}/${bits}`)
        const error = await errorOf(cni('ADD', config(`10.1.0.0/${bits}`), {CNI_CONTAINERID: 'more'}, fresh))
        expect(error.msg).toContain('no IP addresses available in range set')
      }),
      {numRuns: 4},
    )
  })
})

it('DEL removes what ADD made, and may be repeated', async () => {
  await cni('ADD')
  expect((await cni('DEL')).exitCode).toBe(0)
  expect((await cni('DEL')).exitCode).toBe(0)
  expect(await stage.files.list(STORE)).toEqual(['last_reserved_ip.0', 'lock'])
})
