// machine.json: loaded once, saved whole and atomically whenever the world has changed.
import {readFileSync, renameSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'

import {makeFolder} from './make-folder.js'
import {onOwnFiles} from './own-files.js'
import {checkWorld} from './world-check.js'
import type {World} from './world.js'

export interface WorldStore {
  /** False where the host was just made. */
  readonly existed: boolean
  /** Writes if something besides the time has changed since the last save. */
  save(): void
  readonly world: World
}

export function openStore(dir: string, fresh: () => World): WorldStore {
  const path = join(dir, 'machine.json')
  makeFolder(dir)
  const loaded = load(path)
  const world = loaded ?? fresh()
  let saved = loaded && withoutTime(world)
  return {
    existed: loaded !== undefined,
    save() {
      const now = withoutTime(world)
      if (now === saved) return
      // Without waiting: a process that is killed after a change must find the change when it comes back.
      onOwnFiles(dir, () => {
        writeFileSync(`${path}.tmp`, `${JSON.stringify(world, undefined, 2)}\n`)
        renameSync(`${path}.tmp`, path)
      })
      saved = now
    },
    world,
  }
}

/** What a save is decided by: time passes all the while. */
export const withoutTime = (world: World): string => JSON.stringify({...world, os: {...world.os, time: 0}})

function load(path: string): World | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }

  try {
    // PowerShell and Notepad may put a byte order mark in front.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    checkWorld(value)
    return value
  } catch (error) {
    throw new Error(`${path} is not a simulated host: ${(error as Error).message}`, {cause: error})
  }
}
