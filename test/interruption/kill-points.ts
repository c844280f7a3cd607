// A fresh setup, and the host as it is before and after every one of its effects: that, and nothing else, is what a
// process that is killed there leaves behind.
import {createHash} from 'node:crypto'
import type {GivenOptions} from '../../src/config/options/options.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {HostFolder, type HostPlace} from '../steps/host-folder.js'
import {setupOn} from './setup-run.js'

/** All points at which the host is the same. */
export interface LeftBehind {
  /** Kept only where it is wanted. */
  readonly host: HostFolder | undefined
  readonly points: string[]
}

type Kept = LeftBehind & {readonly host: HostFolder}

export interface Recording {
  readonly effects: number
  readonly left: readonly LeftBehind[]
  readonly undisturbed: HostFolder
}

/** The log reports every effect, and nothing reads it again; what was not renamed yet is nothing. */
const LEFT_OUT = /(?:^|\/)\.[^/]+\.tmp$|\/logs\/k8s-win(?:\/|$)/

/** Runs something on a host, with a machine that the recording has put around its own. */
export type Recorded = (dir: HostPlace, wrap: (machine: Machine) => Machine) => Promise<void>

/** For `isWanted`: every n-th state, from the middle of the first n. The first state of all is the host before the run. */
export const everyNth =
  (every: number) =>
  (nth: number): boolean =>
    nth % every === every >> 1

/** At least one: a test of none would pass. */
export function keptOf({left}: Pick<Recording, 'left'>): Kept[] {
  const kept = left.filter((one): one is Kept => one.host !== undefined)
  if (kept.length === 0) throw new Error(`none of ${left.length} states was kept`)
  return kept
}

/** `count` of them, at equal distances: not the first, which is the host before the run. */
export function spread(recording: Pick<Recording, 'left'>, count: number): Kept[] {
  const kept = keptOf(recording)
  if (count >= kept.length) return kept
  const wanted = new Set(Array.from({length: count}, (_, nth) => Math.floor(((nth + 1) * kept.length) / (count + 1))))
  return kept.filter((_, nth) => wanted.has(nth))
}

/** Of a fresh setup. */
export const recordKillPoints = (
  isWanted: (nth: number) => boolean,
  given: GivenOptions,
  profile: string,
): Promise<Recording> =>
  recordPoints(HostFolder.empty(), isWanted, async (dir, wrap) => {
    const {bug, result} = await setupOn(dir, {given, profile, wrap})
    if (result?.exitCode !== 0)
      throw new Error(`the undisturbed run failed: ${JSON.stringify(result?.error)}`, {cause: bug})
  })

/** `isWanted`: is the host kept that was left behind as the n-th, counted from 0? */
export async function recordPoints(
  undisturbed: HostFolder,
  isWanted: (nth: number) => boolean,
  run: Recorded,
): Promise<Recording> {
  const left = new Map<string, LeftBehind>()
  const keyOf = keysOf(undisturbed)
  let effects = 0
  const note = (effect: Effect, when: string): void => {
    const key = keyOf()
    const there = left.get(key) ?? {host: isWanted(left.size) ? undisturbed.copy() : undefined, points: []}
    left.set(key, there)
    there.points.push(`${when} ${describeEffect(effect)}`)
  }
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      effects++
      note(effect, 'before')
      try {
        return await perform()
      } finally {
        note(effect, 'after')
      }
    })
  await run(undisturbed.dir, wrap)
  return {effects, left: [...left.values()], undisturbed}
}

/** Two hosts of the same key are the same to whoever finds them. Most effects change nothing: files are read again only after a change. */
function keysOf(host: HostFolder): () => string {
  const {dir} = host
  if (typeof dir === 'string') throw new TypeError('only a host in memory is recorded')
  let changes = -1
  let files = ''
  let last = {key: '', text: ''}
  return () => {
    if (dir.entries.changes !== changes) {
      changes = dir.entries.changes
      files = digestOf(JSON.stringify(host.filesBut((name) => LEFT_OUT.test(name))))
    }
    const text = files + dir.worldText
    if (text !== last.text) last = {key: digestOf(text), text}
    return last.key
  }
}

const digestOf = (text: string): string => createHash('sha1').update(text).digest('hex')
