// What a launcher gets to read of whole runs, without a terminal: ASCII, no colours, a line at least every 30 seconds, and
// the verdict in the last lines, also where only the last 4,096 bytes are kept.
import {describe, expect, it, onTestFinished} from 'vitest'
import {LAUNCHERS} from '../../src/config/launchers.js'
import {takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {k8sWinProcess} from '../cli/program.js'
import type {Fault} from '../fakes/faulty.js'
import {HttpError} from '../../src/machine/http.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {pendRestart} from '../fixtures/restart-due.js'
import {sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {DOWNLOADS_FAIL, type Launched, launch, type Launching, PROFILE} from './launched.js'

const KEPT = 4096
/** Of the one line that Azure shows. */
const SHORT = 240
const SILENCE_MS = 30_000
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?: |$)/
const BASE_DIR = 'C:\\K\u00FCber \u96C6\u7FA4'

/** The switch interrupts the network for minutes: nothing is to be reported meanwhile. */
const slow = ({os}: World): void => void (os.vswitch = {offlineMs: 110_000})

/** With a text that is neither plain nor short. */
const unreachable: Fault = {
  ...DOWNLOADS_FAIL,
  does: new HttpError('https://dl.k8s.io/', 'ECONNRESET', '\u001B[31mK\u00FCber\u001B[0m '.repeat(200)),
}

function expectPlain({output, result: {exitCode, launcher}}: Launched): string[] {
  expect(output).toMatch(/^[\n\x20-\x7E]+$/)
  const lines = output.trimEnd().split('\n')
  const short = launcher?.name === 'azure-cse' ? lines.slice(-1) : []
  for (const line of short) expect(line.length).toBeLessThanOrEqual(SHORT)
  const timed = lines.slice(0, lines.length - short.length)
  // What is wrong with the command line is told before anything begins.
  const isTimed = exitCode !== 2 || launcher !== undefined
  for (const line of timed) expect(TIME.test(line), line).toBe(isTimed)

  return timed
}

const VERDICTS: Readonly<Partial<Record<Launched['result']['outcome'], RegExp>>> = {
  failed: /(?:^| )setup failed .*with exit code \d/,
  interrupted: / setup interrupted /,
  'restart-required': / setup: exit code 10, RESTART_REQUIRED; /,
}

const timesOf = (lines: readonly string[]): number[] => lines.map((line) => Date.parse(line.split(' ')[0] ?? ''))

describe.each(sample(LAUNCHERS, 2))('under %s', (launcher) => {
  const run = async (change: ((world: World) => void) | undefined, launching: Launching): Promise<Launched> => {
    const host = await HostFolder.fresh(change, PROFILE)
    return launch(host, {...launching, launcher})
  }

  it('a run that succeeds', async () => {
    const verbose = launcher === 'azure-cse'
    const given = {'base-dir': BASE_DIR, kubeconfig: String.raw`C:\k\kubeconfig`}
    const launched = await run(slow, {given, verbose})
    expect(launched.code).toBe(0)
    const lines = expectPlain(launched)
    expect(launched.output).toContain(String.raw`C:\K\u00fcber`)
    expect(lines.at(-1)).toMatch(/ setup done in /)
    const times = timesOf(lines)
    for (const [nth, time] of times.entries())
      expect(time - (times[nth - 1] ?? time), lines[nth]).toBeLessThanOrEqual(SILENCE_MS)
    expect(lines.filter((line) => line.includes(' still at ')).length).toBeGreaterThan(1)
  })

  it.each([
    ['fails', undefined, {faults: [unreachable]}, 'DOWNLOAD_FAILED'],
    ['does not qualify, for many reasons', unfit, {}, 'NODE_NAME_INVALID'],
    ['requires a restart', pendRestart, {}, 'RESTART_REQUIRED'],
    ['is interrupted', undefined, {signal: AbortSignal.abort(new InterruptedError())}, 'INTERRUPTED'],
    ['is not valid', undefined, {given: {'cluster-cidr': 'x'}}, 'BAD_VALUE'],
  ])('a run that %s', async (_, change, launching, id) => {
    const launched = await run(change, launching)
    const {error, exitCode, outcome} = launched.result
    expect(error?.id).toBe(id)
    if (change === unfit) expect(launched.result.errors?.length).toBeGreaterThan(1)
    const lines = expectPlain(launched)
    const kept = launched.output.slice(-KEPT)
    for (const part of [id, 'Cause: ', 'Fix: ']) expect(kept).toContain(part)
    expect(lines.at(-1)).toMatch(VERDICTS[outcome] ?? /never/)
    if (launcher !== 'azure-cse') return
    expect(launched.output.trimEnd().split('\n').at(-1)).toContain(`setup ${outcome} (${exitCode}): ${id}. `)
  })
})

describe('under azure-cse the one line', () => {
  const launcher = 'azure-cse'

  it('of a run that another one keeps from beginning', async () => {
    const host = await HostFolder.fresh(undefined, PROFILE)
    const other = await openSimulator({dir: host.dir, profile: PROFILE})
    const lock = await takeLock(other, String.raw`C:\k\k8s-win\lock.json`)
    onTestFinished(() => lock.release())
    const launched = await launch(host, {launcher})
    expectPlain(launched)
    expect(launched.output.trimEnd().split('\n').at(-1)).toMatch(/^setup failed \(11\): LOCK_HELD\. \w/)
  })

  it('of a restart too many', async () => {
    const host = await HostFolder.fresh(pendRestart, PROFILE)
    const given = {'allow-restart': true}
    const again = (): Promise<Launched> => {
      host.edit(({os}) => void delete os.restarting)
      return launch(host, {given, launcher})
    }
    for (const nth of [1, 2, 3]) {
      const {output} = await again()
      expect(output).toContain(`(restart ${nth} of 3)`)
    }
    const launched = await again()
    expectPlain(launched)
    expect(launched.output.trimEnd().split('\n').at(-1)).toMatch(/^setup failed \(5\): RESTART_LOOP\. \w/)
  })
})

function unfit({cluster, os}: World): void {
  os.computerName = 'WIN_1'
  cluster.clockAheadMs = 6 * 365 * 24 * 3_600_000
}

it('the process itself writes no colours into a pipe, whatever the environment says', async () => {
  const memory = await HostFolder.fresh(unfit, PROFILE)
  const host = memory.onDisk()
  onTestFinished(() => host.discard())
  const args = ['setup', '--launcher', 'azure-cse', '--simulate', PROFILE, '--simulate-dir', host.dir]
  const environment = {COLORTERM: 'truecolor', FORCE_COLOR: '3', NO_COLOR: undefined, TERM: 'xterm-256color'}
  const {code, stderr, stdout} = await k8sWinProcess(args, environment)
  expect({code, stdout}).toEqual({code: 3, stdout: ''})
  expect(stderr).toMatch(/^[\n\x20-\x7E]+$/)
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^setup failed \(3\): \w+\. .{1,240}$/)
})
