import {win32} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {Files} from '../../src/machine/files.js'
import {FileError} from '../../src/machine/files.js'
import {openDrive} from '../../src/simulator/drive.js'
import {createOverlay} from '../../src/simulator/overlay-drive.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {DiskHost} from '../steps/host-folder.js'

const START = {
  'C:\\a\\b\\one.txt': 'one',
  'C:\\a\\b\\two.txt': 'two',
  'C:\\a\\three.txt': 'three',
  'C:\\k\\kubeconfig': 'secret',
}
const overlayOn = (below: Files): Files => createOverlay({below, digestOf: () => undefined, now: () => 0})

const PATHS = [
  'C:\\a',
  'c:\\A\\B',
  'C:\\a\\b\\one.txt',
  'C:\\a\\B\\TWO.txt',
  'C:\\a\\three.txt',
  'C:\\k',
  'C:\\new',
  'C:\\new\\file.txt',
  'C:\\a\\b\\new.txt',
]
const path = fc.constantFrom(...PATHS)

type Act = (files: Files) => Promise<unknown>
const act: fc.Arbitrary<readonly [string, Act]> = fc.oneof(
  path.map((one) => [`append ${one}`, (files: Files) => files.append(one, 'more')] as const),
  path.map((one) => [`makeDirectory ${one}`, (files: Files) => files.makeDirectory(one)] as const),
  path.map((one) => [`remove ${one}`, (files: Files) => removeThere(files, one)] as const),
  path.map((one) => [`removeEmpty ${one}`, (files: Files) => files.removeEmpty(one)] as const),
  path.map((one) => [`write ${one}`, (files: Files) => files.write(one, 'written')] as const),
  fc
    .tuple(path, path)
    .map(([from, to]) => [`rename ${from} ${to}`, (files: Files) => renameFile(files, from, to)] as const),
)

/** What steps rename is files. */
async function renameFile(files: Files, from: string, to: string): Promise<void> {
  const [source, target] = [await files.status(from), await files.status(to)]
  if (source?.kind === 'file' && target?.kind !== 'directory') await files.rename(from, to)
}

/** What lies below a file is not there on Windows; the system we run on may call that an error. */
async function removeThere(files: Files, one: string): Promise<void> {
  if (await files.status(one)) await files.remove(one)
}

async function attempt(files: Files, work: Act): Promise<unknown> {
  try {
    await work(files)
    return 'done'
  } catch (error) {
    if (error instanceof FileError) return 'refused'
    throw error
  }
}

const emptyDrive = (): Files =>
  new MemoryHost().openDrive({digestOf: () => undefined, keep: () => {}, security: () => ({})})

async function filled(drive: Files): Promise<Files> {
  for (const [file, text] of Object.entries(START)) {
    await drive.makeDirectory(win32.dirname(file))
    await drive.write(file, text)
  }

  return drive
}

/** Everything there is, as whoever reads it sees it. */
async function seen(files: Files, folder = 'C:\\'): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of await files.list(folder)) {
    const one = `${folder.replace(/\\$/, '')}\\${name}`
    const kind = (await files.status(one))?.kind
    found[one.toLowerCase()] = kind === 'file' ? `${kind} ${(await files.read(one))?.toString() ?? ''}` : String(kind)
    if (kind === 'directory') Object.assign(found, await seen(files, one))
  }

  return found
}

describe('a drive in memory', () => {
  test('behaves as one in a folder; above another one, it leaves that as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, {maxLength: 12}), async (acts) => {
        const folder = DiskHost.empty()
        try {
          const [alone, below, plain] = [
            await filled(emptyDrive()),
            await filled(emptyDrive()),
            await filled(openDrive(folder.dir)),
          ]
          const before = await seen(below)
          const above = overlayOn(below)
          for (const [name, work] of acts) {
            const wanted = await attempt(plain, work)
            expect(await attempt(above, work), name).toBe(wanted)
            expect(await attempt(alone, work), name).toBe(wanted)
          }

          expect(await seen(above)).toEqual(await seen(plain))
          expect(await seen(alone)).toEqual(await seen(plain))
          expect(await seen(below)).toEqual(before)
        } finally {
          folder.discard()
        }
      }),
      {numRuns: 25},
    )
  })

  test('a folder that is made where one was removed is empty', async () => {
    const overlay = overlayOn(memoryFiles(START))
    await overlay.remove('C:\\a')
    await overlay.makeDirectory('C:\\a')
    expect(await overlay.list('c:\\A')).toEqual([])
    expect(await overlay.read('C:\\a\\three.txt')).toBeUndefined()
  })

  test('what is renamed is read, digested and renamed on under its new name', async () => {
    const below = memoryFiles(START)
    const overlay = overlayOn(below)
    await overlay.rename('C:\\a\\three.txt', 'C:\\a\\four.txt')
    await overlay.rename('C:\\a\\four.txt', 'C:\\k\\five.txt')
    expect((await overlay.read('C:\\k\\five.txt'))?.toString()).toBe('three')
    expect(await overlay.digest('C:\\k\\five.txt', 'sha256')).toBe(await below.digest('C:\\a\\three.txt', 'sha256'))
    expect(await overlay.list('C:\\a')).toEqual(['b'])
  })

  test('a whole folder is renamed with all that is in it', async () => {
    const overlay = overlayOn(memoryFiles(START))
    await overlay.write('C:\\a\\b\\new.txt', 'new')
    await overlay.rename('C:\\a', 'C:\\z')
    expect(await seen(overlay, 'C:\\z')).toEqual({
      'c:\\z\\b': 'directory',
      'c:\\z\\b\\new.txt': 'file new',
      'c:\\z\\b\\one.txt': 'file one',
      'c:\\z\\b\\two.txt': 'file two',
      'c:\\z\\three.txt': 'file three',
    })
    expect(await overlay.status('C:\\a')).toBeUndefined()
  })

  test('a file in the place of a folder is reported', async () => {
    const overlay = overlayOn(memoryFiles(START))
    await expect(overlay.makeDirectory('C:\\a\\three.txt')).rejects.toMatchObject({code: 'EEXIST'})
    await expect(overlay.write('C:\\nowhere\\x', '')).rejects.toMatchObject({code: 'ENOENT'})
    await expect(overlay.digest('C:\\nowhere', 'sha256')).rejects.toMatchObject({code: 'ENOENT'})
  })
})
