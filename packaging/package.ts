// npm run package: writes everything that is published to release/.
import {mkdir, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {root} from './esbuild-options.mjs'
import {buildRelease} from './release.js'

const folder = path.join(root, 'release')
const files = await buildRelease()
await rm(folder, {force: true, recursive: true})
await mkdir(folder, {recursive: true})
for (const [name, bytes] of files) {
  await writeFile(path.join(folder, name), bytes)
  console.log(`release/${name.padEnd(32)} ${(bytes.length / 1e6).toFixed(1).padStart(6)} MB`)
}
