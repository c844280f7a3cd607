// Exactly the wanted members come out of an archive; whatever else is in it is never written.
import {randomBytes} from 'node:crypto'

import {describe, expect, it} from 'vitest'

import {unpackMembers} from '../../src/artifacts/unpack.js'
import {FileError, type Files} from '../../src/machine/files.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {type Member, tarOf, tgzOf} from './archive.js'

const ARCHIVE = String.raw`C:\k\a.tgz`
const TARGETS = new Map([
  ['bin/kubelet.exe', String.raw`C:\k\stage\kubelet.exe`],
  ['bin/kubectl.exe', String.raw`C:\k\stage\kubectl.exe`],
])
/** Large, and not to be compressed: it comes in many pieces. */
const KUBELET = randomBytes(300_000)
const GOOD: readonly Member[] = [
  {header: {type: 'Directory'}, path: 'bin/'},
  {content: KUBELET, path: 'bin/kubelet.exe'},
  {content: 'license', path: 'LICENSES'},
  {content: 'kubectl', path: 'bin/kubectl.exe'},
]

async function unpack(archive: Buffer, broken?: Partial<Files>) {
  const files = memoryFiles({[ARCHIVE]: archive, [String.raw`C:\k\stage\.keep`]: ''})
  const written = async (): Promise<string[]> =>
    (await files.list(String.raw`C:\k\stage`)).filter((name) => name !== '.keep')
  let digests: ReadonlyMap<string, string> = new Map()
  const error: unknown = await unpackMembers({...files, ...broken}, ARCHIVE, TARGETS).then(
    (found) => void (digests = found),
    (reason: unknown) => reason,
  )
  return {digests, error, files, written: await written()}
}

const reasonOf = (error: unknown): string => {
  expect(error).toMatchObject({exitCode: 4, id: 'BAD_ARCHIVE', message: `${ARCHIVE} is not the expected archive`})
  return (error as {reason: string}).reason
}

describe('a good archive', () => {
  it.each([
    ['compressed', tgzOf(GOOD)],
    ['not compressed', tarOf(GOOD)],
    ['with files of the old type', tgzOf(GOOD.map((one) => (one.content ? {...one, header: {type: 'OldFile'}} : one)))],
    // Only both of the first two bytes together say that it is compressed.
    ['whose first byte is that of gzip', tarOf([{path: '\u001Fx'}, ...GOOD])],
    ['whose second byte is that of gzip', tarOf([{path: '\u008B'}, ...GOOD])],
    ['with "./" before its names', tgzOf(GOOD.map((member) => ({...member, path: `./${member.path}`})))],
  ])('%s gives the wanted members, whole', async (_, archive) => {
    const {digests, error, files, written} = await unpack(archive)
    expect(error).toBeUndefined()
    expect(written).toEqual(['kubectl.exe', 'kubelet.exe'])
    expect((await files.read(String.raw`C:\k\stage\kubelet.exe`))?.equals(KUBELET)).toBe(true)
    expect((await files.read(String.raw`C:\k\stage\kubectl.exe`))?.toString()).toBe('kubectl')
    for (const path of TARGETS.values()) expect(digests.get(path)).toBe(await files.digest(path, 'sha256'))
  })

  it('writes nothing that its members call for', async () => {
    const hostile = [
      '../../evil.exe',
      '/evil.exe',
      String.raw`C:\evil.exe`,
      'bin/../evil.exe',
      'kubelet.exe',
      'BIN/KUBELET.EXE',
    ]
    const {error, files} = await unpack(tgzOf([...hostile.map((path) => ({content: 'evil', path})), ...GOOD]))
    expect(error).toBeUndefined()
    expect(Object.values(files.contents())).not.toContain('evil')
    expect(Object.keys(files.contents())).toHaveLength(4)
  })
})

