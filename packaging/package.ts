// npm run package: writes everything that is published to release/. With `--seal <url>` it only writes the checksums and the
// manifest for scoop, of the files that are there: after signing, for the folder that they are published in.
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {root} from './esbuild-options.mjs'
import {buildRelease, sealed} from './release.js'

const folder = path.join(root, 'release')
const [option, url] = process.argv.slice(2)
if (option !== undefined && (option !== '--seal' || url === undefined)) {
  throw new Error(`unknown arguments: ${process.argv.slice(2).join(' ')}`)
}

const files = option === undefined ? await buildRelease() : sealed(await readRelease(), url)
await rm(folder, {force: true, recursive: true})
await mkdir(folder, {recursive: true})
for (const [name, bytes] of files) {
  await writeFile(path.join(folder, name), bytes)
  console.log(`release/${name.padEnd(32)} ${(bytes.length / 1e6).toFixed(1).padStart(6)} MB`)
}

async function readRelease(): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).sort()
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const)))
}
