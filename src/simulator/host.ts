// Where a simulated host is kept: its world, its drive, its locks and the transcript. In a folder that processes share; most
// tests keep theirs in memory (test/fakes/memory-host.ts).
import {appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'

import {badValue} from '../errors/input.js'
import {simulatorUnusable} from '../errors/program.js'
import type {Files} from '../machine/files.js'
import {makeContainerd} from './containerd/state.js'
import {createDrive, type DriveOptions, linkOnDrive} from './drive.js'
import {DriveEntries} from './drive-entries.js'
import {securityIn} from './drive-security.js'
import {isHostLocked, takeHostLock} from './host-lock.js'
import {createOverlay} from './overlay-drive.js'
import {checkWorld} from './world-check.js'
import type {World} from './world.js'

export interface HostStorage {
  /** Writes a file beside machine.json, for people; a host in memory has no such place. */
  addFile?(name: string, text: string): void
  /** The time on a new host, in milliseconds; now where absent. */
  readonly bornAt?: number
  /** Everything that changed names on the drive so far outlives a power loss; a folder loses nothing. */
  flush?(): void
  /** Whether a process on this host holds the lock. */
  isLocked(name: string): boolean
  /** Creates a link to something in the same folder; false where the drive can have none. */
  link(path: string, target: string): Promise<boolean>
  /** Takes a lock that every process on this host sees; undefined while one of them holds it. */
  lock(name: string): (() => Promise<void>) | undefined
  readonly name: string
  openDrive(options: DriveOptions): Files
  /** `readOnly`: its changes are never saved, except for a host that it creates. */
  openStore(fresh: () => World, readOnly?: boolean): WorldStore
  /** Appends to the transcript: a folder at once, a host in memory when it is read. */
  record(text: () => string): void
}

export interface WorldStore {
  /** False for a new host. */
  readonly existed: boolean
  /** Writes if something besides the time has changed since the last save. */
  save(): void
  readonly world: World
}

/** machine.json, the drive, the transcript and the locks in a folder, which is created if missing. */
export function folderHost(dir: string): HostStorage {
  const transcript = join(dir, 'transcript.ndjson')
  /** Without its own files there is no simulated host to work on. */
  const own = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const {code, syscall} = error as NodeJS.ErrnoException
      if (code === undefined || syscall === undefined) throw error
      throw simulatorUnusable({dir, reason: (error as Error).message}, {cause: error})
    }
  }

  return {
    addFile: (name, text) => own(() => writeFileSync(join(dir, name), text, {flag: 'wx', mode: 0o600})),
    isLocked: (name) => isHostLocked(dir, name),
    link: (path, target) => linkOnDrive(dir, path, target),
    lock: (name) => own(() => takeHostLock(dir, name)),
    name: dir,
    openDrive(options) {
      makeFolder(join(dir, 'c'))
      return createDrive(dir, options)
    },
    openStore(fresh) {
      const path = join(dir, 'machine.json')
      makeFolder(dir)
      const loaded = load(path)
      if (loaded === undefined && readdirSync(dir).length > 0) throw badValue({...NOT_EMPTY, value: dir})
      const world = loaded ?? fresh()
      let saved = loaded && withoutTime(world)
      return {
        existed: loaded !== undefined,
        save() {
          const now = withoutTime(world)
          if (now === saved) return
          // Synchronous: a process that is killed after a change must find the change when it comes back.
          own(() => {
            writeFileSync(`${path}.tmp`, `${JSON.stringify(world, undefined, 2)}\n`)
            renameSync(`${path}.tmp`, path)
          })
          saved = now
        },
        world,
      }
    },
    record: (text) => own(() => appendFileSync(transcript, text())),
  }
}

const NOT_EMPTY = {
  flag: 'simulate-dir',
  reason: 'It has files and no machine.json, so it is not the folder of a simulated host. Nothing was changed in it.',
  wanted: 'a folder that is new or empty, or that has a simulated host',
  where: '--simulate-dir',
} as const

/** A new host for a command that only reads: its folder does not exist, and is not created. */
export function unkeptHost(dir: string, entries = emptyDrive()): HostStorage {
  return {
    isLocked: () => false,
    link: () => Promise.resolve(false),
    lock: () => () => Promise.resolve(),
    name: dir,
    openDrive(options) {
      const {digestOf, security} = options
      const below = createDrive(dir, options)
      return createOverlay({below, digestOf, entries, now: () => Date.now(), security: securityIn(security)})
    },
    openStore: (fresh) => ({existed: false, save() {}, world: fresh()}),
    record() {},
  }
}

function emptyDrive(): DriveEntries {
  const entries = new DriveEntries()
  entries.set('C:\\', {kind: 'directory', modifiedMs: 0})
  return entries
}

/** A new host that is kept as long as this process: opened again, it is as it was left. */
export function memoryHost(): HostStorage {
  const entries = emptyDrive()
  let world: World | undefined
  return {
    ...unkeptHost('', entries),
    link(path, target) {
      entries.set(path, {kind: 'link', modifiedMs: Date.now(), target})
      return Promise.resolve(true)
    },
    name: 'memory',
    openStore(fresh) {
      const existed = world !== undefined
      world ??= fresh()
      return {existed, save() {}, world}
    },
  }
}

/** What decides whether to save: time always passes. */
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
    // PowerShell and Notepad may write a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    checkWorld(value)
    return {...value, containerd: value.containerd ?? makeContainerd()}
  } catch (error) {
    throw new Error(`${path} is not a simulated host: ${(error as Error).message}`, {cause: error})
  }
}

/** Level by level: Node's recursive mkdir never ends where the system answers ENOENT in an existing folder, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have created it just now.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
