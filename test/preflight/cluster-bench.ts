// The checks on a simulated host that was made unhealthy: what each says, and proof that nothing was changed by it.
import {expect} from 'vitest'
import {parse, stringify} from 'yaml'
import type {CheckId} from '../../src/config/check-ids.js'
import type {Decided} from '../../src/config/model.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {K8sWinError, ProblemsError} from '../../src/errors/k8s-win-error.js'
import {openHost} from '../../src/host/host.js'
import type {Clock} from '../../src/machine/clock.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {type EffectEntry, tracedMachine} from '../../src/machine/traced.js'
import type {CheckResult} from '../../src/pipeline/run/events.js'
import {Facts} from '../../src/preflight/facts.js'
import {foundRow} from '../../src/preflight/check-row.js'
import {CHECKS, runChecks} from '../../src/preflight/index.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {only} from '../fakes/partial.js'
import {HostFolder} from '../steps/host-folder.js'

/** The one all daemons share. */
export const KUBECONFIG = String.raw`k\kubeconfig`

/** A kubeconfig of the simulated cluster for this user. */
export function kubeconfigOf(user: object): string {
  const document = parse(makeKubeconfig('https://10.0.0.10:6443')) as {users: {user: object}[]}
  for (const entry of document.users) entry.user = user
  return stringify(document)
}

interface Bench {
  readonly effects: readonly EffectEntry[]
  readonly problems: readonly K8sWinError[]
  /** By id. */
  readonly results: Readonly<Record<string, CheckResult>>
}

export interface Sickness {
  /** Of the machine, around the simulated one. */
  readonly around?: (machine: Machine) => Machine
  /** In place of what the options and the defaults say. */
  readonly config?: Partial<Decided>
  readonly given?: GivenOptions
  /** Files on drive C, by their path below it. */
  readonly files?: Readonly<Record<string, string>>
  readonly profile?: string
  readonly sicken?: (world: World) => void
}

interface Prepared {
  readonly clock: Clock
  readonly effects: readonly EffectEntry[]
  readonly facts: Facts
  /** Fails where anything was changed. */
  readonly untouched: () => void
}

async function prepare(sickness: Sickness): Promise<Prepared> {
  const {around = (machine) => machine, files = {}, given = {}, profile = 'ws2019', sicken} = sickness
  const folder = HostFolder.empty()
  await openSimulator({dir: folder.dir, profile})
  if (sicken) folder.edit(sicken)
  for (const [path, content] of Object.entries(files)) folder.put(path, content)
  const before = folder.state
  const config = {...setupConfig(given), ...sickness.config}
  const effects: EffectEntry[] = []
  const simulated = await openSimulator({dir: folder.dir, profile})
  const machine = tracedMachine(around(simulated), (entry) => effects.push(entry))
  const assets = only<Assets>('assets', {program: {command: [String.raw`C:\elsewhere\k8s-win.exe`]}})
  const host = openHost(machine, {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe})
  return {
    clock: machine.clock,
    effects,
    facts: new Facts(config, host, {all: () => [], entries: () => []}),
    untouched() {
      expect(effects.filter(({kind}) => kind === 'change')).toEqual([])
      expect(folder.state).toEqual(before)
    },
  }
}

/** All checks, as a run makes them. */
export async function check(sickness: Sickness = {}): Promise<Bench> {
  const {effects, facts, untouched} = await prepare(sickness)
  const {problems, results} = await runChecks(facts, {signal: new AbortController().signal})
  untouched()
  return {effects, problems, results: Object.fromEntries(results.map((result) => [result.id, result]))}
}

interface Seen {
  readonly fix: string
  readonly message: string
  readonly notice?: string
  readonly problems: readonly K8sWinError[]
  readonly result: 'fail' | 'not-checked' | 'pass' | 'warn'
}

/** What one check says of an unhealthy host, the others aside. */
export async function checkOne(id: CheckId, sickness: Sickness = {}): Promise<Seen> {
  const one = CHECKS.find((check) => check.id === id)
  if (!one) throw new Error(`there is no check ${id}`)
  const {facts, untouched} = await prepare(sickness)
  const seen = await one.inspect(facts).then(
    (finding): Seen => ({fix: '', problems: [], ...foundRow({}, finding)}),
    (error: unknown): Seen => {
      const problems = error instanceof ProblemsError ? error.problems : [error as K8sWinError]
      expect(problems.every((problem) => problem instanceof K8sWinError)).toBe(true)
      const texts = (read: (problem: K8sWinError) => string): string => problems.map(read).join(' ')
      return {fix: texts(({fix}) => fix), message: texts(({message}) => message), problems, result: 'fail'}
    },
  )
  untouched()
  return seen
}
