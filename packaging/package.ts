// npm run package: writes everything that is published to release/. In a release with signatures it runs three times:
// `--parts` writes what is signed before it is packaged, and node.exe, to parts/; `--signed` packages with what is in parts/
// then; `--seal <url>` only writes the checksums and the manifest for scoop, of the files that are in release/: after signing,
// for the folder that they are published in.
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {root} from './esbuild-options.mjs'
import {buildParts, buildRelease, sealed} from './release.js'

const [option, url, ...more] = process.argv.slice(2)
if (more.length > 0 || (option === '--seal') !== (url !== undefined)) {
  throw new Error(`unknown arguments: ${process.argv.slice(2).join(' ')}`)
}

const target = option === '--parts' ? 'parts' : 'release'
const files = await build()
const folder = path.join(root, target)
await rm(folder, {force: true, recursive: true})
await mkdir(folder, {recursive: true})
for (const [name, bytes] of files) {
  await writeFile(path.join(folder, name), bytes)
  console.log(`${`${target}/${name}`.padEnd(40)} ${(bytes.length / 1e6).toFixed(1).padStart(6)} MB`)
}

async function build(): Promise<ReadonlyMap<string, Buffer>> {
  switch (option) {
    case '--parts': {
      return buildParts()
    }
    case '--seal': {
      return sealed(await readFolder('release'), url)
    }
    case '--signed': {
      return buildRelease(await readFolder('parts'))
    }
    case undefined: {
      return buildRelease()
    }
    default: {
      throw new Error(`unknown option: ${option}`)
    }
  }
}

async function readFolder(name: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(path.join(root, name))).sort()
  return new Map(
    await Promise.all(names.map(async (file) => [file, await readFile(path.join(root, name, file))] as const)),
  )
}
