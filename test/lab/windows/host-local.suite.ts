// The real host-local.exe: our IPAM on it, and the simulator's host-local beside it, letter by letter.
import assert from 'node:assert/strict'
import {copyFile, mkdir, rm} from 'node:fs/promises'
import path from 'node:path'
import {beforeEach, describe, test} from 'node:test'
import {hostLocalOf, IPAM_STORE, layoutOf, ownContainerd} from '../../../src/config/layout.js'
import {openIpam} from '../../../src/host/ipam.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {Run} from '../../../src/machine/run.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import type {StepContext} from '../../../src/pipeline/run/step.js'
import {sourceVip} from '../../../src/steps/source-vip.js'
import {type Call, SCENARIOS} from '../host-local/scenarios.js'
import {realHostLocal, simulatedHostLocal, storeOf} from '../host-local/side-by-side.js'
import {TOOLS} from './windows-host.js'
import {removeStep} from '../../../src/pipeline/owned/kinds.js'

const machine = openRealMachine()
const program = path.win32.join(TOOLS ?? 'C:\\', 'host-local.exe')
const skip = TOOLS === undefined && 'needs host-local.exe, built in the lab'
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const VIP = 'kube-proxy\r\nsource-vip'

describe("kube-proxy's source address", {skip}, () => {
  const store = path.win32.join(IPAM_STORE, 'vxlan0')
  const calls: string[] = []
  const ipam = openIpam(
    machine.files,
    (called, args, options) => {
      calls.push(options.env?.CNI_COMMAND ?? '')
      return machine.run(called, args, options)
    },
    program,
  )
  beforeEach(async () => {
    calls.length = 0
    await rm(IPAM_STORE, {force: true, recursive: true})
  })

  test('is reserved, found again, and released', async () => {
    assert.equal(await ipam.find('vxlan0'), undefined)
    assert.equal(await ipam.reserve('vxlan0', '10.244.3.0/24'), '10.244.3.2')
    assert.deepEqual(await storeOf(machine.files, store), {
      '10.244.3.2': VIP,
      'last_reserved_ip.0': '10.244.3.2',
      lock: '',
    })
    assert.equal(await ipam.find('vxlan0'), '10.244.3.2')
    assert.deepEqual(calls, ['ADD'], 'to look for it asks nobody')
    await ipam.release('vxlan0', '10.244.3.0/24')
    assert.equal(await ipam.find('vxlan0'), undefined)
    await ipam.release('vxlan0', '10.244.3.0/24')
  })

  test('is not given twice: what its owner has is released before', async () => {
    await ipam.reserve('vxlan0', '10.244.3.0/24')
    assert.equal(await ipam.reserve('vxlan0', '10.244.3.0/24'), '10.244.3.3', 'host-local goes round its network')
    assert.equal(await ipam.find('vxlan0'), '10.244.3.3')
    assert.equal((await machine.files.list(store)).includes('10.244.3.2'), false)
  })

  test('is reserved anew in a new pod network', async () => {
    await ipam.reserve('vxlan0', '10.244.3.0/24')
    await ipam.release('vxlan0', '10.244.7.0/24')
    assert.equal(await ipam.find('vxlan0'), undefined, 'it is released by its owner, whatever the network is now')
    assert.equal(await ipam.reserve('vxlan0', '10.244.7.0/24'), '10.244.7.2')
    assert.equal(await ipam.find('vxlan0'), '10.244.7.2')
  })

  test('is reported where a network has no more', async () => {
    await mkdir(store, {recursive: true})
    await machine.files.write(path.win32.join(store, '10.244.3.2'), 'a pod\r\neth0')
    await assert.rejects(ipam.reserve('vxlan0', '10.244.3.0/30'), (error: {reason: string}) => {
      assert.match(error.reason, /no IP addresses available in range set: 10\.244\.3\.1-10\.244\.3\.2/)
      return true
    })
  })
})

describe('the step', {skip}, () => {
  const baseDir = 'C:\\lab\\k ü'
  const calls: string[] = []

  async function open(subnet: string): Promise<StepContext> {
    const hostLocal = hostLocalOf(layoutOf(baseDir))
    await mkdir(path.win32.dirname(hostLocal), {recursive: true})
    await copyFile(program, hostLocal)
    const run: Run = (called, args, options) => {
      calls.push(options.env?.CNI_COMMAND ?? '')
      return machine.run(called, args, options)
    }
    const host = {
      files: machine.files,
      hns: {network: async () => ({Subnets: [{AddressPrefix: subnet}]})},
      ipam: openIpam(machine.files, run, hostLocal),
      // Wine keeps no access lists; they are with the security suite and the whole node.
      security: {
        of: async () => CLOSED,
        survey: async (places: readonly {path: string}[]) => places.map(({path: at}) => ({path: at, sddl: CLOSED})),
      },
      trust: {demand: async () => true},
    }
    const journal = await openJournal(machine.files, layoutOf(baseDir).journal, () => machine.clock.now())
    return {
      changed: () => undefined,
      config: {baseDir, containerd: ownContainerd(baseDir)},
      host,
      journal,
    } as unknown as StepContext
  }

  test('looks before it asks, moves with the pod network, and leaves nothing', async () => {
    for (const folder of [baseDir, 'C:\\var']) await rm(folder, {force: true, recursive: true})
    const first = await open('10.244.3.0/24')
    assert.equal((await sourceVip.inspect(first)).state, 'missing')
    await sourceVip.apply(first)
    await sourceVip.apply(first)
    assert.equal((await sourceVip.inspect(first)).state, 'in-place')
    assert.deepEqual(calls, ['ADD'])

    const moved = await open('10.244.7.0/24')
    assert.equal((await sourceVip.inspect(moved)).state, 'drifted')
    await sourceVip.apply(moved)
    assert.deepEqual((await sourceVip.inspect(moved)).evidence, ['10.244.7.2 is reserved for kube-proxy'])
    assert.deepEqual(calls, ['ADD', 'DEL', 'ADD'])

    await removeStep(sourceVip, moved)
    assert.equal(await machine.files.status('C:\\var'), undefined)
  })
})

describe('the simulated host-local is the real one', {skip}, () => {
  const folder = 'C:\\lab\\ipam'
  const [real, simulated] = [
    realHostLocal(machine, program, path.win32.join(folder, 'real')),
    simulatedHostLocal(machine.files, path.win32.join(folder, 'simulated')),
  ]
  beforeEach(() => rm(folder, {force: true, recursive: true}))

  for (const {before = {}, calls, name} of SCENARIOS) {
    test(name, async () => {
      for (const side of [real, simulated]) await side.prepare(before)
      for (const [index, call] of calls.entries()) {
        const where = `call ${index + 1}: ${titleOf(call)}`
        const [expected, answered] = [await real.call(call), await simulated.call(call)]
        assert.deepEqual(answered, expected, where)
        assert.deepEqual(await simulated.store(), await real.store(), `the store after ${where}`)
      }
    })
  }
})

function titleOf({command, env = {}}: Call): string {
  return `${command ?? 'nothing'} ${JSON.stringify(env)}`
}
