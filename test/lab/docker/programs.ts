// The real programs of this lab: Debian's, unpacked beside whatever Docker this machine has; and why there are none.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {readdir} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {unpackPackages} from '../debian-packages.js'
import {LabNotRun} from '../not-run.js'

const PACKAGES = ['docker.io', 'containerd', 'runc', 'docker-registry', 'libdevmapper1.02.1', 'libseccomp2'] as const
const BIN_FOLDERS = ['usr/sbin', 'usr/bin', 'sbin', 'bin']
const SYSTEM_PATH = BIN_FOLDERS.map((folder) => `/${folder}`).join(':')

export interface EnginePrograms {
  /** Without proxies: nothing here speaks to anything but loopback. */
  readonly environment: Readonly<Record<string, string>>
  /** Where a program is. */
  find(name: string): string
}

/** Rejects with LabNotRun where an engine cannot be had. */
export async function openPrograms(): Promise<EnginePrograms> {
  if (process.platform !== 'linux') throw new LabNotRun('the Docker Engine of this lab is a Linux program')
  if (process.getuid?.() !== 0) throw new LabNotRun('the Docker Engine needs root')
  const root = await unpackPackages(PACKAGES)
  const folders = BIN_FOLDERS.map((folder) => path.join(root, folder)).filter((folder) => existsSync(folder))
  return {
    environment: {
      LD_LIBRARY_PATH: (await libraryFolders(root)).join(':'),
      PATH: [...folders, SYSTEM_PATH].join(':'),
    },
    find(name) {
      const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
      if (found === undefined) throw new Error(`${name} is not in Debian's packages ${PACKAGES.join(', ')}`)
      return found
    },
  }
}

/** A static program: the containers have no libraries. */
export async function compileStatic(source: string, to: string): Promise<void> {
  const args = ['-static', '-Os', '-s', '-o', to, source]
  await promisify(execFile)('gcc', args, {env: {PATH: SYSTEM_PATH}, timeout: 60_000}).catch((error: unknown) => {
    const {code, message} = error as NodeJS.ErrnoException
    throw code === 'ENOENT' ? new Error('gcc is not there (Debian packages gcc and libc6-dev)') : new Error(message)
  })
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
