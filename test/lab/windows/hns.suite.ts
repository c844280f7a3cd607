// HNS through a real DLL, called by koffi as on Windows: the simulator's model behind it, or a server that misbehaves.
import assert from 'node:assert/strict'
import {after, describe, test} from 'node:test'
import {openHost} from '../../../src/host/host.js'
import type {Assets} from '../../../src/machine/machine.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {hnsCall} from '../../../src/simulator/windows/hns.js'
import {makeStage} from '../../simulator/fresh-model.js'
import {putDll} from '../hns/dll.js'
import {OVERLAY, tellStory} from '../hns/story.js'
import {type AnswerHns, type HnsServer, mixedCases, serveHns, simulatedHns} from '../world/hns-pipe.js'
import {IS_WINE, PROGRAMS, runCli} from './windows-host.js'

const endpointOn = (network: string): object => ({IPAddress: '10.244.3.2', VirtualNetwork: network})
const machine = openRealMachine()
const {win32} = machine
const host = openHost(machine, {assets: {} as Assets, baseDir: 'C:\\k', dockerPipe: ''})
const NETWORKS = ['GET', '/networks/', ''] as const
const E_SERVICE_NOT_STARTED = 0x80_07_04_26 | 0
const RPC_S_CALL_FAILED = 0x80_07_06_be | 0

describe("this host's own HNS", {skip: IS_WINE && 'Wine has none'}, () => {
  test('reports its version and its networks', async (context) => {
    if ((await machine.files.status(String.raw`C:\Windows\System32\vmcompute.dll`)) === undefined) {
      await assert.rejects(host.hns.version(), {id: 'CONTAINERS_MISSING'})
      return context.skip('the feature Containers is not installed')
    }
    const {Major, Minor} = await host.hns.version()
    context.diagnostic(`HNS ${Major}.${Minor}`)
    assert.equal(await host.hns.network('k8s-win: a name nobody has'), undefined)
  })
})

