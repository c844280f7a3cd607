import {createHash} from 'node:crypto'
import {mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {FileError} from '../../../src/machine/files.js'
import {openFiles} from '../../../src/machine/real/files.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {scratchFolder} from './scratch.js'
import {steadyClock} from './steady-clock.js'

const secured: {path: string; sddl: string; size: number}[] = []
const files = openFiles({
  clock: steadyClock(),
  secured: {
    async createFile(path, sddl) {
      if (sddl === 'wrong') throw new Win32Error('ConvertStringSecurityDescriptorToSecurityDescriptorW', 1336, path)
      await writeFile(path, '', {flag: 'wx'})
      secured.push({path, sddl, size: (await stat(path)).size})
    },
    async createFolder(path, sddl) {
      await mkdir(path)
      secured.push({path, sddl, size: 0})
    },
    isReparsePoint: async (path) => path.endsWith('mount point'),
  },
})

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

describe('writing', () => {
  it('replaces the content and leaves nothing beside it', async () => {
    const folder = await scratchFolder()
    const file = join(folder, 'net-conf.json')
    await files.write(file, 'old')
    await files.write(file, new Uint8Array([0x6e, 0x65, 0x77]))
    expect(await readFile(file, 'utf8')).toBe('new')
    expect(await readdir(folder)).toEqual(['net-conf.json'])
  })

  it('keeps any content', async () => {
    const file = join(await scratchFolder(), 'any')
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({maxLength: 2000}), async (bytes) => {
        await files.write(file, bytes)
        expect((await files.read(file))?.equals(bytes)).toBe(true)
      }),
      {numRuns: 20},
    )
  })

  it('never shows a reader half of it', async () => {
    const file = join(await scratchFolder(), 'f')
    const [one, other] = ['1'.repeat(200_000), '2'.repeat(100_000)]
    await files.write(file, one)
    let reading = true
    const reader = (async () => {
      while (reading) expect([one, other]).toContain((await files.read(file))?.toString())
    })()
    for (let round = 0; round < 5; round++) await files.write(file, round % 2 === 0 ? other : one)
    reading = false
    await reader
  })

  it('sets the security before the first byte', async () => {
    const file = join(await scratchFolder(), 'kubeconfig')
    await files.write(file, 'secret', {sddl: 'O:BAD:P(A;;FA;;;BA)'})
    const [{path, ...rest}] = secured.splice(0) as [(typeof secured)[number]]
    expect(rest).toEqual({sddl: 'O:BAD:P(A;;FA;;;BA)', size: 0})
    expect(path.startsWith(file) && path !== file).toBe(true)
  })

  it('writes nothing where the security cannot be set', async () => {
    const folder = await scratchFolder()
    const written = files.write(join(folder, 'kubeconfig'), 'secret', {sddl: 'wrong'})
    await expect(written).rejects.toMatchObject({code: 1336, name: 'Win32Error'})
    expect(await readdir(folder)).toEqual([])
  })

  it('is refused with a security descriptor where there is no such thing', async () => {
    const folder = await scratchFolder()
    const plain = openFiles({clock: steadyClock()})
    const security = 'O:BAD:P(A;;FA;;;BA)'
    await expect(plain.write(join(folder, 'f'), 'secret', {sddl: security})).rejects.toThrow('on Windows only')
    await expect(plain.makeDirectory(join(folder, 'd'), {security})).rejects.toThrow('on Windows only')
    expect(await readdir(folder)).toEqual([])
  })

  it('into a folder that is not there fails', async () => {
    const file = join(await scratchFolder(), 'none', 'f')
    await expect(files.write(file, 'x')).rejects.toEqual(new FileError('write', file, 'ENOENT'))
  })

  it('in pieces counts the bytes', async () => {
    const file = join(await scratchFolder(), 'f')
    expect(await files.writeChunks(file, pieces('ü', '', 'bc'))).toBe(4)
    expect(await readFile(file, 'utf8')).toBe('übc')
  })

  it('in pieces keeps the old content where the source fails, and reports the source’s error', async () => {
    const folder = await scratchFolder()
    const file = join(folder, 'f')
    await files.write(file, 'old')
    const broken = Object.assign(new Error('cut'), {code: 'TRUNCATED'})
    async function* source() {
      yield Buffer.from('half')
      throw broken
    }
    await expect(files.writeChunks(file, source())).rejects.toBe(broken)
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['f'])
  })

  it('appends, making the file', async () => {
    const file = join(await scratchFolder(), 'journal.ndjson')
    await files.append(file, 'a\n')
    await files.append(file, 'b\n')
    expect(await readFile(file, 'utf8')).toBe('a\nb\n')
  })
})

