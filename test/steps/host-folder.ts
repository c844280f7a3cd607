// A simulated host as it lies in its folder: read, made sick, copied and compared, without starting anything.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join, relative} from 'node:path'
import type {World} from '../../src/simulator/world.js'

export class HostFolder {
  constructor(readonly dir: string) {}

  static empty(): HostFolder {
    return new HostFolder(mkdtempSync(join(tmpdir(), 'k8s-win-')))
  }

  copy(): HostFolder {
    const copy = HostFolder.empty()
    this.copyTo(copy)
    return copy
  }

  copyTo(other: HostFolder): void {
    cpSync(this.dir, other.dir, {
      filter: (path) => !path.endsWith('transcript.ndjson'),
      recursive: true,
      verbatimSymlinks: true,
    })
  }

  discard(): void {
    rmSync(this.dir, {force: true, recursive: true})
  }

  edit(change: (world: World) => void): void {
    const {world} = this
    change(world)
    writeFileSync(join(this.dir, 'machine.json'), JSON.stringify(world))
  }

  /** A file on the simulated drive, by its path below C:\. */
  file(path: string): string {
    return join(this.dir, 'c', ...path.split('\\'))
  }

  put(path: string, content: Buffer | string): void {
    mkdirSync(dirname(this.file(path)), {recursive: true})
    writeFileSync(this.file(path), content)
  }

  read(path: string): string {
    return readFileSync(this.file(path), 'utf8')
  }

  remove(path: string): void {
    rmSync(this.file(path), {force: true, recursive: true})
  }

  has(path: string): boolean {
    return existsSync(this.file(path))
  }

  get world(): World {
    return JSON.parse(readFileSync(join(this.dir, 'machine.json'), 'utf8')) as World
  }

  /** Files and folders of drive C by their path, with their content. */
  filesBut(isLeftOut: (name: string) => boolean): Record<string, string> {
    const root = join(this.dir, 'c')
    return Object.fromEntries(
      readdirSync(root, {recursive: true, withFileTypes: true})
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [withoutTime(relative(root, path).replaceAll('\\', '/')), path] as const)
        .filter(([name]) => !isLeftOut(name))
        .map(([name, path]) => [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'base64')]),
    )
  }

  /** The world without its clock, and every file, our own log and result aside. */
  get state(): {files: Record<string, string>; world: World} {
    const {world} = this
    const own = /^[^/]+\/(logs(\/k8s-win(\/.*)?)?|k8s-win(\/result\.json)?)$/
    return {
      files: this.filesBut((name) => own.test(name)),
      world: {
        ...world,
        os: {...world.os, time: 0},
        security: securityBut(world, (name) => own.test(name)),
      },
    }
  }
}

/** The kubelet names a certificate after the second in which it stores it. */
const withoutTime = (name: string): string => name.replace(/(?<=\/kubelet-client-)\d{4}(?:-\d\d){5}(?=\.pem$)/, 'time')

/** Of what is compared: with what stays, its access list stays. */
export function securityBut({security}: World, isLeftOut: (name: string) => boolean): World['security'] {
  const nameOf = (path: string): string => path.slice('c:\\'.length).replaceAll('\\', '/')
  return Object.fromEntries(Object.entries(security).filter(([path]) => !isLeftOut(nameOf(path))))
}