describe('a bad archive', () => {
  it('lacks a member', async () => {
    const {error} = await unpack(tgzOf(GOOD.slice(0, 3)))
    expect(reasonOf(error)).toBe('It does not hold bin/kubectl.exe.')
  })

  it('holds other things only', async () => {
    expect(reasonOf((await unpack(tgzOf(GOOD.slice(2, 3)))).error)).toBe(
      'It does not hold bin/kubelet.exe, bin/kubectl.exe.',
    )
  })

  it('holds a member twice, also under another spelling', async () => {
    for (const path of ['bin/kubelet.exe', './bin/kubelet.exe']) {
      const {error} = await unpack(tgzOf([...GOOD, {content: 'evil', path}]))
      expect(reasonOf(error)).toBe('It holds bin/kubelet.exe twice.')
    }
  })

  it.each([
    ['SymbolicLink', {linkpath: '../../Windows/System32/cmd.exe', type: 'SymbolicLink'}],
    ['Link', {linkpath: 'LICENSES', type: 'Link'}],
    ['Directory', {type: 'Directory'}],
  ] as const)('has a %s in the place of a file', async (type, header) => {
    const path = type === 'Directory' ? 'bin/kubelet.exe/' : 'bin/kubelet.exe'
    const {error, written} = await unpack(tgzOf([{header, path}, ...GOOD.slice(2)]))
    expect(reasonOf(error)).toContain(type === 'Directory' ? 'bin/kubelet.exe' : `bin/kubelet.exe in it is a ${type}`)
    expect(written).not.toContain('kubelet.exe')
  })

  it('has a member that is larger than any program', async () => {
    const sized = (size: number): Buffer => tarOf([{header: {size}, path: 'bin/kubelet.exe'}, ...GOOD.slice(2)])
    expect(reasonOf((await unpack(sized(1024 ** 3 + 1))).error)).toBe('bin/kubelet.exe in it has 1073741825 bytes.')
    // The largest that is allowed: what is wrong is that it is cut short.
    expect(reasonOf((await unpack(sized(1024 ** 3))).error)).toContain('It cannot be unpacked')
  })

  it('has a damaged header, even of a member that is not wanted', async () => {
    const archive = tarOf([{content: 'license', path: 'LICENSES'}, ...GOOD])
    archive.write('X', 0)
    expect(reasonOf((await unpack(archive)).error)).toContain('checksum')
  })

  it.each([
    ['empty', tgzOf([])],
    ['garbage', randomBytes(5000)],
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<html>not found</html>'.repeat(100))],
    ['gzip of garbage', tgzOf(GOOD).subarray(100)],
    ['a tar that is cut within a member', tarOf(GOOD).subarray(0, 100_000)],
    ['a gzip that is cut within a member', tgzOf(GOOD).subarray(0, 100_000)],
    ['a gzip that is cut near its end', tgzOf(GOOD).subarray(0, -6)],
    [
      'a gzip with a changed byte',
      Buffer.concat([tgzOf(GOOD).subarray(0, 150_000), Buffer.from('evil'), tgzOf(GOOD).subarray(150_004)]),
    ],
  ])('is %s', async (_, archive) => {
    expect(reasonOf((await unpack(archive)).error)).not.toBe('')
  })
})

describe('a write that fails', () => {
  it.each(['at once', 'after some bytes', 'at its end'])('%s ends it with its own error, and no wait', async (when) => {
    const full = new FileError('write', 'x', 'ENOSPC')
    const {error} = await unpack(tgzOf(GOOD), {
      async writeChunks(_, chunks) {
        if (when === 'at once') throw full
        let bytes = 0
        for await (const chunk of chunks) {
          bytes += chunk.length
          if (when === 'after some bytes' && bytes > 100_000) throw full
        }

        throw full
      },
    })
    expect(error).toBe(full)
  })

  it('ends the reading of the archive, too', async () => {
    let pieces = 0
    const archive = tgzOf([...GOOD, {content: KUBELET, path: 'more'}])
    const {error} = await unpack(archive, {
      async *readChunks() {
        for (let at = 0; at < archive.length; at += 10_000) {
          pieces++
          yield archive.subarray(at, at + 10_000)
        }
      },
      writeChunks: () => Promise.reject(new FileError('write', 'x', 'ENOSPC')),
    })
    expect(error).toMatchObject({code: 'ENOSPC'})
    expect(pieces).toBeLessThan(archive.length / 10_000 - 10)
  })

  it('so does a read', async () => {
    const locked = new FileError('read', ARCHIVE, 'EBUSY')
    const {error} = await unpack(tgzOf(GOOD), {
      async *readChunks() {
        yield tgzOf(GOOD).subarray(0, 50_000)
        throw locked
      },
    })
    expect(error).toBe(locked)
  })
})

it('is not waited for by a writer that stops to read', async () => {
  const {error} = await unpack(tgzOf(GOOD), {writeChunks: async () => 0})
  expect(reasonOf(error)).toBe('Of bin/kubelet.exe in it only 0 of 300000 bytes could be written.')
})
