// Drive C: Windows paths, names without case, and nothing outside it changed.
import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import fc from 'fast-check'
import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import type {Files} from '../../src/machine/files.js'
import {FileError} from '../../src/machine/files.js'
import {createDrive} from '../../src/simulator/drive.js'
import {MemoryHost} from '../fakes/memory-host.js'

let dir: string
let drive: Files
let security: Record<string, string>

const options = {digestOf: () => undefined, keep: () => {}, security: () => security}
const OPEN = {folder: () => createDrive(dir, options), memory: () => new MemoryHost().openDrive(options)}
afterEach(() => rm(dir, {force: true, recursive: true}))

async function open(where: keyof typeof OPEN): Promise<void> {
  dir = await mkdtemp(join(tmpdir(), 'k8s-win-drive-'))
  security = {}
  drive = OPEN[where]()
  await drive.makeDirectory('C:\\')
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof FileError ? error.code : `not a FileError: ${String(error)}`),
  )

const name = fc
  .stringMatching(/^[A-Za-z0-9äß_ .-]{1,12}$/)
  .filter((text) => !/[. ]$/.test(text) && !/^\.+$/.test(text) && text.toUpperCase().length === text.length)

describe.each(['folder', 'memory'] as const)('paths of a drive in %s', (where) => {
  beforeEach(() => open(where))

  it('finds what was written under any spelling of its path', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(name, {maxLength: 4, minLength: 1}), fc.string(), async (names, text) => {
        const folder = `c:\\${names.join('\\')}`
        await drive.makeDirectory(folder)
        await drive.write(`${folder}\\File.txt`, text)
        const spellings = [
          `${folder}\\File.txt`,
          `${folder}\\FILE.TXT`.toUpperCase(),
          `C:/${names.join('/')}/file.txt`,
          `\\\\?\\${folder}\\File.txt`,
          `${folder}\\.\\nowhere\\..\\file.txt`,
        ]
        for (const path of spellings) expect((await drive.read(path))?.toString()).toBe(text)
        expect(await drive.list(folder.toUpperCase())).toContain('File.txt')
        await drive.remove(`c:\\${names[0] as string}`)
        expect(await drive.status(folder)).toBeUndefined()
      }),
      {numRuns: 40},
    )
  })

  it('keeps the case a name was made with', async () => {
    await drive.write('C:\\ReadMe', 'one')
    await drive.write('C:\\README', 'two')
    expect(await drive.list('C:\\')).toEqual(['ReadMe'])
    await drive.rename('C:\\readme', 'C:\\readme')
    expect(await drive.list('C:\\')).toEqual(['readme'])
  })

  it('refuses names Windows refuses', async () => {
    const bad = fc.constantFrom('a<b', 'a>b', 'a:b', 'a"b', 'a|b', 'a?b', 'a*b', 'a.', 'a ', 'a\u0007b')
    await fc.assert(
      fc.asyncProperty(bad, async (one) => {
        expect(await codeOf(drive.write(`C:\\${one}`, ''))).toBe('EINVAL')
        expect(await codeOf(drive.makeDirectory(`C:\\${one}\\x`))).toBe('EINVAL')
      }),
    )
  })

  it('never leaves the folder, however many .. a path has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('..', '.', 'a', 'b'), {maxLength: 8}), async (parts) => {
        await drive.makeDirectory(`C:\\${parts.join('\\')}`)
        expect((await readdir(dir)).filter((entry) => entry !== 'c')).toEqual([])
      }),
    )
  })

  it.each([
    ['another drive', 'D:\\x', 'ENOENT'],
    ['a network share', '\\\\server\\share\\x', 'ENOENT'],
    ['a path relative to a drive', 'C:x', 'EINVAL'],
    ['a folder that is not there', 'C:\\none\\x', 'ENOENT'],
  ])('refuses to write to %s', async (_, path, code) => {
    expect(await codeOf(drive.write(path, ''))).toBe(code)
  })

  it('reads files of the machine we run on, and never writes one', async () => {
    const real = join(dir, 'own.txt')
    await writeFile(real, 'mine')
    expect((await drive.read(real))?.toString()).toBe('mine')
    expect(await codeOf(drive.write(real, 'yours'))).toBe('EROFS')
    expect(await codeOf(drive.remove(real))).toBe('EROFS')
    expect((await drive.read(real))?.toString()).toBe('mine')
  })
})

