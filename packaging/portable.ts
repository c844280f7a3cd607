// The npm tarball, and the portable zip: node.exe and the package as npm installs it, to be unpacked anywhere.
import {execFile} from 'node:child_process'
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {zip, type ZipMember} from '../src/bundle/zip.js'
import {root} from './esbuild-options.mjs'
import {fileOf, type PackageContent, unpack} from './npm-packages.js'
import {SHAWL} from './shawl.js'

/** The first moment that a ZIP archive can name. */
const FIXED_TIME = Date.UTC(1980, 0, 1)

/** Without a program of its own: %~dp0 is the folder of the script, with "\" at its end. */
const STARTER = '@"%~dp0node.exe" "%~dp0bin\\run.js" %*\r\n'

/** `licences` are those of what is inside dist. npm gives every file the same time. */
export async function npmTarball(scratch: string, licences: string): Promise<Buffer> {
  await mkdir(scratch, {recursive: true})
  await writeFile(path.join(root, 'dist/licences.txt'), licences)
  await promisify(execFile)('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', scratch], {cwd: root})
  const [name = ''] = await readdir(scratch)
  return readFile(path.join(scratch, name))
}

export interface PortableParts {
  readonly licences: string
  /** What dist does not have inside, by name. */
  readonly modules: Readonly<Record<string, PackageContent>>
  readonly newerShawl?: Buffer | undefined
  readonly nodeForWindows: PackageContent
  readonly tarball: Buffer
}

export async function portableFiles(parts: PortableParts): Promise<ZipMember[]> {
  const {licences, modules, newerShawl, nodeForWindows, tarball} = parts
  const files = new Map(await unpack(tarball))
  if (newerShawl) files.set(SHAWL.key, newerShawl)
  files.set('k8s-win.cmd', Buffer.from(STARTER))
  files.set('licences.txt', Buffer.from(licences))
  files.set('node.exe', fileOf(nodeForWindows, 'bin/node.exe'))
  for (const [name, content] of Object.entries(modules)) {
    for (const [file, bytes] of content) files.set(`node_modules/${name}/${file}`, bytes)
  }
  return [...files]
    .map(([file, bytes]) => ({bytes, path: `k8s-win/${file}`}))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

export const portableZip = async (parts: PortableParts): Promise<Buffer> => zip(await portableFiles(parts), FIXED_TIME)
