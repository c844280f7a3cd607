// A simulated host in the memory of this process.
import {createHash} from 'node:crypto'
import {win32} from 'node:path'

import {FileError, type Files} from '../../src/machine/files.js'
import {interceptFiles} from '../../src/machine/intercept.js'
import {remembered} from '../../src/machine/remembered.js'
import {type DriveOptions, openDrive} from '../../src/simulator/drive.js'
import {namesOnDrive} from '../../src/simulator/drive-entries.js'
import {securityIn} from '../../src/simulator/drive-security.js'
import {type HostStorage, withoutTime, type WorldStore} from '../../src/simulator/host.js'
import {createOverlay, isOnDrive, newFile} from '../../src/simulator/overlay-drive.js'
import type {World} from '../../src/simulator/world.js'
import {LosableEntries} from './losable-entries.js'

interface OpenWorld {
  /** As it was when another one replaced it. */
  saved: string
  readonly world: World
}

/** Every opener has a world of its own, as every process has; the last one to change is the host's. */
export class MemoryHost implements HostStorage {
  /** When upstream supported all releases: no test depends on the day on which it runs. */
  readonly bornAt = Date.UTC(2022, 4, 1)
  readonly name = 'a simulated host in memory'
  readonly #entries: LosableEntries
  #current: OpenWorld | undefined
  readonly #locks = new Set<string>()
  #modifiedMs = 0
  readonly #transcript: (() => string)[] = []

  constructor(entries = LosableEntries.drive(), world?: World) {
    this.#entries = entries
    if (world) this.#current = {saved: '', world}
  }

