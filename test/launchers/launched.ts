// setup and reset in this process, as a launcher starts them.
import type {Launcher} from '../../src/config/launchers.js'
import type {GivenOptions} from '../../src/config/options.js'
import {resolveReset} from '../../src/config/reset-options.js'
import {type LauncherRecord, readRecord} from '../../src/host/launcher/record.js'
import type {Machine} from '../../src/machine/machine.js'
import {plainView} from '../../src/output/run/plain-view.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument} from '../../src/pipeline/run/events.js'
import {launcherEnding} from '../../src/runs/launcher/end-run.js'
import {restartWindows} from '../../src/runs/launcher/restart-windows.js'
import {runReset} from '../../src/runs/reset/reset.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import {assets} from '../fixtures/assets.js'
import {type HostFolder, profileOf} from '../steps/host-folder.js'

export const PROFILE = 'ws2022-containerd'

export interface Launched {
  readonly code: number
  /** As an unattended run prints it. */
  readonly output: string
  readonly result: RunResultDocument
}

export interface Launching {
  readonly command?: 'reset' | 'setup'
  readonly dryRun?: boolean
  readonly faults?: readonly Fault[]
  readonly given?: GivenOptions
  /** Undefined: it is detected. */
  readonly launcher?: Launcher
  readonly signal?: AbortSignal
}

export async function launch(host: HostFolder, launching: Launching = {}): Promise<Launched> {
  const {command = 'setup', dryRun = false, faults = [], given = {}, launcher} = launching
  const machine: Machine = faultyMachine(await openSimulator({dir: host.dir, profile: profileOf(host.dir)}), faults)
  const {now} = machine.clock
  const bus = new EventBus(now)
  let output = ''
  const stream = {write: (text: string) => void (output += text)}
  bus.listen(plainView({next: [], now, stream, ticker: () => () => {}, verbose: false}).listen)
  const onEnd = launcherEnding({bus, launcher, machine})
  const {signal = new AbortController().signal} = launching
  const parts = {assets, bus, machine, onEnd, redactor: createRedactor(), signal}
  const result =
    command === 'setup'
      ? await runSetup({...parts, dryRun, given: {'base-images': 'none', ...given}})
      : await runReset({
          ...parts,
          environment: {},
          options: resolveReset({yes: true, ...(dryRun && {'dry-run': true})}, {}),
        })
  // As src/cli/run-with-view.ts does.
  await restartWindows(machine, result)
  return {code: result.launcher?.exitCode ?? result.exitCode, output, result}
}

export async function recordOn(host: HostFolder): Promise<LauncherRecord | undefined> {
  return readRecord(await openSimulator({dir: host.dir, profile: profileOf(host.dir), readOnly: true}))
}

export const RECORD_FILE = String.raw`ProgramData\k8s-win\launcher.json`

/** k8s-win's own, oldest first. */
export const eventsOn = ({world}: HostFolder): {readonly id: number; readonly level: number; readonly text: string}[] =>
  (world.os.eventLogs?.['Application'] ?? [])
    .filter(({provider}) => provider === 'k8s-win')
    .map(({data, id, level}) => ({id, level, text: data.join('\n')}))
