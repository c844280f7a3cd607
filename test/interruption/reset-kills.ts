// reset after a death at any moment: of a setup, or of a reset itself. It ends well, the host is what it was before
// setup (without the journal: what it is after a reset that no one killed), and once more it has nothing to do.
import {beforeAll, describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {GivenReset} from '../../src/config/options/reset-options.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {allowEverything} from '../fakes/administrator.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, type WholeHost, wholeHost} from '../reset/whole-host.js'
import {HostFolder} from '../steps/host-folder.js'
import {type LeftBehind, type Recording, recordPoints} from './kill-points.js'
import {setupOn} from './setup-run.js'

/** Damaged: every third line of it cannot be read. */
type JournalState = 'damaged' | 'lost' | 'whole'

export interface ResetKills {
  readonly baseDir?: string
  /** Of the reset that is killed. */
  readonly given?: GivenReset
  /** Every how many of the states; all of them where it is 1. */
  readonly every: number
  /** A difference that may be there. */
  readonly forgiven?: RegExp
  /** The first of them. */
  readonly from?: number
  /** Of the reset that is killed: then what is k8s-win's is known by its marks, and more stays. */
  readonly journal?: JournalState
  readonly of: 'reset' | 'setup'
  readonly profile?: string
  /** Of the setup before it, which is what is killed where it says so. */
  readonly setup?: GivenOptions
}

/** Less than half of what there is: a run that stopped early would leave fewer. */
const FEWEST = {reset: 40, setup: 100}
const PURGE: GivenReset = {purge: true, yes: true}

export function describeResetKills(kills: ResetKills): void {
  const {every, from = 0, given = PURGE, journal = 'whole', of, profile = 'ws2019', setup = {}} = kills
  const isWanted = (nth: number): boolean => nth % every === from
  const how = [
    given.purge === true ? '' : 'without --purge ',
    journal === 'whole' ? '' : `with its journal ${journal} `,
  ]
  describe(`${of} ${how.join('')}killed, then reset, on ${profile}`, () => {
    let wanted: WholeHost
    let recording: Recording
    beforeAll(async () => {
      const host = HostFolder.empty()
      await openSimulator({dir: host.dir, profile})
      // A node's own identity may not remove the node.
      host.edit(allowEverything)
      wanted = wholeHost(host)
      recording = await (of === 'setup'
        ? recordSetup(host, isWanted, {given: setup, profile})
        : recordReset(host, isWanted, {given, journal, profile}))
      if (journal !== 'whole') wanted = wholeHost(host)
    }, 300_000)

    test('there are enough points to be killed at', () => {
      expect(recording.left.length).toBeGreaterThan(FEWEST[of])
      expect(recording.left.filter(({host}) => host).length).toBeGreaterThan(3)
    })

    test('the host is as if nothing had been killed, and a second reset has nothing to do', async () => {
      for (const one of recording.left) if (one.host) await expectClean(one, one.host, wanted, kills)
    }, 3_600_000)
  })
}

type IsWanted = (nth: number) => boolean

const recordSetup = (
  host: HostFolder,
  isWanted: IsWanted,
  options: {given: GivenOptions; profile: string},
): Promise<Recording> =>
  recordPoints(host, isWanted, async (dir, wrap) => demandDone((await setupOn(dir, {...options, wrap})).result))

async function recordReset(
  host: HostFolder,
  isWanted: IsWanted,
  {given, journal, profile}: {given: GivenReset; journal: JournalState; profile: string},
): Promise<Recording> {
  demandDone((await setupOn(host.dir, {profile})).result)
  const path = String.raw`k\k8s-win\journal.ndjson`
  const lines = host.read(path).split('\n')
  if (journal === 'lost') host.remove(path)
  if (journal === 'damaged') host.put(path, lines.map((line, nth) => (nth % 3 === 0 ? '%%%' : line)).join('\n'))
  return recordPoints(host, isWanted, async (dir, wrap) =>
    demandDone((await resetOn(dir, {given, profile, wrap})).result, journal),
  )
}

function demandDone(result: RunResultDocument | undefined, journal: JournalState = 'whole'): void {
  if (!isDone(result, journal)) throw new Error('the undisturbed run failed', {cause: result?.error})
}

/** Without a whole journal what cannot be proven is left, and named. */
function isDone(result: RunResultDocument | undefined, journal: JournalState): boolean {
  const isLeft = result?.exitCode === 7 && result.error?.id === 'RESET_UNPROVEN' && result.recap.failed === 0
  return result?.exitCode === 0 || (journal !== 'whole' && isLeft)
}

async function expectClean(
  {points}: LeftBehind,
  host: HostFolder,
  wanted: WholeHost,
  {baseDir, forgiven, journal = 'whole', profile = 'ws2019'}: ResetKills,
): Promise<void> {
  const where = `killed ${points[0]} (and at ${points.length - 1} other points)`
  const reset = async (): Promise<RunResultDocument> => {
    const {result} = await resetOn(host.dir, {...(baseDir !== undefined && {baseDir}), given: PURGE, profile})
    // The simulator notices as time passes that containerd's data is gone.
    await (await openSimulator({dir: host.dir, profile})).clock.sleep(1)
    return result
  }
  const left = (): string[] => differences(wanted, wholeHost(host)).filter((one) => !(forgiven?.test(one) ?? false))
  const result = await reset()
  expect(isDone(result, journal) ? undefined : result, where).toBeUndefined()
  expect(left(), where).toEqual([])
  expect(await reset(), where).toMatchObject({exitCode: 0, recap: {changed: 0}})
  expect(left(), where).toEqual([])
}
