// Where a simulated host is kept: its world, its drive, its locks and the transcript of what was asked of it.
import {appendFileSync} from 'node:fs'
import {join} from 'node:path'

import type {Files} from '../machine/files.js'
import {createDrive, type DriveOptions, linkOnDrive} from './drive.js'
import {isHostLocked, takeHostLock} from './host-lock.js'
import {makeFolder} from './make-folder.js'
import {onOwnFiles} from './own-files.js'
import {openStore, type WorldStore} from './store.js'
import type {World} from './world.js'

export interface HostStorage {
  /** Is a lock held by a process on this host? */
  isLocked(name: string): boolean
  /** Makes a link to something in the same folder; false where the drive can have none. */
  link(path: string, target: string): Promise<boolean>
  /** Takes a lock that every process on this host sees; undefined while one of them holds it. */
  lock(name: string): (() => Promise<void>) | undefined
  /** What people call it. */
  readonly name: string
  openDrive(options: DriveOptions): Files
  openStore(fresh: () => World): WorldStore
  /** Adds to the transcript, at once. */
  record(text: string): void
}

/** In a folder that processes share: machine.json, the drive, the transcript; made where there is none. */
export function folderHost(dir: string): HostStorage {
  const transcript = join(dir, 'transcript.ndjson')
  return {
    isLocked: (name) => isHostLocked(dir, name),
    link: (path, target) => linkOnDrive(dir, path, target),
    lock: (name) => takeHostLock(dir, name),
    name: dir,
    openDrive(options) {
      makeFolder(join(dir, 'c'))
      return createDrive(dir, options)
    },
    openStore: (fresh) => openStore(dir, fresh),
    record: (text) => onOwnFiles(dir, () => appendFileSync(transcript, text)),
  }
}
