// stop, start, restart and run called in this process on a simulated host.
import {type Effect, interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {EventBus, type TimedEvent} from '../../../src/pipeline/run/events.js'
import {InterruptedError} from '../../../src/pipeline/run/to-user-error.js'
import {type DaemonsCommand, type DaemonsInput, runDaemons} from '../../../src/runs/daemons/change-daemons.js'
import {daemonNamed, daemonsNamed} from '../../../src/runs/daemons/daemon-names.js'
import {runDaemon, type RunDaemonInput} from '../../../src/runs/daemons/run-daemon.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {assets} from '../../fixtures/assets.js'
import type {InProcessRun} from '../../setup/in-process.js'
import {type HostPlace, profileOf} from '../../steps/host-folder.js'

export interface DaemonsWatch extends Partial<
  Omit<DaemonsInput, 'assets' | 'bus' | 'daemons' | 'machine' | 'redactor'>
> {
  /** Called before every effect. */
  before?(effect: Effect): void
  /** Wraps what the run sees. */
  wrap?(machine: Machine): Machine
}

/** `words`: "stop", "stop kubelet", "restart all". */
export async function daemonsOn(
  dir: HostPlace,
  words: string,
  {before, wrap, ...input}: DaemonsWatch = {},
): Promise<InProcessRun> {
  const [command = '', name = 'all'] = words.split(' ')
  const simulated = await openSimulator({dir, profile: profileOf(dir)})
  const watched = interceptMachine(simulated, (effect, perform) => {
    before?.(effect)
    return perform()
  })
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const result = await runDaemons(command as DaemonsCommand, {
    assets,
    bus,
    daemons: daemonsNamed(name),
    holder: {command: `k8s-win ${words}`, processId: process.pid, user: 'tester'},
    machine: wrap?.(watched) ?? watched,
    redactor: createRedactor(),
    signal: new AbortController().signal,
    yes: false,
    ...input,
  })
  return {events, result}
}

export interface ForegroundWatch extends Partial<
  Omit<RunDaemonInput, 'assets' | 'bus' | 'daemon' | 'machine' | 'redactor'>
> {
  /** Ctrl-C when this was printed. */
  readonly until?: string
  wrap?(machine: Machine): Machine
}

export interface ForegroundEnd extends InProcessRun {
  readonly printed: string
}

/** "run kubelet" on a simulated host. */
export async function runOn(
  dir: HostPlace,
  name: string,
  {until, wrap, ...input}: ForegroundWatch = {},
): Promise<ForegroundEnd> {
  const simulated = await openSimulator({dir, profile: profileOf(dir)})
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const ctrlC = new AbortController()
  let printed = ''
  const result = await runDaemon({
    assets,
    bus,
    daemon: daemonNamed(name),
    extra: [],
    holder: {command: `k8s-win run ${name}`, processId: process.pid, user: 'tester'},
    machine: wrap?.(simulated) ?? simulated,
    onOutput(chunk) {
      printed += Buffer.from(chunk).toString()
      if (until !== undefined && printed.includes(until)) ctrlC.abort(new InterruptedError())
    },
    redactor: createRedactor(),
    signal: ctrlC.signal,
    yes: false,
    ...input,
  })
  return {events, printed, result}
}
