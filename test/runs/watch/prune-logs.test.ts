import {beforeEach, describe, expect, it} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {ADMINISTRATORS_ONLY} from '../../../src/host/security/security.js'
import type {Machine} from '../../../src/machine/machine.js'
import {openPruning, pruneLogs} from '../../../src/runs/watch/prune-logs.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'
import {state} from './state.js'

const DAY = 24 * 3_600_000
const config = setupConfig()
const {logs} = layoutOf(config.baseDir)

let machine: Machine

beforeEach(async () => {
  machine = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2019'})
})

/** Its size and its age are what they are said to be. */
function withStatus(found: Readonly<Record<string, {readonly days?: number; readonly size?: number}>>): Machine {
  const {files} = machine
  return {
    ...machine,
    files: {
      ...files,
      async status(path) {
        const status = await files.status(path)
        const {days = 0, size = 10} = found[path.slice(path.lastIndexOf('\\') + 1)] ?? {}
        return status?.kind === 'file' ? {...status, modifiedMs: machine.clock.now() - days * DAY, size} : status
      },
    },
  }
}

async function pruned(
  folder: string,
  found: Readonly<Record<string, {readonly days?: number; readonly size?: number}>>,
): Promise<string[]> {
  await machine.files.makeDirectory(`${logs}\\${folder}`, {security: ADMINISTRATORS_ONLY})
  for (const name of Object.keys(found)) await machine.files.write(`${logs}\\${folder}\\${name}`, 'x')
  await pruneLogs(withStatus(found), config)
  const left = await machine.files.list(`${logs}\\${folder}`)
  return Object.keys(found).filter((name) => !left.includes(name))
}

const two = (number: number): string => String(number).padStart(2, '0')
const klog = (days: number, severity = 'INFO'): string =>
  `kubelet.exe.WIN-1.SYSTEM.log.${severity}.202601${two(99 - days)}-000000.${1000 + days}`
const runLog = (days: number, end = 'log'): string => `setup-2026-01-${two(99 - days)}T00-00-00-000Z.${end}`

describe('pruned are', () => {
  it('files that are older than 30 days, five of a sort aside', async () => {
    const found = Object.fromEntries([0, 10, 20, 31, 40, 50, 60].map((days) => [klog(days), {days}]))
    expect(await pruned('kubelet', found)).toEqual([klog(50), klog(60)])
  })

  it('files of a sort beyond the fiftieth', async () => {
    const found = Object.fromEntries(Array.from({length: 52}, (_, index) => [klog(index), {days: index / 100}]))
    expect(await pruned('kubelet', found)).toEqual([klog(50), klog(51)])
  })

  it('the oldest of a folder that is too large, and never the newest of a sort', async () => {
    const found = {
      [klog(0)]: {days: 0, size: 2 ** 28},
      [klog(1)]: {days: 1, size: 2 ** 28},
      [klog(2)]: {days: 2, size: 2 ** 28},
      [klog(3, 'ERROR')]: {days: 3, size: 2 ** 28},
    }
    expect(await pruned('kubelet', found)).toEqual([klog(2)])
  })

  it('logs, traces and pages of old runs', async () => {
    const ages = [0, 31, 32, 33, 34, 35]
    const found = Object.fromEntries(
      ages.flatMap((days) => ['log', 'log.trace', 'html'].map((end) => [runLog(days, end), {days}])),
    )
    expect(await pruned('k8s-win', found)).toEqual([runLog(35), runLog(35, 'log.trace'), runLog(35, 'html')])
  })
})

describe('what stays is', () => {
  const OLD = {days: 400, size: 2 ** 30}

  it('a log in use, however large', async () => {
    const found = {'kubelet.log': OLD, 'kubelet-20250101-000000.log': OLD}
    expect(await pruned('kubelet', found)).toEqual([])
    expect(await pruned('flanneld', {'shawl_for_flanneld_rCURRENT.log': OLD})).toEqual([])
  })

  it('a file whose name k8s-win and the daemons do not write', async () => {
    const names = ['notes 1.txt', 'notes 2.txt', 'my.log', 'kubelet-1.log', 'kubelet-2.log']
    expect(await pruned('kubelet', Object.fromEntries(names.map((name) => [name, OLD])))).toEqual([])
  })

  it('everything in a folder that others can write to', async () => {
    const folder = `${logs}\\kubelet`
    await machine.files.makeDirectory(folder)
    await machine.win32.setSecurity(folder, 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;BU)')
    const found = Object.fromEntries(Array.from({length: 60}, (_, index) => [klog(index), {days: index / 100}]))
    expect(await pruned('kubelet', found)).toEqual([])
  })
})

it('review L3-6: is done an hour after the start and then once a day, however the clock is set, and not while watch stands aside', async () => {
  let lists = 0
  const files = {...machine.files, list: () => Promise.resolve((lists++, [] as string[]))}
  let [elapsed, set] = [0, 0]
  const clock = {...machine.clock, elapsed: () => elapsed, now: () => machine.clock.now() + elapsed + set}
  const prune = openPruning({...machine, clock, files})
  const HOURS = [0, 0.9, 1, 2, 24, 25, 48, 49, 50]
  const seen: number[] = []
  for (const hours of HOURS) {
    const aside = hours === 49 ? {isBusy: true} : {detail: 'paused until …'}
    elapsed = hours * 3_600_000
    set = (hours % 2) * 3_600_000
    await prune(config, state({at: clock.now(), ...aside}))
    seen.push(lists > 0 ? 1 : 0)
    lists = 0
  }
  expect(seen).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1])
})
