// Runs under a launcher that are killed at an effect. cloudbase-init takes the end of a killed process for done: the record
// is what says that the run did not finish. Run again, the command completes, and the record is gone.
import {describe, expect, test} from 'vitest'
import {type Launcher, LAUNCHERS} from '../../src/config/launchers.js'
import {writeRecord} from '../../src/host/launcher/record.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import type {Fault} from '../fakes/faulty.js'
import {pendRestart} from '../fixtures/restart-due.js'
import {everyNth, recordPoints} from '../interruption/kill-points.js'
import {turn} from '../sample.js'
import {statusOn} from '../status/status-on.js'
import {comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {launch, type Launching, PROFILE, RECORD_FILE, recordOn} from './launched.js'

type Named = Exclude<Launcher, 'none'>
const NAMED = LAUNCHERS.filter((name): name is Named => name !== 'none')

/** More than half of what there is: a run that stopped early would leave fewer. */
const FEWEST_STATES = 80

interface State {
  readonly host: HostFolder
  /** Of the record: undefined where there is none. */
  readonly outcome: string | undefined
  readonly where: string
}

/** The host at every state that a process killed there leaves, in their order. */
async function statesOf(host: HostFolder, launching: Launching): Promise<State[]> {
  const {left} = await recordPoints(
    host,
    () => true,
    async (_, wrap) => void (await launch(host, {...launching, wrap})),
  )
  const states: State[] = []
  for (const {host: kept, points} of left) {
    if (!kept) throw new Error('this state was not kept')
    states.push({host: kept, outcome: outcomeOn(kept), where: `killed ${String(points[0])}`})
  }

  return states
}

/** As a tool would read it: opening each host would take longer than everything else. */
function outcomeOn(host: HostFolder): string | undefined {
  const record = host.has(RECORD_FILE) ? (JSON.parse(host.read(RECORD_FILE)) as {outcome?: string}) : undefined
  return record?.outcome
}

/** Each outcome once, in the order in which they follow each other. */
const phasesOf = (states: readonly State[]): (string | undefined)[] =>
  states.map(({outcome}) => outcome).filter((outcome, nth, all) => nth === 0 || outcome !== all[nth - 1])

/** Nothing but the folder of the record. */
const FORGIVEN = {
  files: /^ProgramData\/k8s-win/,
  world: ({security}: World) => {
    for (const path of Object.keys(security)) if (/^c:\\programdata\\k8s-win/i.test(path)) delete security[path]
  },
}
const seenOn = (host: HostFolder) => comparable(host.copy(), FORGIVEN)

/** Under each launcher. */
export function describeKilledOnce(): void {
  describe.each(turn(NAMED, 1, 2))('under %s', (launcher) => {
    test('killed at its first service, a setup leaves a record, and completes when run again', async () => {
      const host = await HostFolder.fresh(undefined, PROFILE)
      const faults: Fault[] = [{at: ({what}) => what === 'createService', does: 'crash', when: 'before'}]
      await launch(host, {faults, launcher}).catch(() => {})
      expect(await recordOn(host)).toMatchObject({attempts: 1, launcher, outcome: 'unfinished', restarts: 0})
      expect((await launch(host, {launcher})).code).toBe(0)
      expect(host.has(RECORD_FILE)).toBe(false)
    })
  })
}

/** Of the states of a setup, `every` n-th is run again. */
export function describeKilled(every: number, launchers: readonly Named[] = NAMED): void {
  describe.each(launchers)(`under %s, killed at every ${every}. state`, (launcher) => {
    test('a setup leaves a record from its first change to its success, and completes when run again', async () => {
      const host = await HostFolder.fresh(undefined, PROFILE)
      const earlier = {attempts: 1, baseDir: String.raw`C:\k`, command: 'setup', restarts: 2, schemaVersion: 1} as const
      const failed = {at: '2026-11-17T00:00:00.000Z', error: 'DOWNLOAD_FAILED', exitCode: 4, outcome: 'failed'} as const
      const machine = await openSimulator({dir: host.dir, profile: PROFILE})
      expect(await writeRecord(machine, {...earlier, ...failed, launcher})).toBe(true)
      const fresh = seenOn(host)
      const states = await statesOf(host, {launcher})
      expect(states.length).toBeGreaterThan(FEWEST_STATES)
      expect(phasesOf(states)).toEqual(['failed', 'unfinished', undefined])
      const done = seenOn(host)
      const isAsked = everyNth(every)
      let asked = 0
      for (const [nth, {host: killed, outcome, where}] of states.entries()) {
        if (outcome === 'failed') expect(seenOn(killed), where).toEqual(fresh)
        if (outcome === undefined) expect(seenOn(killed), where).toEqual(done)
        if (outcome !== 'unfinished' || !isAsked(nth)) continue
        asked++
        // The killed run is counted, and only once.
        const record = {attempts: 2, error: 'SETUP_UNFINISHED', exitCode: 130, launcher, restarts: 2}
        expect(await recordOn(killed), where).toMatchObject(record)
        const {document} = await statusOn(killed.dir, {profile: PROFILE})
        expect(document.launcher, where).toMatchObject({active: false, name: launcher, outcome: 'unfinished'})
        expect((await launch(killed, {launcher})).code, where).toBe(0)
        expect(killed.has(RECORD_FILE), where).toBe(false)
        expect(seenOn(killed), where).toEqual(done)
      }
      expect(asked).toBeGreaterThan(0)
    }, 600_000)

    test.each([
      ['fails', 'failed', ({os}: World) => void (os.computerName = 'WIN_1')],
      ['requires a restart', 'restart-required', pendRestart],
    ])('a run that %s is never without a record', async (_, outcome, sicken) => {
      const host = await HostFolder.fresh(sicken, PROFILE)
      const fresh = seenOn(host)
      const states = await statesOf(host, {launcher})
      expect(phasesOf(states)).toEqual([undefined, 'unfinished', outcome])
      for (const {host: killed, outcome: left} of states) if (left === undefined) expect(seenOn(killed)).toEqual(fresh)
    })

    test('a reset leaves a record until it is done', async () => {
      const host = await HostFolder.fresh(undefined, PROFILE)
      await launch(host, {launcher})
      const before = seenOn(host)
      const states = await statesOf(host, {command: 'reset', launcher})
      expect(phasesOf(states)).toEqual([undefined, 'unfinished', undefined])
      const after = seenOn(host)
      const last = states.findLastIndex(({outcome}) => outcome === 'unfinished')
      for (const [nth, {host: killed, outcome, where}] of states.entries())
        if (outcome === undefined) expect(seenOn(killed), where).toEqual(nth < last ? before : after)
      for (const {host: killed, where} of states.filter(({outcome}) => outcome === 'unfinished').slice(0, 1)) {
        expect(await recordOn(killed), where).toMatchObject({attempts: 1, command: 'reset', error: 'RESET_UNFINISHED'})
        expect((await launch(killed, {command: 'reset', launcher})).code, where).toBe(0)
        expect(killed.has(RECORD_FILE), where).toBe(false)
      }
    })
  })
}
