// A simulated host, in memory or in a folder: read, made unhealthy, copied and compared, without starting anything.
import {createHash} from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join, relative, win32} from 'node:path'
import {EVENT_SOURCE} from '../../src/machine/win32.js'
import {takeHostLock} from '../../src/simulator/host-lock.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'

/** What `openSimulator` opens. */
export type HostPlace = MemoryHost | string

/** Of the host that is there; Windows Server 2019 with Docker for a new one. */
export function profileOf(dir: HostPlace): string {
  const file = typeof dir === 'string' ? join(dir, 'machine.json') : undefined
  if (file === undefined) return (dir as MemoryHost).world?.os.profile ?? 'ws2019'
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as World).os.profile : 'ws2019'
}

export class HostFolder {
  constructor(readonly dir: HostPlace) {}

  /** In memory. */
  static empty(): HostFolder {
    return new HostFolder(new MemoryHost())
  }

  /** In memory, as Windows is before anything is set up. */
  static async fresh(sicken: (world: World) => void = () => {}, profile = 'ws2019'): Promise<HostFolder> {
    const host = HostFolder.empty()
    await openSimulator({dir: host.dir, profile})
    host.edit(sicken)
    return host
  }

  copy(): HostFolder {
    if (this.dir instanceof MemoryHost) return new HostFolder(this.dir.copy())
    const copy = DiskHost.empty()
    copyFolder(this.dir, copy.dir)
    return copy
  }

  discard(): void {
    if (typeof this.dir === 'string') rmSync(this.dir, {force: true, recursive: true})
  }

  edit(change: (world: World) => void, world = this.world): void {
    change(world)
    if (this.dir instanceof MemoryHost) this.dir.world = world
    else writeFileSync(join(this.dir, 'machine.json'), JSON.stringify(world))
  }

  /** `path`: below C:\. */
  put(path: string, content: Buffer | string): void {
    if (this.dir instanceof MemoryHost) this.dir.put(pathOf(path), content)
    else {
      mkdirSync(dirname(fileIn(this.dir, path)), {recursive: true})
      writeFileSync(fileIn(this.dir, path), content)
    }
  }

  /** With the folders above it. */
  makeFolder(path: string): void {
    if (this.dir instanceof MemoryHost) this.dir.makeFolder(pathOf(path))
    else mkdirSync(fileIn(this.dir, path), {recursive: true})
  }

  append(path: string, text: string): void {
    if (typeof this.dir === 'string') return appendFileSync(fileIn(this.dir, path), text)
    const {entries} = this.dir
    const found = entries.find(pathOf(path))
    if (found.kind !== 'file') return this.put(path, text)
    const bytes = Buffer.concat([found.bytes, Buffer.from(text)])
    entries.set(pathOf(path), {...found, bytes, modifiedMs: this.dir.now()})
  }

  /** A lock, as a process on this host takes it. */
  lock(name: string): (() => Promise<void>) | undefined {
    return typeof this.dir === 'string' ? takeHostLock(this.dir, name) : this.dir.lock(name)
  }

  /** A link to a file or folder; all paths are below C:\. */
  link(path: string, target: string): void {
    if (typeof this.dir === 'string') symlinkSync(fileIn(this.dir, target), fileIn(this.dir, path), 'junction')
    else void this.dir.link(pathOf(path), pathOf(target))
  }

  /** The name a link leads to, if it is one. */
  linkTarget(path: string): string | undefined {
    if (typeof this.dir === 'string') return win32.basename(readlinkSync(fileIn(this.dir, path)))
    const found = this.dir.entries.find(pathOf(path))
    return found.kind === 'link' ? win32.basename(found.target) : undefined
  }

  /** Another name of a file. */
  hardLink(path: string, other: string): void {
    if (typeof this.dir === 'string') return linkSync(fileIn(this.dir, path), fileIn(this.dir, other))
    const {entries} = this.dir
    const found = entries.find(pathOf(path))
    if (found.kind !== 'file') throw new Error(`${path} is no file: ${found.kind}`)
    for (const name of [path, other]) entries.set(pathOf(name), {...found, links: 2})
  }

  move(from: string, to: string): void {
    if (typeof this.dir === 'string') return renameSync(fileIn(this.dir, from), fileIn(this.dir, to))
    const {entries} = this.dir
    const found = entries.find(pathOf(from))
    if (found.kind === 'gone' || found.kind === 'below') throw new Error(`there is no ${from}`)
    entries.set(pathOf(to), found)
    for (const name of found.kind === 'directory' ? this.list(from) : [])
      this.move(`${from}\\${name}`, `${to}\\${name}`)
    entries.remove(pathOf(from))
  }