describe('HNS through the DLL', {skip: !IS_WINE && "a real Windows' vmcompute.dll is not replaced"}, () => {
  let server: HnsServer | undefined
  const serve = async (answer: AnswerHns) => {
    await server?.close()
    server = await serveHns(answer)
  }
  const always = (hresult: number, response: string | undefined) => serve(async () => ({hresult, response}))
  after(() => server?.close())

  // The order matters: a library that was loaded once stays loaded.
  test('no DLL is the missing feature', async () => {
    await assert.rejects(win32.hnsCall(...NETWORKS), {call: 'LoadLibrary', code: 126})
    await assert.rejects(host.hns.network('vxlan0'), {exitCode: 3, id: 'CONTAINERS_MISSING'})
  })

  // HNS is asked only where its service runs.
  test('a DLL without HNSCall is not asked', async () => {
    await putDll(PROGRAMS!, 'com-memory.dll')
    const {stdout} = await runCli(['setup', '-BaseDir', 'C:\\lab', '--json'])
    const {checks} = JSON.parse(stdout) as RunResultDocument
    assert.equal(checks.find(({id}) => id === 'networks')?.result, 'not-checked')
  })

  test('a DLL that came meanwhile is found; without HNS behind it the service is not started', async () => {
    await putDll(PROGRAMS!)
    assert.deepEqual(await win32.hnsCall(...NETWORKS), {hresult: E_SERVICE_NOT_STARTED, response: ''})
    await assert.rejects(host.hns.network('vxlan0'), {
      id: 'HNS_REFUSED',
      reason: 'The Host Networking Service said: nothing (code 0x80070426).',
    })
  })

  test('the model answers through the DLL as it does directly', async () => {
    const [direct, behind] = [makeStage(), makeStage()]
    await serve(simulatedHns(behind))
    const expected = await tellStory((...request) => hnsCall(direct, ...request), direct)
    assert.deepEqual(await tellStory(win32.hnsCall, behind), expected)
    assert.deepEqual(behind.world.hns, direct.world.hns)
    // Success, refusals with and without HRESULT, failures without an answer: all were among them.
    assert.equal(new Set(expected.map(({reply: {hresult, response}}) => `${hresult < 0} ${response === ''}`)).size, 3)
  })

  test('a network is made, found, and removed with what is on it', async () => {
    const stage = makeStage()
    await serve(simulatedHns(stage))
    await host.hns.createNetwork(OVERLAY)
    const network = await host.hns.network('vxlan0')
    assert.equal(network?.Subnets?.[0]?.AddressPrefix, '10.244.3.0/24')
    await assert.rejects(host.hns.createNetwork(OVERLAY), {
      id: 'HNS_REFUSED',
      reason: 'The Host Networking Service said: A network with this name already exists. (code 0x803b0010).',
    })
    const others = stage.world.hns.networks.length - 1
    const made = await win32.hnsCall('POST', '/endpoints/', JSON.stringify(endpointOn(network.ID)))
    const endpoint = (JSON.parse(made.response) as {Output: {ID: string}}).Output.ID
    await win32.hnsCall('POST', '/policylists/', JSON.stringify({References: [`/endpoints/${endpoint}`]}))
    await host.hns.removeNetwork(network.ID)
    assert.equal(await host.hns.network('vxlan0'), undefined)
    const {endpoints, networks, policyLists} = stage.world.hns
    assert.deepEqual([networks.length, endpoints, policyLists], [others, [], []])
    assert.deepEqual(await host.hns.version(), stage.world.hns.version)
  })

  test('review N2: a network goes with what is on it, in whichever letters HNS writes an ID', async () => {
    const stage = makeStage()
    await serve(mixedCases(simulatedHns(stage)))
    await host.hns.createNetwork(OVERLAY)
    const network = await host.hns.network('vxlan0')
    const made = await win32.hnsCall('POST', '/endpoints/', JSON.stringify(endpointOn(network!.ID)))
    const {ID, VirtualNetwork} = (JSON.parse(made.response) as {Output: {ID: string; VirtualNetwork: string}}).Output
    assert.notEqual(VirtualNetwork, network!.ID)
    await win32.hnsCall('POST', '/policylists/', JSON.stringify({References: [`/endpoints/${ID}`]}))
    assert.equal(await host.hns.removeNetwork(network!.ID.toLowerCase()), 1)
    const {endpoints, networks, policyLists} = stage.world.hns
    assert.deepEqual([networks.some(({Name}) => Name === 'vxlan0'), endpoints, policyLists], [false, [], []])
  })

  test('failures of every kind are reported, and HNS that goes away in the middle', async () => {
    for (const [hresult, response, reason] of [
      [0, '{"Success":false,"Error":"Ein Adapter fehlt. "}', /said: Ein Adapter fehlt\. \(code none\)/],
      [0x80_3b_00_06, '{"Success":false,"Error":"No. ","ErrorCode":5}', /said: No\. \(code 0x803b0006\)/],
      [0x80_07_00_05, undefined, /said: nothing \(code 0x80070005\)/],
      [0, undefined, /said: nothing \(code none\)/],
      [0, '', /said: nothing \(code none\)/],
    ] as const) {
      await always(hresult, response)
      assert.deepEqual(await win32.hnsCall(...NETWORKS), {hresult: hresult | 0, response: response ?? ''})
      await assert.rejects(host.hns.network('vxlan0'), {id: 'HNS_REFUSED', reason})
    }
    await serve(async () => {
      void server!.close()
      return new Promise(() => undefined)
    })
    assert.deepEqual(await win32.hnsCall(...NETWORKS), {hresult: RPC_S_CALL_FAILED, response: ''})
  })

  test('calls at once are kept apart', async () => {
    await serve(async (_method, path, request) => ({hresult: 0, response: `${path} ${request}`}))
    const calls = Array.from({length: 200}, (_, call) => win32.hnsCall('POST', `/${call}`, 'x'.repeat(call * 50)))
    for (const [call, {response}] of (await Promise.all(calls)).entries()) {
      assert.equal(response, `/${call} ${'x'.repeat(call * 50)}`)
    }
  })
})
