// The packages that k8s-win consists of on Windows, from package-lock.json: those inside the bundle, which are tools of
// development for npm, and those that npm installs beside it.
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import type {Metafile} from 'esbuild'
import {root} from './esbuild-options.mjs'

interface LockedPackage {
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  /** Of k8s-win itself. */
  readonly devDependencies?: Readonly<Record<string, string>>
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
  /** Of one that npm does not have. */
  readonly purl?: string
  readonly version: string
}

export async function readLock(): Promise<LockedPackages> {
  const text = await readFile(path.join(root, 'package-lock.json'), 'utf8')
  return (JSON.parse(text) as {packages: LockedPackages}).packages
}

/** The places of the packages that esbuild has put into a bundle. */
export function bundledPlaces({inputs}: Metafile): string[] {
  const places = Object.keys(inputs).flatMap(
    (file) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  )
  return [...new Set(places)].sort()
}

/** Packages whose published files have their dependencies inside, where esbuild does not see them. */
const SELF_CONTAINED = ['tar']

/** k8s-win first, then all others by name and version, each once. `bundled` are places. */
export function includedPackages(
  packages: LockedPackages,
  own: {name: string; version: string},
  bundled: readonly string[],
): Dependency[] {
  const found = new Map<string, Dependency>()
  const about = (place: string) => {
    const name = place === '' ? own.name : place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const version = packages[place]?.version ?? own.version
    return {name, ref: `${name}@${version}`, version}
  }
  /** What npm installs has everything that it needs, and comes first: a package may be needed in both places. */
  const visit = (place: string, isOnlyBundled = false): string => {
    const {dependencies, devDependencies = {}, integrity = '', license = '', optionalDependencies} = packages[place]!
    const {name, ref, version} = about(place)
    if (found.has(ref)) return ref
    const dependsOn: string[] = []
    found.set(ref, {dependsOn, integrity, license, name, place, version})
    const inside = Object.keys(devDependencies).filter((one) => bundled.includes(`node_modules/${one}`))
    for (const wanted of [...Object.keys({...dependencies, ...optionalDependencies}), ...inside]) {
      const target = resolve(packages, place, wanted)
      const isInside = isOnlyBundled || inside.includes(wanted)
      // The bundle has no types, and stubs in place of some packages (esbuild-options.mjs).
      if (isInside && !bundled.some((one) => one === target)) continue
      if (target !== undefined && isForWindows(packages[target]!))
        dependsOn.push(visit(target, isInside && !SELF_CONTAINED.includes(wanted)))
      else if (target === undefined && !optionalDependencies?.[wanted])
        throw new Error(`${ref}: no ${wanted} in package-lock.json`)
    }
    dependsOn.sort()
    return ref
  }
  visit('')
  const unknown = bundled.filter((place) => !found.has(about(place).ref))
  if (unknown.length > 0) throw new Error(`in the bundle, and not a dependency: ${unknown.join(', ')}`)
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
