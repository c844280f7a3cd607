// The five tests of every step: in place is skipped, applied from nothing, applied twice, drift repaired (also where any
// kind of what it recorded is gone), and removed after half an apply, wherever it was cut.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import type {Registries} from '../../src/config/model.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {Assets} from '../../src/machine/machine.js'
import {CrashError, type Fault} from '../fakes/faulty.js'
import type {Step, StepId} from '../../src/pipeline/run/step.js'
import {isWhole, sample} from '../sample.js'
import {comparable, type Comparable, type Forgiveness} from './comparable.js'
import type {Drift} from './drifts/drift.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'
import {KINDS, removeStep} from '../../src/pipeline/owned/kinds.js'

export interface StepTests {
  /** Those of the package, unless given. */
  readonly assets?: Assets
  readonly drifts: readonly Drift[]
  /** What may be another after a removal. */
  readonly forgive?: Forgiveness
  readonly given?: GivenOptions
  /** As if they were read of --registry-config. */
  readonly registries?: Registries
  /** The first step of what is tested here, where it is more than one. */
  readonly first?: StepId
  /** Daemons that reset has stopped before it removes this step. */
  readonly stopped?: readonly Step[]
  /** How long daemons get to finish what they do, on the simulated clock. */
  readonly settleMs?: number
  /** Steps that own what this step's daemon makes: reset removes them first. */
  readonly together?: readonly Step[]
  /** Where the options make another case of it. */
  readonly title?: string
  /** Removes what the steps before have already done of this one. */
  undo?(host: HostFolder): void
}

export function describeStep(step: Step, tests: StepTests): void {
  const given = tests.given ?? {}
  const settleMs = tests.settleMs ?? 0
  const seen = (host: HostFolder): Comparable => comparable(host, tests.forgive)
  const open = (host: HostFolder, faults: readonly Fault[] = []): Promise<Rig> =>
    Rig.open({
      ...(tests.assets && {assets: tests.assets}),
      dir: host.dir,
      faults,
      given,
      registries: tests.registries,
    })
  const copyOf = (host: HostFolder): HostFolder => {
    const copy = host.copy()
    onTestFinished(() => copy.discard())
    return copy
  }

  const before = HostFolder.empty()
  let after: HostFolder
  beforeAll(async () => {
    await (await open(before)).runBefore(tests.first ?? step.id)
    tests.undo?.(before)
    after = before.copy()
    const rig = await open(after)
    const outcome = await rig.run(step)
    if (outcome.error !== undefined) throw outcome.error as Error
    await rig.machine.clock.sleep(settleMs)
  }, 180_000)
  afterAll(() => [before, after].forEach((host) => host.discard()))

  const expectInPlace = async (host: HostFolder): Promise<void> => {
    const rig = await open(host)
    expect(await rig.inspect(step)).toMatchObject({state: 'in-place'})
    const {error, results} = await rig.run(step)
    expect(error).toBeUndefined()
    expect(results).toMatchObject([{changes: [], state: 'in-place'}])
    expect(rig.effects.filter((entry) => entry.kind === 'change')).toEqual([])
  }

  /** As reset does it, in a new process: stop, then remove. */
  const remove = async (host: HostFolder): Promise<void> => {
    const rig = await open(host)
    for (const one of [...(tests.together ?? []), step, ...(tests.stopped ?? [])]) await one.stop?.(rig.context)
    for (const one of [...(tests.together ?? []), step]) {
      await removeStep(one, rig.context)
      await one.leaves?.discard(rig.context)
    }

    await rig.machine.clock.sleep(settleMs)
  }

  describe(tests.title ?? step.id, () => {
    test('in place is skipped: nothing is changed', async () => {
      await expectInPlace(copyOf(after))
    })

    test('applied from nothing', async () => {
      const host = copyOf(before)
      expect((await (await open(host)).inspect(step)).state).not.toBe('in-place')
      const rig = await open(host)
      const {error, results} = await rig.run(step)
      expect(error).toBeUndefined()
      expect(results).toMatchObject([{state: 'changed'}])
      expect(results[0]?.changes).not.toEqual([])
      await expectInPlace(host)
    })

    test('applied twice', async () => {
      const host = copyOf(after)
      const rig = await open(host)
      await step.apply(rig.context)
      await rig.machine.clock.sleep(settleMs)
      expect(seen(host)).toEqual(seen(after))
      await expectInPlace(host)
    })

    test.each(sample(tests.drifts, 4))('drift repaired: $name', async ({another, make}) => {
      const host = copyOf(after)
      make(host)
      const rig = await open(host)
      const found = await rig.inspect(step)
      expect(found.state).not.toBe('in-place')
      expect(found.evidence).not.toEqual([])
      const {error, results} = await rig.run(step)
      expect(error).toBeUndefined()
      expect(results[0]?.state).toBe('changed')
      await rig.machine.clock.sleep(settleMs)
      if (!another) expect(seen(host)).toEqual(seen(after))
      await expectInPlace(host)
    })

    if (step.removal === undefined) {
      test('there is nothing to remove: it changes nothing itself', async () => {
        const rig = await open(copyOf(before))
        await step.apply(rig.context)
        expect(rig.effects.filter((entry) => entry.kind === 'change')).toEqual([])
      })
      return
    }

    test('drift repaired: what it recorded is gone, kind by kind', async () => {
      const lines = (await open(after)).context.journal.all().filter((line) => line.step === step.id)
      const kinds = new Set(lines.map(({entry}) => entry.kind))
      // What a daemon makes by itself, and folders that it has not filled yet, are not the step's to miss.
      for (const kind of ['directory', 'tree'] as const) kinds.delete(kind)
      for (const kind of kinds) {
        const host = copyOf(after)
        const {context} = await open(host)
        if (kind === 'service') for (const one of [step, ...(tests.stopped ?? [])]) await one.stop?.(context)
        let isRemoved = false
        await KINDS[kind].remove?.({...context, changed: () => (isRemoved = true)}, step.id, false)
        if (!isRemoved) continue
        const rig = await open(host)
        expect((await rig.inspect(step)).state, kind).not.toBe('in-place')
        expect((await rig.run(step)).error, kind).toBeUndefined()
        await rig.machine.clock.sleep(settleMs)
        await expectInPlace(host)
      }
    })

    test('removed after a whole apply', async () => {
      const host = copyOf(after)
      await remove(host)
      expect(seen(host)).toEqual(seen(before))
      await remove(host)
      expect(seen(host)).toEqual(seen(before))
    })

    test.each(['before', 'after'] as const)(
      'removed after half an apply: cut %s the changes',
      async (when) => {
        const wanted = seen(before)
        let cuts = 0
        for (let nth = 1; ; nth += isWhole ? 1 : 12) {
          const host = before.copy()
          try {
            const rig = await open(host, [crashAt(nth, when)])
            const cut = await step.apply(rig.context).then(
              () => undefined,
              (error: unknown) => error,
            )
            if (cut === undefined) break
            if (!(cut instanceof CrashError)) throw cut as Error
            cuts++
            await remove(host)
            expect(seen(host), `${cut.message} (${when})`).toEqual(wanted)
          } finally {
            host.discard()
          }
        }

        expect(cuts).toBeGreaterThan(0)
      },
      60_000,
    )
  })
}

function crashAt(nth: number, when: Fault['when']): Fault {
  let changes = 0
  return {at: (effect) => effect.kind === 'change' && ++changes === nth, does: 'crash', when}
}
