// The HNS model: paths, answers, codes and what they do to the host.
import {beforeEach, describe, expect, it} from 'vitest'

import {recognise} from '../../../src/signatures/index.js'
import {hnsCall} from '../../../src/simulator/windows/hns.js'
import {createWin32} from '../../../src/simulator/windows/win32.js'
import type {TestStage} from '../stage.js'
import {makeStage} from '../stage.js'

interface Answer {
  /** The code of a refusal: a number in the answer, here as people write it. */
  code?: string
  Error?: string
  ErrorCode?: number
  Output?: Record<string, unknown>
  Success: boolean
}

let stage: TestStage
beforeEach(async () => void (stage = await makeStage()))

async function call(method: 'DELETE' | 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
  const {hresult, response} = await hnsCall(stage, method, path, body === undefined ? '' : JSON.stringify(body))
  const answer = JSON.parse(response) as Answer
  if (answer.ErrorCode === undefined) expect(hresult).toBe(0)
  // What was to be made has the code as its HRESULT, what was only looked for has none.
  else expect(hresult).toBe(method === 'POST' ? answer.ErrorCode | 0 : 0)
  return answer.ErrorCode === undefined ? answer : {...answer, code: `0x${answer.ErrorCode.toString(16)}`}
}

const SUBNET = {AddressPrefix: '10.244.3.0/24', GatewayAddress: '10.244.3.1', Policies: [{Type: 'VSID', VSID: 4096}]}
const OVERLAY = {Name: 'vxlan0', NetworkAdapterName: 'Ethernet0', Subnets: [SUBNET], Type: 'overlay'}
const make = async (body: object = OVERLAY): Promise<string> =>
  String((await call('POST', '/networks/', body)).Output?.['ID'])

describe('networks', () => {
  it('are made, listed, got and deleted', async () => {
    const id = await make()
    expect(id).toMatch(/^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/)
    expect((await call('GET', `/networks/${id.toLowerCase()}`)).Output).toMatchObject({
      ...OVERLAY,
      ID: id,
      ManagementIP: '10.0.0.5',
    })
    expect((await call('GET', '/networks/')).Output).toContainEqual(expect.objectContaining({Name: 'vxlan0'}))
    await stage.elapse(10_000)
    expect(await call('DELETE', `/networks/${id}`)).toEqual({Success: true})
    expect((await call('GET', `/networks/${id}`)).code).toBe('0x803b0001')
  })

  it.each([
    ['a name that exists', {...OVERLAY, NetworkAdapterName: undefined}, '0x803b0010'],
    ['an adapter that is not there', {...OVERLAY, Name: 'b', NetworkAdapterName: 'Ethernet7'}, '0x803b0006'],
    [
      'the adapter’s name under the switch',
      {...OVERLAY, Name: 'b', NetworkAdapterName: 'vEthernet (Ethernet0)'},
      '0x80070057',
    ],
    ['another type on the same adapter', {...OVERLAY, Name: 'b', Type: 'l2bridge'}, '0x803b0006'],
    ['a subnet without a gateway', {...OVERLAY, Name: 'b', Subnets: [{AddressPrefix: '10.1.0.0/24'}]}, '0x80070057'],
    ['no name', {...OVERLAY, Name: undefined}, '0x80070057'],
  ])('are refused with %s', async (_, body, code) => {
    await make()
    await stage.elapse(10_000)
    const answer = await call('POST', '/networks/', body)
    expect(answer).toMatchObject({Success: false})
    expect(answer.code).toBe(code)
  })

  it('need an adapter that is up and has an address', async () => {
    stage.world.adapters = stage.world.adapters.map((adapter) => ({...adapter, up: false}))
    expect((await call('POST', '/networks/', {...OVERLAY, NetworkAdapterName: undefined})).Error).toContain(
      'An adapter was not found.',
    )
  })

  it('share a switch: only the first cuts the connections', async () => {
    await make()
    await stage.elapse(10_000)
    const until = stage.world.os.offlineUntil
    await make({...OVERLAY, Name: 'second', NetworkAdapterName: undefined})
    expect(stage.world.os.offlineUntil).toBe(until)
    expect(stage.world.adapters.filter(({name}) => name === 'vEthernet (Ethernet0)')).toHaveLength(1)
  })

  it('of Docker’s kind leave the adapter alone', async () => {
    await make({Name: 'nat2', Subnets: [], Type: 'nat'})
    expect(stage.world.os.offlineUntil).toBe(0)
    expect(stage.world.adapters.map(({name}) => name)).toContain('Ethernet0')
  })

  it('give the adapter back with the last one', async () => {
    const before = structuredClone(stage.world.adapters)
    const routes = structuredClone(stage.world.routes)
    const id = await make()
    await stage.elapse(10_000)
    await call('DELETE', `/networks/${id}`)
    expect(stage.world.os.offlineUntil).toBeGreaterThan(stage.now())
    await stage.elapse(10_000)
    expect(stage.world.adapters).toEqual(before)
    expect(stage.world.routes).toEqual(expect.arrayContaining(routes))
    expect(stage.world.routes).toHaveLength(routes.length)
  })

  it('keep everything when one is made and deleted without waiting', async () => {
    const before = structuredClone(stage.world.adapters)
    const id = await make()
    await call('DELETE', `/networks/${id}`)
    await stage.elapse(10_000)
    expect(stage.world.adapters).toEqual(before)
  })

  it('that are not persistent go with a restart of the service', async () => {
    const win32 = createWin32(stage)
    await make({...OVERLAY, Flags: 8})
    await make({...OVERLAY, Name: 'kept', NetworkAdapterName: undefined})
    await stage.elapse(10_000)
    await win32.stopService('hns')
    await stage.elapse(2000)
    expect((await hnsCall(stage, 'GET', '/networks/', '')).hresult).toBe(0x80070426 | 0)
    await win32.startService('hns')
    await stage.elapse(1000)
    const names = stage.world.hns.networks.map(({Name}) => Name)
    expect(names).toContain('kept')
    expect(names).not.toContain('vxlan0')
  })
})

