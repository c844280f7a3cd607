// The packages that npm installs with k8s-win on Windows, from package-lock.json. `npm sbom --omit dev` leaves out those that
// tools of development need too, such as @oclif/core.
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {root} from './esbuild-options.mjs'

interface LockedPackage {
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly integrity?: string
  readonly license?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly version?: string
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>

export interface Dependency {
  /** `name@version` of those it needs, sorted. */
  readonly dependsOn: readonly string[]
  /** As package-lock.json has it; empty for k8s-win itself. */
  readonly integrity: string
  readonly license: string
  readonly name: string
  /** Its place below the checkout: `node_modules/got`. Empty for k8s-win itself. */
  readonly place: string
  readonly version: string
}

export async function readLock(): Promise<LockedPackages> {
  const text = await readFile(path.join(root, 'package-lock.json'), 'utf8')
  return (JSON.parse(text) as {packages: LockedPackages}).packages
}

/** k8s-win first, then all others by name and version, each once. */
export function productionDependencies(packages: LockedPackages, own: {name: string; version: string}): Dependency[] {
  const found = new Map<string, Dependency>()
  const visit = (place: string): string => {
    const {dependencies, integrity = '', license = '', optionalDependencies, version = own.version} = packages[place]!
    const name = place === '' ? own.name : place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const ref = `${name}@${version}`
    if (found.has(ref)) return ref
    const dependsOn: string[] = []
    found.set(ref, {dependsOn, integrity, license, name, place, version})
    for (const wanted of Object.keys({...dependencies, ...optionalDependencies})) {
      const target = resolve(packages, place, wanted)
      if (target !== undefined && isForWindows(packages[target]!)) dependsOn.push(visit(target))
      else if (target === undefined && !optionalDependencies?.[wanted])
        throw new Error(`${ref}: no ${wanted} in package-lock.json`)
    }
    dependsOn.sort()
    return ref
  }
  visit('')
  const [first, ...others] = found.values()
  return [first!, ...others.sort((a, b) => compare(`${a.name}@${a.version}`, `${b.name}@${b.version}`))]
}

/** As Node.js looks for it: in the node_modules of the package, then further up. */
function resolve(packages: LockedPackages, from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const candidate = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`
    if (packages[candidate] !== undefined) return candidate
    if (place === '') return undefined
  }
}

const isForWindows = ({cpu = ['x64'], os = ['win32']}: LockedPackage): boolean =>
  os.includes('win32') && cpu.includes('x64')

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