describe('folders with a security descriptor', () => {
  const security = 'O:BAD:P(A;;FA;;;BA)'

  it('have it from the first, and so have the parents that are made with them', async () => {
    const folder = await scratchFolder()
    const [outer, inner] = [join(folder, 'k'), join(folder, 'k', 'k8s-win')]
    await files.makeDirectory(inner, {security})
    await files.makeDirectory(inner, {security})
    expect(secured.splice(0)).toEqual([outer, inner].map((path) => ({path, sddl: security, size: 0})))
    expect((await stat(inner)).isDirectory()).toBe(true)
  })

  it('do not take the place of a file', async () => {
    const file = join(await scratchFolder(), 'f')
    await files.write(file, 'x')
    await expect(files.makeDirectory(file, {security})).rejects.toMatchObject({code: 'EEXIST'})
    expect(secured.splice(0)).toEqual([])
  })
})

describe('reading', () => {
  it('what is not there', async () => {
    const nothing = join(await scratchFolder(), 'none', 'deeper')
    expect(await files.read(nothing)).toBeUndefined()
    expect(await files.status(nothing)).toBeUndefined()
    expect(await files.list(nothing)).toEqual([])
    await expect(collect(files.readChunks(nothing))).rejects.toEqual(new FileError('read', nothing, 'ENOENT'))
    await expect(files.digest(nothing, 'sha256')).rejects.toBeInstanceOf(FileError)
  })

  it('a folder as a file is refused', async () => {
    const folder = await scratchFolder()
    await expect(files.read(folder)).rejects.toEqual(new FileError('read', folder, 'EISDIR'))
    await files.write(join(folder, 'f'), 'x')
    await expect(files.list(join(folder, 'f'))).rejects.toMatchObject({code: 'ENOTDIR'})
  })

  it('in pieces gives all in order, and may stop', async () => {
    const file = join(await scratchFolder(), 'f')
    const text = Array.from({length: 200_000}, (_, index) => String(index)).join(' ')
    await files.write(file, text)
    expect(await collect(files.readChunks(file))).toBe(text)
    for await (const chunk of files.readChunks(file)) {
      expect(chunk.length).toBeLessThan(text.length)
      break
    }
  })

  it('digests', async () => {
    const file = join(await scratchFolder(), 'f')
    await files.write(file, 'abc')
    for (const algorithm of ['sha256', 'sha512'] as const) {
      expect(await files.digest(file, algorithm)).toBe(createHash(algorithm).update('abc').digest('hex'))
    }
  })

  it('lists names in order', async () => {
    const folder = await scratchFolder()
    for (const name of ['b', 'a', 'C']) await files.write(join(folder, name), '')
    expect(await files.list(folder)).toEqual(['C', 'a', 'b'])
  })

  it('reports kinds, and links as links', async () => {
    const folder = await scratchFolder()
    const file = join(folder, 'f')
    await files.write(file, 'four')
    await symlink(folder, join(folder, 'l'))
    expect(await files.status(file)).toMatchObject({kind: 'file', size: 4})
    expect(Math.abs((await files.status(file))!.modifiedMs - Date.now())).toBeLessThan(60_000)
    expect(await files.status(folder)).toMatchObject({kind: 'directory'})
    expect(await files.status(join(folder, 'l'))).toMatchObject({kind: 'link'})
    expect(await files.status('/dev/null')).toMatchObject({kind: 'other'})
  })

  it('reports a mount point as a link, whatever Node takes it for', async () => {
    const folder = join(await scratchFolder(), 'mount point')
    await mkdir(folder)
    expect(await files.status(folder)).toMatchObject({kind: 'link'})
  })
})

// Linux has no way to ask whether a file was flushed; but it refuses to flush a device.
it.skipIf(process.platform !== 'linux')('review R2-2: a line is flushed where that is asked for', async () => {
  await files.append('/dev/null', 'a line of the log')
  await expect(files.append('/dev/null', 'a line of the journal', {flush: true})).rejects.toMatchObject({
    code: 'EINVAL',
  })
})