describe('endpoints and policy lists', () => {
  it('review V8: hold their network until they are gone, with the code for references', async () => {
    const network = await make()
    const endpoint = String(
      (await call('POST', '/endpoints/', {IPAddress: '10.244.3.9', VirtualNetwork: network})).Output?.['ID'],
    )
    const list = String(
      (await call('POST', '/policylists/', {Policies: [{Type: 'ELB'}], References: [`/endpoints/${endpoint}`]}))
        .Output?.['ID'],
    )
    expect((await call('GET', '/portpools')).Output).toHaveLength(1)
    // review V8: HCN_E_ENTITY_HAS_REFERENCES, which is not HCN_E_SHARED_SWITCH_MODIFICATION (0x803b0018).
    const refused = await call('DELETE', `/networks/${network}`)
    expect(refused).toMatchObject({code: '0x803b002c', Success: false})
    expect(recognise(`HNS refused it (code ${refused.code ?? ''})`, 'hns')?.id).toBe('hns-has-references')
    expect(await call('DELETE', `/policylists/${list}`)).toEqual({Success: true})
    expect(await call('GET', '/portpools')).toEqual({Success: true})
    expect(await call('DELETE', `/endpoints/${endpoint}`)).toEqual({Success: true})
    expect(await call('DELETE', `/networks/${network}`)).toEqual({Success: true})
  })

  it('are refused outside the subnet, twice, or without what they refer to', async () => {
    const network = await make()
    expect((await call('POST', '/endpoints/', {IPAddress: '10.9.9.9', VirtualNetwork: network})).code).toBe(
      '0x803b001e',
    )
    expect(
      (await call('POST', '/endpoints/', {IPAddress: '10.9.9.9', IsRemoteEndpoint: true, VirtualNetwork: network}))
        .Success,
    ).toBe(true)
    expect(
      (await call('POST', '/endpoints/', {IPAddress: '10.9.9.9', IsRemoteEndpoint: true, VirtualNetwork: network}))
        .Success,
    ).toBe(false)
    expect((await call('POST', '/endpoints/', {VirtualNetwork: 'none'})).code).toBe('0x803b0001')
    expect((await call('POST', '/policylists/', {References: ['/endpoints/none']})).code).toBe('0x803b0002')
    expect((await call('DELETE', '/policylists/none')).code).toBe('0x803b0008')
    expect((await call('DELETE', '/endpoints/none')).code).toBe('0x803b0002')
  })
})

it('answers versions and activities, and an empty list without Output', async () => {
  expect((await call('GET', '/globals/version')).Output).toEqual(stage.world.hns.version)
  expect(await call('GET', '/activities/')).toEqual({Success: true})
  expect(await call('GET', '/policylists/')).toEqual({Success: true})
})

it('gives an HRESULT to what it does not know, and to who may not ask', async () => {
  expect(await hnsCall(stage, 'GET', '/nonsense/', '')).toEqual({hresult: 0x80070057 | 0, response: ''})
  expect((await call('POST', '/networks/', undefined)).code).toBe('0x803b001b')
  expect(JSON.parse((await hnsCall(stage, 'POST', '/networks/', '{')).response)).toMatchObject({Success: false})
  stage.world.os.administrator = false
  expect((await hnsCall(stage, 'GET', '/networks/', '')).hresult).toBe(0x80070005 | 0)
})
