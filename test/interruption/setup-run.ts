// setup in this process on a simulated host, with a machine of the test's own around the simulated one.
import type {GivenOptions} from '../../src/config/options/options.js'
import type {Machine} from '../../src/machine/machine.js'
import type {Redactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {onceOnEqualHosts} from '../fakes/known-runs.js'
import {assets} from '../fixtures/assets.js'
import type {HostPlace} from '../steps/host-folder.js'

/** What is hidden in logs is tested elsewhere; these tests run setup hundreds of times. */
const UNCHANGED: Redactor = {redact: (text) => text, register: () => {}}

export interface SetupOptions {
  readonly given?: GivenOptions
  /** Called when the run has reported how it ended. */
  onFinished?(): void
  /** Of the simulated host; ws2019 if not given. */
  readonly profile?: string
  readonly signal?: AbortSignal
  /** As the command upgrade. */
  readonly upgrade?: {readonly drainMs?: number}
  wrap?(machine: Machine): Machine
}

export interface SetupEnd {
  /** What a command would call a bug. */
  readonly bug?: unknown
  readonly events: readonly TimedEvent[]
  readonly result?: RunResultDocument
}

export async function setupOn(dir: HostPlace, options: SetupOptions = {}): Promise<SetupEnd> {
  const {given, onFinished, profile, signal, upgrade, wrap} = options
  const perform = (): Promise<SetupEnd> => performSetup(dir, options)
  if (onFinished ?? signal ?? wrap) return perform()
  return onceOnEqualHosts(dir, {command: 'setup as tester', given, profile, upgrade}, perform)
}

async function performSetup(dir: HostPlace, options: SetupOptions): Promise<SetupEnd> {
  const simulated = await openSimulator({dir, profile: options.profile ?? 'ws2019'})
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => {
    events.push(event)
    if (event.type === 'run-finished') options.onFinished?.()
  })
  try {
    const result = await runSetup({
      assets,
      bus,
      given: options.given ?? {},
      holder: {command: 'k8s-win setup', processId: process.pid, user: 'tester'},
      machine: options.wrap?.(simulated) ?? simulated,
      redactor: UNCHANGED,
      signal: options.signal ?? new AbortController().signal,
      ...(options.upgrade && {upgrade: options.upgrade}),
    })
    return {events, result}
  } catch (bug) {
    return {bug, events}
  }
}
