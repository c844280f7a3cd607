// reset in this process on a simulated host, with a machine of the test's own around the simulated one.
import {type GivenReset, resolveReset} from '../../src/config/options/reset-options.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runReset} from '../../src/runs/reset/reset.js'
import type {Asker, Question} from '../../src/runs/reset/reset-run.js'
import type {LockHolder} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {onceOnEqualHosts} from '../fakes/known-runs.js'
import {assets as packaged} from '../fixtures/assets.js'
import {type HostPlace, profileOf} from '../steps/host-folder.js'

export interface ResetSetting {
  /** Those of the package, unless given. */
  readonly assets?: Assets
  /** Answers the question on a terminal; undefined if reset cannot prompt. */
  readonly ask?: (question: Question, signal: AbortSignal) => Promise<boolean>
  /** In place of `ask`. */
  readonly asker?: Asker
  readonly baseDir?: string
  /** With --yes, unless it says otherwise or someone can be asked. */
  readonly given?: GivenReset
  /** As the program leaves it in the lock's record. */
  readonly holder?: LockHolder
  /** Of an administrator. */
  readonly kubeconfig?: string
  /** Of the simulated host; ws2019 if not given. */
  readonly profile?: string
  readonly signal?: AbortSignal
  wrap?(machine: Machine): Machine
}

export interface ResetEnd {
  readonly events: readonly TimedEvent[]
  readonly result: RunResultDocument
  /** What was reported: warnings, and the causes of errors. */
  readonly told: string
  /** What was reported as a warning. */
  readonly warnings: readonly string[]
}

export async function resetOn(dir: HostPlace, setting: ResetSetting = {}): Promise<ResetEnd> {
  const {baseDir, given, kubeconfig, profile, ...watching} = setting
  const perform = (): Promise<ResetEnd> => performReset(dir, setting)
  if (Object.values(watching).some((part) => part !== undefined)) return perform()
  return onceOnEqualHosts(dir, {baseDir, command: 'reset', given, kubeconfig, profile}, perform)
}

async function performReset(
  dir: HostPlace,
  {
    ask,
    asker = askerOf(ask),
    assets = packaged,
    baseDir,
    given = {},
    holder,
    kubeconfig,
    profile = profileOf(dir),
    signal,
    wrap,
  }: ResetSetting,
): Promise<ResetEnd> {
  const simulated = await openSimulator({dir, profile})
  const bus = new EventBus(() => simulated.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const result = await runReset({
    asker,
    assets,
    ...(baseDir !== undefined && {baseDir}),
    bus,
    environment: {},
    ...(holder && {holder}),
    kubeconfig,
    machine: wrap?.(simulated) ?? simulated,
    options: resolveReset({...(!asker && {yes: true}), ...given}, {}),
    redactor: createRedactor(),
    signal: signal ?? new AbortController().signal,
  })
  const warnings = events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))
  const errors = result.errors ?? (result.error ? [result.error] : [])
  return {events, result, told: [...warnings, ...errors.map(({cause}) => cause)].join('\n'), warnings}
}

function askerOf(ask: ResetSetting['ask']): Asker | undefined {
  if (!ask) return undefined
  return {ask: async (...asked) => ((await ask(...asked)) ? 'yes' : 'no'), isTerminal: true}
}
