// A simulated host for the checks, fresh or made unhealthy; every effect is noted.
import {expect} from 'vitest'
import type {CheckId} from '../../src/config/check-ids.js'
import {layoutOf} from '../../src/config/layout.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {openHost} from '../../src/host/host.js'
import {assets as packaged} from '../fixtures/assets.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import type {OwnProgram} from '../../src/machine/machine.js'
import {type EffectEntry, tracedMachine} from '../../src/machine/traced.js'
import type {CheckResult} from '../../src/pipeline/run/events.js'
import {openJournal} from '../../src/pipeline/ledger/journal.js'
import {Facts} from '../../src/preflight/facts.js'
import {type PreflightOutcome, runChecks} from '../../src/preflight/index.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {HostFolder, type HostPlace} from '../steps/host-folder.js'

export interface CheckOptions {
  /** The k8s-win that runs; by default one that the simulated host does not have. */
  readonly program?: OwnProgram
  readonly dir?: HostPlace
  readonly faults?: readonly Fault[]
  readonly given?: GivenOptions
  readonly sicken?: (world: World) => void
}

export interface Checked extends PreflightOutcome {
  /** Throws where there is no such result. */
  readonly check: (id: CheckId) => CheckResult
  readonly told: readonly CheckResult[]
}

/** Runs all checks, and demands that they changed nothing. */
export async function checksOn({
  dir = new MemoryHost(),
  faults = [],
  given = {},
  program = packaged.program,
  sicken,
}: CheckOptions = {}): Promise<Checked> {
  await openSimulator({dir, profile: 'ws2019'})
  const folder = new HostFolder(dir)
  folder.edit((world) => sicken?.(world))
  const before = folder.state

  const config = setupConfig(given)
  const effects: EffectEntry[] = []
  const simulated = await openSimulator({dir, profile: 'ws2019'})
  const machine = tracedMachine(faultyMachine(simulated, faults), (entry) => effects.push(entry))
  const assets = {...packaged, program}
  const host = openHost(machine, {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe})
  const journal = await openJournal(machine.files, layoutOf(config.baseDir).journal, () => machine.clock.now())
  const told: CheckResult[] = []
  const facts = new Facts(config, host, journal)
  const signal = new AbortController().signal
  const outcome = await runChecks(facts, {onRow: (row) => told.push(row), signal})

  expect(effects.filter(({kind}) => kind === 'change')).toEqual([])
  expect(folder.state).toEqual(before)
  const check = (id: CheckId): CheckResult => {
    const found = outcome.results.find((result) => result.id === id)
    if (!found) throw new Error(`there is no check ${id}`)
    return found
  }
  return {...outcome, check, told}
}

/** The ids of the checks that did not pass, and how they ended. */
export function notPassed({results}: PreflightOutcome): Record<string, CheckResult['result']> {
  return Object.fromEntries(
    results.filter(({result}) => !/^(?:not-checked|pass)$/.test(result)).map(({id, result}) => [id, result]),
  )
}