describe.each(['folder', 'memory'] as const)('files of a drive in %s', (where) => {
  beforeEach(() => open(where))

  it('answers nothing for what is not there', async () => {
    expect(await drive.read('C:\\none')).toBeUndefined()
    expect(await drive.status('C:\\none\\deeper')).toBeUndefined()
    expect(await drive.list('C:\\none')).toEqual([])
    await drive.remove('C:\\none')
    expect(await codeOf(drive.readChunks('C:\\none')[Symbol.asyncIterator]().next())).toBe('ENOENT')
  })

  it('reports a folder read as a file', async () => {
    await drive.makeDirectory('C:\\k')
    expect(await codeOf(drive.read('C:\\k'))).toBe('EISDIR')
    expect((await drive.status('C:\\K'))?.kind).toBe('directory')
  })

  it('leaves the old content and nothing half-made when a stream fails', async () => {
    await drive.write('C:\\a', 'old')
    const broken = (async function* () {
      yield Buffer.from('new')
      throw new Error('the source broke')
    })()
    await expect(drive.writeChunks('C:\\a', broken)).rejects.toThrow('the source broke')
    expect((await drive.read('C:\\a'))?.toString()).toBe('old')
    expect(await drive.list('C:\\')).toEqual(['a'])
  })

  it('reads back in pieces what was written in pieces', async () => {
    const pieces = (async function* () {
      yield Buffer.from('one ')
      yield Buffer.from('two')
    })()
    expect(await drive.writeChunks('C:\\a', pieces)).toBe(7)
    await drive.append('C:\\A', ' three')
    let text = ''
    for await (const chunk of drive.readChunks('C:\\a')) text += Buffer.from(chunk).toString()
    expect(text).toBe('one two three')
  })

  it('replaces a file by renaming, but no folder', async () => {
    await drive.write('C:\\a', 'new')
    await drive.write('C:\\B', 'old')
    await drive.makeDirectory('C:\\folder')
    await drive.rename('C:\\a', 'C:\\b')
    expect(await drive.list('C:\\')).toEqual(['b', 'folder'])
    expect(await codeOf(drive.rename('C:\\b', 'C:\\folder'))).toBe('EPERM')
    expect(await codeOf(drive.rename('C:\\none', 'C:\\c'))).toBe('ENOENT')
  })

  it('keeps security descriptors with their files', async () => {
    await drive.makeDirectory('C:\\K')
    await drive.write('C:\\K\\kubeconfig', 'x', {sddl: 'D:P(A;;FA;;;SY)'})
    expect(security).toEqual({'c:\\k\\kubeconfig': 'O:BAD:P(A;;FA;;;SY)'})
    await drive.rename('C:\\K', 'C:\\moved')
    expect(Object.keys(security)).toEqual(['c:\\moved\\kubeconfig'])
    await drive.write('C:\\moved\\kubeconfig', 'y')
    expect(security).toEqual({})
    await drive.write('C:\\moved\\kubeconfig', 'x', {sddl: 'O:SYD:P'})
    await drive.remove('C:\\MOVED')
    expect(security).toEqual({})
  })

  it('does not remove the drive', async () => {
    expect(await codeOf(drive.remove('C:\\'))).toBe('EPERM')
  })

  it('gives the digest of the bytes', async () => {
    await drive.write('C:\\a', 'abc')
    expect(await drive.digest('C:\\a', 'sha256')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

it('review R2-10: a process that was killed before its file existed leaves no access list', async () => {
  await open('folder')
  const temporary = String.raw`c:\k\lock.json.00000000-0000-4000-8000-000000000000.tmp`
  const own = String.raw`c:\k\lock.json`
  security = {[own]: 'O:BAD:P', [temporary]: 'O:BAD:P'}
  await OPEN.folder().status('C:\\')
  expect(Object.keys(security)).toEqual([own])
})
