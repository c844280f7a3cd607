// A stage in memory for tests: a fresh world, a plain map of files, and time that passes only on request.
import {win32} from 'node:path'

import type {Files} from '../../src/machine/files.js'
import {FileError} from '../../src/machine/files.js'
import {advanceDaemons} from '../../src/simulator/daemons/index.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import type {Stage} from '../../src/simulator/model.js'
import {profileNamed} from '../../src/simulator/profiles/index.js'

const START = Date.UTC(2021, 10, 15, 2, 41)
const HOP_MS = 500

export interface TestStage extends Stage {
  /** Lets time pass at once, also backwards: the daemons advance only afterwards. */
  skip(ms: number): Promise<void>
  /** The text of a file; empty where there is none. */
  text(path: string): Promise<string>
}

export async function makeStage(profile = 'ws2019'): Promise<TestStage> {
  let now = START
  const files = makeFiles()
  const world = profileNamed(profile).makeWorld(START)
  const stage: TestStage = {
    async elapse(ms) {
      for (const end = now + ms; now < end;) {
        now = Math.min(end, now + HOP_MS)
        await advanceDaemons(stage)
      }
    },
    files,
    link: (path, target) => files.link(path, target),
    now: () => now,
    async skip(ms) {
      now += ms
      await advanceDaemons(stage)
    },
    text: async (path) => (await files.read(path))?.toString() ?? '',
    world,
  }
  await profileNamed(profile).fillDrive(files, world)
  return stage
}

export async function install(stage: Stage, path: string, name: string, version: string): Promise<void> {
  await stage.files.makeDirectory(win32.dirname(path))
  await stage.files.write(path, makeStandIn({name, version}))
}

export interface TestFiles extends Files {
  link(path: string, target: string): Promise<boolean>
}

export function makeFiles(): TestFiles {
  const nodes = new Map<string, {data?: Buffer; name: string; target?: string}>()
  const key = (path: string): string => win32.normalize(path).replace(/\\+$/, '').toLowerCase()
  const read = async (path: string): Promise<Buffer | undefined> => {
    const node = nodes.get(key(path))
    return node?.target === undefined ? node?.data : read(node.target)
  }

  const makeDirectory = async (path: string): Promise<void> => {
    const parent = win32.dirname(path)
    if (parent !== path) await makeDirectory(parent)
    if (!nodes.has(key(path))) nodes.set(key(path), {name: win32.basename(path)})
  }

  const write = async (path: string, data: string | Uint8Array): Promise<void> => {
    if (!nodes.has(key(win32.dirname(path)))) throw new FileError('write', path, 'ENOENT')
    nodes.set(key(path), {data: Buffer.from(data), name: win32.basename(path)})
  }

  return {
    async append(path, text) {
      await write(path, Buffer.concat([(await read(path)) ?? Buffer.alloc(0), Buffer.from(text)]))
    },
    digest: () => Promise.reject(new Error('not used here')),
    async list(path) {
      const children = [...nodes].filter(([known]) => win32.dirname(known) === key(path) && known !== key(path))
      return children.map(([, {name}]) => name).sort()
    },
    makeDirectory,
    read,
    async *readChunks(path) {
      yield (await read(path)) ?? Buffer.alloc(0)
    },
    readRange: () => Promise.reject(new Error('not used here')),
    async remove(path) {
      for (const known of [...nodes.keys()])
        if (known === key(path) || known.startsWith(`${key(path)}\\`)) nodes.delete(known)
    },
    removeEmpty: () => Promise.reject(new Error('not used here')),
    async link(path, target) {
      nodes.set(key(path), {name: win32.basename(path), target})
      return true
    },
    async rename(from, to) {
      const {target} = nodes.get(key(from)) ?? {}
      if (target === undefined) await write(to, (await read(from)) ?? '')
      else nodes.set(key(to), {name: win32.basename(to), target})
      nodes.delete(key(from))
    },
    async status(path) {
      const node = nodes.get(key(path))
      const kind = node?.target === undefined ? (node?.data ? 'file' : 'directory') : 'link'
      return node && {kind, modifiedMs: START, size: node.data?.length ?? 0}
    },
    write,
    writeChunks: () => Promise.reject(new Error('not used here')),
  }
}
