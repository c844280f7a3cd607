// Files of running programs. Windows maps a program as an image: its file can be read and renamed, but not written
// or deleted (learn.microsoft.com windows-hardware/drivers/ifs/executable-images; superuser.com/questions/488127).
import {FileError, type Files} from '../machine/files.js'
import type {SimulatedClock} from './clock.js'
import {runningShim} from './containerd/lifetime.js'
import {keyOf} from './drive-entries.js'
import type {World} from './world.js'

/** As long as the real files retry (machine/real/file-retry.ts). */
const PATIENCE_MS = 60_000
const POLL_MS = 1000

export function withRunningPrograms(files: Files, clock: SimulatedClock, world: World): Files {
  /** STATUS_CANNOT_DELETE is access denied, EPERM in Node; STATUS_SHARING_VIOLATION is EBUSY. */
  const free = async (
    operation: string,
    path: string,
    code: 'EBUSY' | 'EPERM',
    isHeld: () => boolean,
  ): Promise<void> => {
    const end = clock.elapsed() + PATIENCE_MS
    while (isHeld()) {
      if (clock.elapsed() >= end) throw new FileError(operation, path, code)
      await clock.sleep(POLL_MS)
    }
  }

  const runs = (path: string): boolean => programs(world).some((one) => isSame(one.path, path))
  const runsBelow = (path: string): boolean => programs(world).some((one) => isBelow(one.path, path))

  return {
    ...files,
    async append(path, text, options) {
      await free('append to', path, 'EBUSY', () => runs(path))
      await files.append(path, text, options)
    },
    async remove(path) {
      await free('remove', path, 'EPERM', () => runs(path) || runsBelow(path))
      await files.remove(path)
    },
    async rename(from, to) {
      await free('rename', from, 'EPERM', () => (runs(to) && !isSame(from, to)) || runsBelow(from))
      const moved = programs(world).filter((one) => isSame(one.path, from))
      await files.rename(from, to)
      for (const one of moved) one.moveTo(to)
    },
    async write(path, data, options) {
      await free('write', path, 'EPERM', () => runs(path))
      await files.write(path, data, options)
    },
    async writeChunks(path, chunks) {
      await free('write', path, 'EPERM', () => runs(path))
      return files.writeChunks(path, chunks)
    },
  }
}

interface RunningFile {
  readonly moveTo: (path: string) => void
  readonly path: string
}

/** The files of k8s-win itself, of running services, of their wrappers' children, and of the shim of pods. */
function programs(world: World): RunningFile[] {
  const {containerd, os, services} = world
  const all: RunningFile[] = []
  const add = (path: string | undefined, moveTo: (path: string) => void): void => {
    if (path !== undefined) all.push({moveTo, path})
  }
  add(os.program, (path) => void (os.program = path))
  for (const {process} of Object.values(services)) {
    if (!process) continue
    add(process.program, (path) => void (process.program = path))
    add(process.childProgram, (path) => void (process.childProgram = path))
  }

  add(runningShim(world), (path) => void (containerd.shim = path))
  return all
}

const isSame = (one: string, other: string): boolean => keyOf(one) === keyOf(other)
const isBelow = (path: string, folder: string): boolean => keyOf(path).startsWith(`${keyOf(folder)}\\`)
