// setup and reset in this process, as a launcher starts them.
import type {Launcher} from '../../src/config/launchers.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {resolveReset} from '../../src/config/options/reset-options.js'
import {type LauncherRecord, readLauncherRecord} from '../../src/host/launcher/record.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {plainView} from '../../src/output/run/plain-view.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument} from '../../src/pipeline/run/events.js'
import {launcherHooks} from '../../src/runs/launcher/launcher-hooks.js'
import {restartWindows} from '../../src/runs/launcher/restart-windows.js'
import {runReset} from '../../src/runs/reset/reset.js'
import type {Answer} from '../../src/runs/reset/reset-run.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import {onceOnEqualHosts} from '../fakes/known-runs.js'
import {assets} from '../fixtures/assets.js'
import {type HostFolder, profileOf} from '../steps/host-folder.js'

/** Below Program Files, where it can run as a service. */
const INSTALLED = {...assets, program: {command: [String.raw`C:\Program Files\k8s-win\k8s-win.exe`]}}

export const PROFILE = 'ws2022-containerd'

export interface Launched {
  readonly code: number
  /** As an unattended run prints it. */
  readonly output: string
  readonly result: RunResultDocument
}

export interface Launching {
  /** To the prompt of reset; undefined: --yes. */
  readonly answer?: Answer
  readonly command?: 'reset' | 'setup'
  readonly dryRun?: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly faults?: readonly Fault[]
  readonly given?: GivenOptions
  /** Undefined: it is detected. */
  readonly launcher?: Launcher
  readonly signal?: AbortSignal
  readonly verbose?: boolean
  /** Around the simulated machine. */
  wrap?(machine: Machine): Machine
}

export async function launch(host: HostFolder, launching: Launching = {}): Promise<Launched> {
  const {faults, signal, wrap, ...asked} = launching
  const perform = (): Promise<Launched> => performLaunch(host, launching)
  if (faults ?? signal ?? wrap) return perform()
  return onceOnEqualHosts(host.dir, {...asked, command: `launched ${asked.command}`}, perform)
}

async function performLaunch(host: HostFolder, launching: Launching): Promise<Launched> {
  const {answer, command = 'setup', dryRun = false, environment = {}, faults = [], given = {}, launcher} = launching
  const simulated = await openSimulator({dir: host.dir, profile: profileOf(host.dir)})
  const machine: Machine = faultyMachine(launching.wrap?.(simulated) ?? simulated, faults)
  const {now} = machine.clock
  const bus = new EventBus(now)
  let output = ''
  const stream = {write: (text: string) => void (output += text)}
  bus.listen(plainView({next: [], now, stream, ticker: () => () => {}, verbose: launching.verbose ?? false}).listen)
  const hooks = launcherHooks({bus, launcher, machine})
  const {signal = new AbortController().signal} = launching
  const parts = {...hooks, assets: INSTALLED, bus, machine, redactor: createRedactor(), signal}
  const result =
    command === 'setup'
      ? await runSetup({...parts, dryRun, environment, given: {'base-images': 'none', ...given}})
      : await runReset({
          ...parts,
          ...(answer && {asker: {ask: async () => answer, isTerminal: false}}),
          environment,
          options: resolveReset({yes: answer === undefined, ...(dryRun && {'dry-run': true})}, {}),
        })
  // As src/cli/run/run-with-view.ts does.
  await restartWindows(machine, result)
  return {code: result.launcher?.exitCode ?? result.exitCode, output, result}
}

export async function recordOn(host: HostFolder): Promise<LauncherRecord | undefined> {
  return readLauncherRecord(await openSimulator({dir: host.dir, profile: profileOf(host.dir), readOnly: true}))
}

export const RECORD_FILE = String.raw`ProgramData\k8s-win\launcher.json`

/** The record cannot be written. */
export const FULL_DISK: Fault = {
  at: ({args, what}) => what === 'write' && args[0]?.endsWith('launcher.json') === true,
  does: new Error('the disk is full'),
  when: 'before',
}

/** Every download fails, for a reason that time may cure. */
export const DOWNLOADS_FAIL: Fault = {
  at: ({via, what}) => via === 'http' && what === 'DOWNLOAD',
  does: new HttpError('https://dl.k8s.io/', 'ECONNRESET', 'reset'),
  when: 'before',
}

/** k8s-win's own, oldest first. */
export const eventsOn = ({world}: HostFolder): {readonly id: number; readonly level: number; readonly text: string}[] =>
  (world.os.eventLogs?.['Application'] ?? [])
    .filter(({provider}) => provider === 'k8s-win')
    .map(({data, id, level}) => ({id, level, text: data.join('\n')}))
