// What removing files would do, step after step, as removeFiles does it: a folder goes when all that is in it has gone.
import {win32} from 'node:path'
import {keyOf} from '../../host/security/known-paths.js'
import type {Files} from '../../machine/files.js'
import {temporariesOf} from '../desired/file.js'
import {besideDrivers, driversBelow} from '../desired/flex-drivers.js'
import type {Journal} from '../ledger/journal.js'
import type {StepId} from '../run/step-id.js'

export class GoingFiles {
  readonly #files: Files
  readonly #gone = new Set<string>()

  constructor(files: Files) {
    this.#files = files
  }

  async isThere(path: string): Promise<boolean> {
    return !this.#isGone(path) && (await this.#files.status(path)) !== undefined
  }

  /** By itself, or with what it is in. */
  #isGone(path: string): boolean {
    const parent = win32.dirname(path)
    return this.#gone.has(keyOf(path)) || (parent !== path && this.#isGone(parent))
  }

  /** What is left, to run a removal on: it takes nothing away, and is told here. */
  remaining(onRemove: (path: string) => void): Files {
    return {
      ...this.#files,
      list: async (folder) =>
        (await this.#files.list(folder)).filter((name) => !this.#isGone(win32.join(folder, name))),
      remove: (path) => {
        this.#gone.add(keyOf(path))
        onRemove(path)
        return Promise.resolve()
      },
      status: async (path) => (this.#isGone(path) ? undefined : this.#files.status(path)),
    }
  }

  /** Those of them that are there, and from now on are not. */
  async take(paths: readonly string[]): Promise<string[]> {
    const taken: string[] = []
    for (const path of paths) {
      const isThere = await this.isThere(path)
      for (const temporary of await temporariesOf(this.#files, path)) this.#gone.add(keyOf(temporary))
      if (!isThere) continue
      this.#gone.add(keyOf(path))
      taken.push(path)
    }

    return taken
  }

  /** Our files, and those in whose place one that was there before us comes back. */
  async takeFiles(journal: Journal, step: StepId): Promise<{back: string[]; taken: string[]}> {
    const kept = new Map<string, string | undefined>()
    for (const {path, previous} of journal.entries(step, 'file')) kept.set(path, previous ?? kept.get(path))
    const back: string[] = []
    const taken: string[] = []
    for (const [path, previous] of kept) {
      if (previous === undefined) taken.push(...(await this.take([path])))
      else if ((await this.take([previous])).length > 0) back.push(path)
    }

    return {back, taken}
  }

  /** What daemons made, whole. */
  async takeTrees(journal: Journal, step: StepId): Promise<string[]> {
    const taken: string[] = []
    for (const {path} of journal.entries(step, 'tree')) {
      const hasDrivers = (await driversBelow(this.#files, path)).length > 0
      taken.push(...(await this.take(hasDrivers ? await besideDrivers(this.#files, path) : [path])))
    }

    return taken
  }

  /** Of these, innermost first, those with nothing left in them. */
  async takeEmpty(folders: readonly string[]): Promise<string[]> {
    const taken: string[] = []
    for (const folder of folders) {
      const names = await this.#files.list(folder)
      if (names.every((name) => this.#gone.has(keyOf(win32.join(folder, name))))) {
        taken.push(...(await this.take([folder])))
      }
    }

    return taken
  }
}