  /** A file of another host in memory. */
  copyFrom({dir}: HostFolder, path: string): void {
    const found = dir instanceof MemoryHost ? dir.entries.find(pathOf(path)) : undefined
    if (found?.kind !== 'file') throw new Error(`${path} is no file in memory`)
    this.put(path, found.bytes)
  }

  /** A copy in a folder, for a process. */
  onDisk(): DiskHost {
    const copy = DiskHost.empty()
    if (typeof this.dir === 'string') copyFolder(this.dir, copy.dir)
    else {
      mkdirSync(join(copy.dir, 'c'))
      writeEntries(this.dir, copy.dir, '')
      if (this.dir.world) copy.edit(() => {}, this.dir.world)
    }

    return copy
  }

  read(path: string): string {
    if (typeof this.dir === 'string') return readFileSync(fileIn(this.dir, path), 'utf8')
    const found = this.dir.entries.find(pathOf(path))
    if (found.kind === 'link') return this.read(found.target.slice('C:\\'.length))
    if (found.kind !== 'file') throw new Error(`${path} is no file: ${found.kind}`)
    return found.bytes.toString('utf8')
  }

  remove(path: string): void {
    if (this.dir instanceof MemoryHost) this.dir.entries.remove(pathOf(path))
    else rmSync(fileIn(this.dir, path), {force: true, recursive: true})
  }

  has(path: string): boolean {
    if (typeof this.dir === 'string') return existsSync(fileIn(this.dir, path))
    return this.dir.entries.find(pathOf(path)).kind !== 'gone'
  }

  /** Names in a folder. */
  list(path: string): string[] {
    if (typeof this.dir === 'string') return readdirSync(fileIn(this.dir, path)).sort()
    const inside = this.dir.entries.inside(pathOf(path)).filter(({entry}) => entry.kind !== 'gone')
    return inside.map(({name}) => name).sort()
  }

  get transcriptText(): string {
    return typeof this.dir === 'string'
      ? readFileSync(join(this.dir, 'transcript.ndjson'), 'utf8')
      : this.dir.transcript
  }

  get transcript(): {args: unknown[]; at: string; kind: string; outcome: string; via: string; what: string}[] {
    return linesOf(this.transcriptText) as HostFolder['transcript']
  }

  get journal(): Record<string, unknown>[] {
    return linesOf(this.read(String.raw`k\k8s-win\journal.ndjson`)) as HostFolder['journal']
  }

  get world(): World {
    if (typeof this.dir === 'string') return JSON.parse(readFileSync(join(this.dir, 'machine.json'), 'utf8')) as World
    const {world} = this.dir
    if (!world) throw new Error('this host was never opened')
    return world
  }

  /** Of all files and folders of drive C, with slashes. */
  get paths(): string[] {
    return this.#listed.map(([path]) => path)
  }

  get #listed(): Listed[] {
    return typeof this.dir === 'string' ? filesIn(join(this.dir, 'c')) : entriesIn(this.dir, 'C:\\')
  }

  /** Files and folders of drive C by their path, with their content; of large ones, with its digest. */
  filesBut(isLeftOut: (name: string) => boolean): Record<string, string> {
    return Object.fromEntries(
      this.#listed
        .map(([path, content]) => [withoutTime(path), content] as const)
        .filter(([name]) => !isLeftOut(name))
        .map(([name, content]) => [name, content()]),
    )
  }

  /** The world without its clock, and every file, our own log and result aside, and what watch saw last. */
  get state(): {files: Record<string, string>; world: World} {
    const {world} = this
    const own = /^[^/]+\/(logs(\/k8s-win(\/.*)?)?|k8s-win(\/(health|result)\.json)?)$/
    return {
      files: this.filesBut((name) => own.test(name)),
      world: {
        ...world,
        // Time passes also in a run that changes nothing, and the kubelet reports to the cluster every ten seconds of it.
        cluster: {...world.cluster, nodes: world.cluster.nodes.map((node) => ({...node, heartbeatAt: 0}))},
        os: {...withoutOwnEvents(world.os), lastProcessId: 0, time: 0},
        security: securityBut(world, (name) => own.test(name)),
        services: Object.fromEntries(
          Object.entries(world.services).map(([name, service]) => [
            name,
            {...service, stage: service.stage.replace(/ \d+$/, '')},
          ]),
        ),
      },
    }
  }
}

