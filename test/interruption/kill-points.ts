// A fresh setup, and the host's folder as it lies on the disk before and after every one of its effects: that, and
// nothing else, is what a process that is killed there leaves behind.
import {cpSync, lstatSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {describeEffect} from '../../src/machine/under-way.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './setup-run.js'

/** All points at which the disk holds the same. */
export interface LeftBehind {
  readonly host: HostFolder
  readonly points: string[]
}

export interface Recording {
  readonly effects: number
  readonly left: readonly LeftBehind[]
  readonly undisturbed: HostFolder
}

/** Who looks at the log and the transcript would see every effect as a change; a dead process holds no lock. */
const LEFT_OUT = /transcript\.ndjson$|\.lock$|[\\/]logs[\\/]k8s-win(?:[\\/]|$)/

export async function recordKillPoints(): Promise<Recording> {
  const undisturbed = HostFolder.empty()
  const left: LeftBehind[] = []
  let effects = 0
  let before = ''
  const note = (effect: Effect, when: string): void => {
    const point = `${when} ${describeEffect(effect)}`
    const now = listing(undisturbed.dir)
    if (now !== before) left.push({host: copyOf(undisturbed), points: []})
    before = now
    left.at(-1)?.points.push(point)
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
  const {bug, result} = await setupOn(undisturbed.dir, {wrap})
  if (result?.exitCode !== 0) throw new Error('the undisturbed run failed', {cause: bug ?? result?.error})
  return {effects, left, undisturbed}
}

export function discard({left, undisturbed}: Recording): void {
  for (const {host} of left) host.discard()
  undisturbed.discard()
}

function copyOf(host: HostFolder): HostFolder {
  const copy = HostFolder.empty()
  cpSync(host.dir, copy.dir, {filter: (path) => !LEFT_OUT.test(path), recursive: true})
  return copy
}

/** Another content has another time or place: every write of the simulator makes a new file. */
function listing(dir: string): string {
  return readdirSync(dir, {recursive: true, withFileTypes: true})
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !LEFT_OUT.test(path))
    .map((path) => {
      const {ino, isDirectory, mtimeMs, size} = statusOf(path)
      return isDirectory ? path : `${path} ${ino} ${mtimeMs} ${size}`
    })
    .sort()
    .join('\n')
}

function statusOf(path: string): {ino: number; isDirectory: boolean; mtimeMs: number; size: number} {
  const stats = lstatSync(path)
  return {ino: stats.ino, isDirectory: stats.isDirectory(), mtimeMs: stats.mtimeMs, size: stats.size}
}
