// Files of running programs. Windows maps a program as an image: its file can be read and renamed, but not written
// or deleted (learn.microsoft.com windows-hardware/drivers/ifs/executable-images; superuser.com/questions/488127).
import {FileError, type Files} from '../machine/files.js'
import type {SimulatedClock} from './clock.js'
import {runningShim} from './containerd/lifetime.js'
import {keyOf} from './drive-entries.js'
import type {ServiceProcess, World} from './world.js'

/** As long as the real files retry (machine/real/file-retry.ts). */
const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 1000

export function withRunningPrograms(files: Files, clock: SimulatedClock, world: World): Files {
  /** STATUS_CANNOT_DELETE is access denied, EPERM in Node; STATUS_SHARING_VIOLATION is EBUSY. */
  const free = async (
    operation: string,
    path: string,
    code: 'EBUSY' | 'EPERM',
    isHeld: () => boolean,
  ): Promise<void> => {
    const end = clock.now() + PATIENCE_MS
    while (isHeld()) {
      if (clock.now() >= end) throw new FileError(operation, path, code)
      await clock.sleep(LOOK_EVERY_MS)
    }
  }

  const isProgram = (is: (path: string) => boolean): boolean => {
    // Asked before every change of a file.
    if (world.os.program !== undefined && is(world.os.program)) return true
    for (const name in world.services) {
      const {childProgram, program} = world.services[name]?.process ?? {}
      if ((program !== undefined && is(program)) || (childProgram !== undefined && is(childProgram))) return true
    }
    const shim = runningShim(world)
    return shim !== undefined && is(shim)
  }
  const runs = (path: string): boolean => isProgram((one) => isSame(one, path))
  const runsBelow = (path: string): boolean => isProgram((one) => isBelow(one, path))

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

/** The files of k8s-win itself, of running services, of their wrappers' children, and of the shim of pods. */
function programs(world: World): {moveTo: (path: string) => void; path: string}[] {
  const shim = runningShim(world)
  const {os} = world
  return [
    ...(os.program === undefined ? [] : [{moveTo: (path: string) => void (os.program = path), path: os.program}]),
    ...Object.values(world.services).flatMap(({process}) => (process ? filesOf(process) : [])),
    ...(shim === undefined ? [] : [{moveTo: (path: string) => void (world.containerd.shim = path), path: shim}]),
  ]
}

function filesOf(process: ServiceProcess): {moveTo: (path: string) => void; path: string}[] {
  const own = {moveTo: (path: string) => void (process.program = path), path: process.program}
  if (process.childProgram === undefined) return [own]
  return [own, {moveTo: (path: string) => void (process.childProgram = path), path: process.childProgram}]
}

const isSame = (one: string, other: string): boolean => keyOf(one) === keyOf(other)
const isBelow = (path: string, folder: string): boolean => keyOf(path).startsWith(`${keyOf(folder)}\\`)
