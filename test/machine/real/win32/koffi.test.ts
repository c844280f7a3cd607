import {mkdir, readdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import path from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {addonNotExtracted, addonTampered} from '../../../../src/errors/program.js'
import {loadAddon, systemDrive} from '../../../../src/machine/real/win32/koffi.js'
import {scratchFolder} from '../scratch.js'

const {resolve} = createRequire(import.meta.url)
const PLATFORM = `${process.platform}_${process.arch}`
const ADDON = path.join(
  path.dirname(resolve(`@koromix/koffi-${process.platform}-${process.arch}`)),
  PLATFORM,
  'koffi.node',
)

let bytes: Buffer
beforeAll(async () => {
  bytes = await readFile(ADDON)
})

const place = async (): Promise<string> => path.join(await scratchFolder(), 'k8s-win')
const load = async (folder: string) => (await loadAddon({bytes, folder})) as {version: string}
const theFile = async (folder: string): Promise<string> => path.join(folder, (await readdir(folder))[0]!)

describe('the addon of the single executable', () => {
  it('is written once, loaded, and leaves nothing beside it', async () => {
    const folder = await place()
    expect((await load(folder)).version).toMatch(/^\d/)
    expect((await load(folder)).version).toMatch(/^\d/)
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^koffi-[0-9a-f]{16}\.node$/)])
    expect(bytes.equals(await readFile(await theFile(folder)))).toBe(true)
  })

  it('is the same file for processes that start at once', async () => {
    const folder = await place()
    const all = await Promise.all(Array.from({length: 8}, () => load(folder)))
    expect(new Set(all.map(({version}) => version)).size).toBe(1)
    expect(await readdir(folder)).toHaveLength(1)
  })

  it.each(['of another length', 'of the same length'])('replaces a changed file %s', async (which) => {
    const folder = await place()
    const other = Buffer.from(bytes)
    other[other.length - 1]! ^= 1
    await load(folder)
    const file = await theFile(folder)
    const changed = which === 'of the same length' ? other : Buffer.from('MZ')
    // Another file of that name: this process has the genuine one loaded.
    await writeFile(`${file}.new`, changed)
    await rename(`${file}.new`, file)
    await load(folder)
    expect(bytes.equals(await readFile(file))).toBe(true)
  })

  it('is not loaded where the changed file cannot be replaced', async () => {
    const folder = await place()
    await load(folder)
    const file = await theFile(folder)
    await rm(file)
    // As a locked file on Windows, a folder cannot be replaced by a file.
    await mkdir(path.join(file, 'inside'), {recursive: true})
    await expect(load(folder)).rejects.toMatchObject({exitCode: 4, id: addonTampered.id})
  })

  it('is not loaded through a link', async () => {
    const real = await scratchFolder()
    const folder = path.join(await scratchFolder(), 'k8s-win')
    await symlink(real, folder)
    await expect(load(folder)).rejects.toMatchObject({id: addonTampered.id})
    expect(await readdir(real)).toEqual([])
  })

  it('says so where it cannot be written', async () => {
    const folder = path.join(await scratchFolder(), 'missing', 'k8s-win')
    await expect(load(folder)).rejects.toMatchObject({exitCode: 3, id: addonNotExtracted.id})
  })
})

describe('the drive that Windows is on', () => {
  const fails = async (): Promise<string> => Promise.reject(Object.assign(new Error('no'), {code: 'ENOENT'}))

  it("is that of the object manager's link", async () => {
    expect(
      await systemDrive(
        async () => 'd:\\Windows',
        () => 'C:\\Users\\x',
      ),
    ).toBe('D:\\')
    expect(await systemDrive(async () => '\\\\?\\E:\\Windows')).toBe('E:\\')
  })

  it("is that of the user's profile where there is no such link", async () => {
    expect(await systemDrive(fails, () => 'C:\\Users\\x')).toBe('C:\\')
  })

  it('must be a drive', async () => {
    await expect(systemDrive(fails, () => '\\\\server\\profiles\\x')).rejects.toMatchObject({id: addonNotExtracted.id})
  })
})