/** In a folder: for the program as a process, and for files that only a disk has. */
export class DiskHost extends HostFolder {
  constructor(override readonly dir: string) {
    super(dir)
  }

  static override empty(): DiskHost {
    return new DiskHost(mkdtempSync(join(tmpdir(), 'k8s-win-')))
  }

  override copy(): DiskHost {
    const copy = DiskHost.empty()
    copyFolder(this.dir, copy.dir)
    return copy
  }

  copyTo(other: DiskHost): void {
    copyFolder(this.dir, other.dir)
  }

  /** A file on the simulated drive, by its path below C:\. */
  file(path: string): string {
    return fileIn(this.dir, path)
  }
}

const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

const copyFolder = (from: string, to: string): void =>
  cpSync(from, to, {
    filter: (path) => !path.endsWith('transcript.ndjson'),
    recursive: true,
    verbatimSymlinks: true,
  })

const fileIn = (dir: string, path: string): string => join(dir, 'c', ...path.split('\\'))
const pathOf = (path: string): string => win32.join('C:\\', path)

type Listed = readonly [path: string, content: () => string]

function filesIn(root: string): Listed[] {
  return readdirSync(root, {recursive: true, withFileTypes: true})
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [
      relative(root, path).replaceAll('\\', '/'),
      () => (statSync(path).isDirectory() ? 'folder' : contentOf(readFileSync(path))),
    ])
}

function entriesIn(host: MemoryHost, folder: string, prefix = ''): Listed[] {
  return host.entries.inside(folder).flatMap(({entry, name}) => {
    const path = win32.join(folder, name)
    switch (entry.kind) {
      case 'directory':
        return [[`${prefix}${name}`, () => 'folder'] as const, ...entriesIn(host, path, `${prefix}${name}/`)]
      case 'file':
        return [[`${prefix}${name}`, () => contentOf(entry.bytes)] as const]
      case 'link': {
        const target = host.entries.find(entry.target)
        return [[`${prefix}${name}`, () => (target.kind === 'file' ? contentOf(target.bytes) : 'nothing')] as const]
      }
      default:
        return []
    }
  })
}

function writeEntries(host: MemoryHost, dir: string, folder: string): void {
  for (const {entry, name} of host.entries.inside(pathOf(folder))) {
    const path = folder === '' ? name : `${folder}\\${name}`
    if (entry.kind === 'file') writeFileSync(fileIn(dir, path), entry.bytes)
    if (entry.kind === 'link') symlinkSync(win32.basename(entry.target), fileIn(dir, path))
    if (entry.kind === 'directory') {
      mkdirSync(fileIn(dir, path))
      writeEntries(host, dir, path)
    }
  }
}

const LARGE = 10_000
/** Files in memory are never changed, only replaced. */
const contents = new WeakMap<Buffer, string>()

function contentOf(bytes: Buffer): string {
  const content =
    contents.get(bytes) ??
    (bytes.length < LARGE ? bytes.toString('base64') : createHash('sha256').update(bytes).digest('hex'))
  contents.set(bytes, content)
  return content
}

/** The kubelet names a certificate after the second in which it stores it. */
const withoutTime = (name: string): string => name.replace(/(?<=\/kubelet-client-)\d{4}(?:-\d\d){5}(?=\.pem$)/, 'time')

/** Of what is compared: with what stays, its access list stays. */
export function securityBut({security}: World, isLeftOut: (name: string) => boolean): World['security'] {
  const nameOf = (path: string): string => path.slice('c:\\'.length).replaceAll('\\', '/')
  return Object.fromEntries(Object.entries(security).filter(([path]) => !isLeftOut(nameOf(path))))
}

/** Every run adds an event about its end, and Windows one for each shawl 1.3.0 at a shutdown; they stay in the log. */
export function withoutOwnEvents<Os extends Pick<World['os'], 'eventLogs'>>({
  eventLogs,
  ...os
}: Os): Omit<Os, 'eventLogs'> {
  const logs = Object.entries(eventLogs ?? {}).map(
    ([channel, events]) =>
      [channel, events.filter(({provider}) => provider !== EVENT_SOURCE && provider !== 'Application Error')] as const,
  )
  const kept = logs.filter(([channel, events]) => channel !== 'Application' || events.length > 0)
  return kept.length === 0 ? os : {...os, eventLogs: Object.fromEntries(kept)}
}