  /** Without the transcript and the locks. */
  copy(): MemoryHost {
    return new MemoryHost(this.#entries.copy(), this.#current && cloneOf(this.#current.world))
  }

  /** As `copy`, with the transcript from one of its lines on. */
  copySince(line: number): MemoryHost {
    const copy = this.copy()
    copy.#transcript.push(...this.#transcript.slice(line))
    return copy
  }

  /** Is from now on as another host is; what the transcript of that one has comes after its own. */
  become(other: MemoryHost): void {
    this.#entries.become(other.#entries)
    if (other.#current) this.#become({saved: '', world: cloneOf(other.#current.world)})
    this.#transcript.push(...other.#transcript)
  }

  /** All that a run finds here, as one text: on hosts with the same text it does the same. Undefined under a lock. */
  get fingerprint(): string | undefined {
    if (this.#locks.size > 0) return undefined
    const now = Date.now()
    const isRecent = (ms: number): boolean => now - RECENT_MS < ms && ms <= now + 1
    const world = JSON.stringify(this.#current?.world ?? null)
    const time = this.#current?.world.os.time ?? 0
    const entries = this.#entries.all.flatMap(([folder, names]) => [
      folder,
      ...[...names.values()].map(({entry, name}) => {
        const modified = 'modifiedMs' in entry && !isRecent(entry.modifiedMs) && entry.modifiedMs
        const {bytes, id: _id, ...rest} = {bytes: undefined, id: '', ...entry}
        return JSON.stringify([name, {...rest, modifiedMs: modified}, bytes && digestOf(bytes)])
      }),
    ])
    return [isRecent(time) ? world.replaceAll(String(time), '"now"') : world, ...entries].join('\n')
  }

  /** How many lines the transcript has. */
  get lines(): number {
    return this.#transcript.length
  }

  /** A copy of its present world. Undefined before the host was opened. */
  get world(): World | undefined {
    return this.#current && cloneOf(this.#current.world)
  }

  /** As if machine.json had been edited: present openers keep their worlds. The host takes it over. */
  set world(world: World | undefined) {
    if (world) this.#become({saved: '', world})
  }

  /** Its present world as one text, without its clock. */
  get worldText(): string {
    return this.#current ? withoutTime(this.#current.world) : ''
  }

  get entries(): LosableEntries {
    return this.#entries
  }

  get transcript(): string {
    return this.#transcript.map((text) => text()).join('')
  }

  flush(): void {
    this.#entries.flush()
  }

  isLocked(name: string): boolean {
    return this.#locks.has(name)
  }

  async link(path: string, target: string): Promise<boolean> {
    this.#entries.set(path, {kind: 'link', modifiedMs: this.now(), target})
    return true
  }

  lock(name: string): (() => Promise<void>) | undefined {
    if (this.#locks.has(name)) return undefined
    this.#locks.add(name)
    return async () => void this.#locks.delete(name)
  }

  /** No two changes of files have the same time. */
  now(): number {
    this.#modifiedMs = Math.max(this.#modifiedMs + 0.001, Date.now())
    return this.#modifiedMs
  }

  openDrive({digestOf, security}: DriveOptions): Files {
    // What was there before is on the disk.
    this.#entries.flush()
    this.#entries.securityOf = security
    const now = (): number => this.now()
    const drive = createOverlay({
      below: OUTSIDE,
      digestOf,
      entries: this.#entries,
      now,
      security: securityIn(security),
    })
    // As the drive in a folder: it refuses what Windows refuses, and only reads files of the real machine.
    return interceptFiles(drive, async ({args, kind, what}, perform) => {
      for (const path of args) {
        const problem = isOnDrive(path) ? problemOf(path) : 'EROFS'
        if (problem === 'EINVAL' || (problem && kind === 'change'))
          throw new FileError(OPERATIONS[what] ?? what, path, problem)
      }
      return perform()
    })
  }

  openStore(fresh: () => World, readOnly = false): WorldStore {
    const existed = this.#current !== undefined
    const world = this.world ?? fresh()
    const opened = {saved: existed && readOnly ? withoutTime(world) : '', world}
    // There is no difference yet, and most openers are the only one: their saves need not compare worlds.
    if (existed && !readOnly) this.#become(opened)
    return {
      existed,
      save: () => {
        if (this.#current !== opened && withoutTime(world) !== opened.saved) this.#become(opened)
      },
      world,
    }
  }

  /** The power goes: the last `calls` that changed names, and bytes that were never flushed, are lost with it. */
  losePower(calls: number): void {
    const security = this.#entries.lose(calls)
    if (security && this.#current) this.#current.world.security = {...security}
  }

  /** Creates a file with the folders above it. */
  put(path: string, content: Buffer | string): void {
    this.makeFolder(win32.dirname(path))
    this.#entries.set(path, newFile(Buffer.from(content), this.now()))
  }

  makeFolder(path: string): void {
    for (let folder = path; this.#entries.find(folder).kind === 'gone'; folder = win32.dirname(folder)) {
      this.#entries.set(folder, {kind: 'directory', modifiedMs: this.now()})
    }
  }

  /** Most transcripts are never read, and a line costs as much as an effect. */
  record(text: () => string): void {
    this.#transcript.push(text)
  }

  #become(next: OpenWorld): void {
    if (this.#current) this.#current.saved = withoutTime(this.#current.world)
    this.#current = next
  }
}

/** For files of the real machine only: the root of the drive in memory hides everything else. */
const OUTSIDE = openDrive('')

/** In the words of a FileError, where they are not the call's. */
const OPERATIONS: Readonly<Record<string, string>> = {
  append: 'append to',
  makeDirectory: 'create',
  removeEmpty: 'remove',
  status: 'inspect',
  writeChunks: 'write',
}

/** The error code of a path that the drive cannot have. */
const problemOf = remembered((path): string | undefined => {
  try {
    namesOnDrive('inspect', path)
    return undefined
  } catch (error) {
    return (error as FileError).code
  }
})

/** A host that was made so long ago is the same as one that is made now. */
const RECENT_MS = 60_000

/** Files in memory are never changed, only replaced. */
const digests = new WeakMap<Buffer, string>()

function digestOf(bytes: Buffer): string {
  const digest = digests.get(bytes) ?? createHash('sha256').update(bytes).digest('hex')
  digests.set(bytes, digest)
  return digest
}

const cloneOf = (world: World): World => JSON.parse(JSON.stringify(world)) as World
