// A fresh setup, and the host's folder as it lies on the disk before and after every one of its effects: that, and
// nothing else, is what a process that is killed there leaves behind.
import {createHash} from 'node:crypto'
import {cpSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join, relative} from 'node:path'
import type {GivenOptions} from '../../src/config/options.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './setup-run.js'

/** All points at which the disk holds the same. */
export interface LeftBehind {
  /** Kept only where it is wanted. */
  readonly host: HostFolder | undefined
  readonly points: string[]
}

export interface Recording {
  readonly effects: number
  readonly left: readonly LeftBehind[]
  readonly undisturbed: HostFolder
}

/**
 * The log and the transcript tell of every look, and nobody reads them again; a dead process holds no lock; what was not
 * renamed yet is nothing.
 */
const LEFT_OUT =
  /(?:^|[\\/])(?:transcript\.ndjson|[^\\/]+\.lock|\.[^\\/]+\.tmp|machine\.json\.tmp)$|[\\/]logs[\\/]k8s-win(?:[\\/]|$)/

/** Runs something on a host, with a machine that the recording has put around its own. */
export type Recorded = (dir: string, wrap: (machine: Machine) => Machine) => Promise<void>

/** `isWanted`: is the folder kept that was left behind as the n-th, counted from 0? */
export async function recordKillPoints(
  isWanted: (nth: number) => boolean,
  given: GivenOptions = {},
): Promise<Recording> {
  return recordPoints(HostFolder.empty(), isWanted, async (dir, wrap) => {
    const {bug, result} = await setupOn(dir, {given, wrap})
    if (result?.exitCode !== 0)
      throw new Error(`the undisturbed run failed: ${JSON.stringify(result?.error)}`, {cause: bug})
  })
}

export async function recordPoints(
  undisturbed: HostFolder,
  isWanted: (nth: number) => boolean,
  run: Recorded,
): Promise<Recording> {
  const left = new Map<string, LeftBehind>()
  const keyOf = watchContent(undisturbed.dir)
  let effects = 0
  const note = (effect: Effect, when: string): void => {
    const key = keyOf()
    const there = left.get(key) ?? {host: isWanted(left.size) ? copyOf(undisturbed) : undefined, points: []}
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

export function discard({left, undisturbed}: Recording): void {
  for (const {host} of left) host?.discard()
  undisturbed.discard()
}

/** Steps run side by side, and files are renamed and removed in other threads while they are looked at here. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function copyOf(host: HostFolder): HostFolder {
  const copy = HostFolder.empty()
  const isCopied = unlessGone(() => {
    cpSync(host.dir, copy.dir, {filter: (path) => !LEFT_OUT.test(path), recursive: true})
    return true
  })
  if (isCopied) return copy
  copy.discard()
  return copyOf(host)
}

/** The digest of all that is there; of a file that was not touched since the last look, it is remembered. */
function watchContent(dir: string): () => string {
  const known = new Map<string, {digest: string; version: string}>()
  const digestOf = (path: string): string => {
    const {ino, mtimeMs, size} = statSync(path)
    const version = `${ino} ${mtimeMs} ${size}`
    const before = known.get(path)
    if (before?.version === version) return before.digest
    const digest = createHash('sha1').update(readFileSync(path)).digest('hex')
    known.set(path, {digest, version})
    return digest
  }

  return () => {
    const hash = createHash('sha1')
    for (const entry of readdirSync(dir, {recursive: true, withFileTypes: true})) {
      const path = join(entry.parentPath, entry.name)
      if (LEFT_OUT.test(path)) continue
      hash.update(`${relative(dir, path)} ${entry.isFile() ? unlessGone(() => digestOf(path)) : ''}\n`)
    }

    return hash.digest('hex')
  }
}
