// Real daemons of Debian's packages, unpacked beside whatever this machine has; and why there are none.
import {existsSync} from 'node:fs'
import {readdir} from 'node:fs/promises'
import path from 'node:path'
import {unpackPackages} from './debian-packages.js'
import {LabNotRun} from './not-run.js'

const BIN_FOLDERS = ['usr/sbin', 'usr/bin', 'sbin', 'bin']
export const SYSTEM_PATH = BIN_FOLDERS.map((folder) => `/${folder}`).join(':')

export interface DebianPrograms {
  /** Without proxies: nothing here speaks to anything but loopback. */
  readonly environment: Readonly<Record<string, string>>
  /** Where a program is. */
  find(name: string): string
  /** Where the packages are unpacked. */
  readonly root: string
}

/** Rejects with LabNotRun where they cannot run. `suite`: a release of Debian that is not this machine's. */
export async function openPrograms(packages: readonly [string, ...string[]], suite?: string): Promise<DebianPrograms> {
  if (process.platform !== 'linux') throw new LabNotRun(`${packages[0]} of this lab is a Linux program`)
  if (process.getuid?.() !== 0) throw new LabNotRun(`${packages[0]} needs root`)
  const root = await unpackPackages(packages, suite)
  const folders = BIN_FOLDERS.map((folder) => path.join(root, folder)).filter((folder) => existsSync(folder))
  return {
    environment: {
      LD_LIBRARY_PATH: (await libraryFolders(root)).join(':'),
      PATH: [...folders, SYSTEM_PATH].join(':'),
    },
    find(name) {
      const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
      if (found === undefined) throw new Error(`${name} is not in Debian's packages ${packages.join(', ')}`)
      return found
    },
    root,
  }
}

async function libraryFolders(root: string): Promise<string[]> {
  const found = await Promise.all(
    ['lib', 'usr/lib'].map(async (folder) => {
      const names = await readdir(path.join(root, folder)).catch(() => [])
      return names.filter((name) => name.endsWith('-linux-gnu')).map((name) => path.join(root, folder, name))
    }),
  )
  return found.flat()
}
