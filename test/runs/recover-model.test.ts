// Nodes on which up to four things went wrong at once: one recover repairs all of them, and a second one changes nothing. What
// it can only name is in few of them, and named.
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {DAEMONS} from '../../src/config/daemons.js'
import type {RuntimeName} from '../../src/config/model.js'
import {BROKEN_NODES, type BrokenNode} from '../hosts/broken-nodes.js'
import {sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const STATES = 2000
const IN_NPM_TEST = 4
/** npm run test:crash has no fixed seed for its other random tests. */
const SEED = Number(process.env['FC_SEED'] ?? 20_261_118)
const MOST_NAMED = 0.05
/** In one of so many states, something can only be named. */
const NAMED_IN = 25

const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}
const RUNTIMES = Object.keys(PROFILES) as RuntimeName[]

interface State {
  readonly rows: readonly BrokenNode[]
  readonly runtime: RuntimeName
}

const isRepaired = ({ends}: BrokenNode): boolean => ends === 'healthy'
const nameOf = ({id, name}: BrokenNode): string => (name === undefined ? id : `${id} ${name}`)

const stateWith = (runtime: RuntimeName): fc.Arbitrary<State> => {
  const rows = BROKEN_NODES.filter(({runtimes}) => runtimes.includes(runtime))
  const some = (from: readonly BrokenNode[], minLength: number, maxLength: number) =>
    fc.uniqueArray(fc.constantFrom(...from), {maxLength, minLength, selector: nameOf})
  const [repaired, named] = [rows.filter(isRepaired), rows.filter((row) => !isRepaired(row))]
  const all = some(repaired, 1, 4)
  if (named.length === 0) return all.map((chosen) => ({rows: chosen, runtime}))
  const withNamed = fc.tuple(some(repaired, 0, 3), fc.constantFrom(...named)).map(([chosen, one]) => [...chosen, one])
  return fc
    .oneof({arbitrary: all, weight: NAMED_IN - 1}, {arbitrary: withNamed, weight: 1})
    .map((chosen) => ({rows: chosen, runtime}))
}

const states = fc.sample(fc.oneof(...RUNTIMES.map(stateWith)), {numRuns: STATES, seed: SEED})

/** Why recover may end with 6: what the rows of broken-nodes.ts that can only be named end with. */
const REASONS = new Set(BROKEN_NODES.flatMap(({ends}) => (ends === 'healthy' ? [] : ends)))

/** Set up once for each runtime. */
const prepared = new Map<RuntimeName, Promise<HostFolder>>()

async function prepare(runtime: RuntimeName): Promise<HostFolder> {
  const host = HostFolder.empty()
  const {result} = await setupOn(host.dir, {}, {}, PROFILES[runtime])
  if (result.exitCode !== 0) throw new Error(JSON.stringify(result.error))
  return host
}

async function nodeWith(runtime: RuntimeName): Promise<HostFolder> {
  const node = prepared.get(runtime) ?? prepare(runtime)
  prepared.set(runtime, node)
  return (await node).copy()
}

const processesOf = ({world}: HostFolder): Record<string, number | undefined> =>
  Object.fromEntries(DAEMONS.map(({service}) => [service, world.services[service]?.processId]))

const chosen = sample(states, IN_NPM_TEST)
const named: string[] = []

describe('a node that is broken', () => {
  test.each(chosen.map(({rows, runtime}) => ({name: rows.map(nameOf).join(', '), rows, runtime})))(
    'by $name, with $runtime',
    async ({name, rows, runtime}) => {
      const host = await nodeWith(runtime)
      for (const row of rows) await row.break(host)
      const yes = rows.some((row) => row.yes)
      const {result} = await recoverOn(host.dir, {yes})
      const errors = result.errors ?? (result.error ? [result.error] : [])
      const unexpected = errors.filter(({id}) => rows.every(isRepaired) || !REASONS.has(id))
      expect(unexpected).toEqual([])
      expect(result.exitCode).toBe(errors.length === 0 ? 0 : 6)
      if (errors.length > 0) named.push(name)
      const after = processesOf(host)
      const {result: second} = await recoverOn(host.dir, {yes})
      expect(second.steps.filter(({state}) => state === 'changed')).toEqual([])
      expect(second.exitCode).toBe(result.exitCode)
      expect(processesOf(host)).toEqual(after)
    },
  )

  test('is repaired, but for at most one in twenty', () => {
    expect(named.length, named.join('\n')).toBeLessThanOrEqual(Math.ceil(chosen.length * MOST_NAMED))
  })
})
