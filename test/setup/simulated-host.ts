// A simulated host in a folder, and the real command run on it as a process.
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import type {RunResultDocument} from '../../src/pipeline/events.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {type Ended, k8sWin} from '../cli/program.js'
import {temporaryFolder} from '../steps/rig.js'

export class SimulatedHost {
  private constructor(readonly dir: string) {}

  static async make(sicken: (world: World) => void = () => {}): Promise<SimulatedHost> {
    const host = new SimulatedHost(temporaryFolder())
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.edit(sicken)
    return host
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

  put(path: string, content: string): void {
    mkdirSync(dirname(this.file(path)), {recursive: true})
    writeFileSync(this.file(path), content)
  }

  read(path: string): string {
    return readFileSync(this.file(path), 'utf8')
  }

  remove(path: string): void {
    rmSync(this.file(path), {recursive: true})
  }

  has(path: string): boolean {
    return existsSync(this.file(path))
  }

  setup(...args: readonly string[]): Promise<Ended> {
    return k8sWin(['setup', ...args], {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: this.dir})
  }

  async setupJson(...args: readonly string[]): Promise<Ended & {result: RunResultDocument}> {
    const ended = await this.setup('--json', ...args)
    return {...ended, result: JSON.parse(ended.stdout) as RunResultDocument}
  }

  get transcript(): {args: unknown[]; at: string; kind: string; outcome: string; via: string; what: string}[] {
    const lines = readFileSync(join(this.dir, 'transcript.ndjson'), 'utf8').trim().split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SimulatedHost['transcript'][number])
  }

  get world(): World {
    return JSON.parse(readFileSync(join(this.dir, 'machine.json'), 'utf8')) as World
  }

  /** The host's state: the world without its clock, and every file of drive C, our own log and result aside. */
  get state(): {files: Record<string, string>; world: World} {
    const {world} = this
    return {files: this.#files(), world: {...world, os: {...world.os, time: 0}}}
  }

  #files(): Record<string, string> {
    const root = join(this.dir, 'c')
    const own = /^[^/]+\/(logs(\/k8s-win(\/.*)?)?|k8s-win(\/result\.json)?)$/
    return Object.fromEntries(
      readdirSync(root, {recursive: true, withFileTypes: true})
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [relative(root, path).replaceAll('\\', '/'), path] as const)
        .filter(([name]) => !own.test(name))
        .map(([name, path]) => [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'base64')]),
    )
  }
}
