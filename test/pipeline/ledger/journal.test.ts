// The journal: what was created, newest first, and readable after a crash.
import {describe, expect, it} from 'vitest'

import type {Host} from '../../../src/host/host.js'
import {
  type JournalLine,
  narrowed,
  openJournal,
  openTrustedJournal,
  recordedSpelling,
} from '../../../src/pipeline/ledger/journal.js'
import {journalText, readJournal, type TimedLine} from '../../../src/pipeline/ledger/journal-format.js'
import {ADMINISTRATORS_ONLY} from '../../../src/host/security/security.js'
import {untrustedFile} from '../../../src/errors/folders.js'
import {FileError} from '../../../src/machine/files.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {only} from '../../fakes/partial.js'
import {textOf} from './note-in.js'

const PATH = String.raw`C:\k\k8s-win\journal.ndjson`
const file = (path: string) => ({kind: 'file', path}) as const
const now = () => Date.UTC(2026, 0, 2)
const open = (text?: string) => {
  const files = memoryFiles(text === undefined ? {} : {[PATH]: text})
  return {files, journal: () => openJournal(files, PATH, now), text: async () => (await files.read(PATH))?.toString()}
}

describe('a record', () => {
  it('is a line with its time and step, in a folder that is made for it', async () => {
    const {journal, text} = open()
    await (await journal()).record('net-conf', file('C:\\a'))
    expect(await text()).toMatch(
      /^\{"at":"2026-01-02T00:00:00\.000Z","step":"net-conf","kind":"file","path":"C:\\\\a","n":1,"sum":"[\da-f]{16}"\}\n$/,
    )
  })

  it('is found by step and kind, newest first, in this run and the next', async () => {
    const {journal} = open()
    const first = await journal()
    await first.record('net-conf', {kind: 'directory', path: 'C:\\etc'})
    await first.record('net-conf', file('C:\\a'))
    await first.record('cni-config', file('C:\\x'))
    await first.record('net-conf', file('C:\\b'))
    for (const one of [first, await journal()]) {
      expect(one.entries('net-conf', 'file')).toEqual([file('C:\\b'), file('C:\\a')])
      expect(one.entries('net-conf', 'directory')).toEqual([{kind: 'directory', path: 'C:\\etc'}])
      expect(one.entries('net-conf', 'service')).toEqual([])
    }
  })

  it('is not written twice, in this run or the next', async () => {
    const {journal, text} = open()
    const first = await journal()
    await first.record('net-conf', file('C:\\a'))
    await first.record('net-conf', file('C:\\a'))
    await (await journal()).record('net-conf', file('C:\\a'))
    expect((await text())?.trim().split('\n')).toHaveLength(1)
    await first.record('cni-config', file('C:\\a'))
    expect((await text())?.trim().split('\n')).toHaveLength(2)
  })

  it('that could not be written is written when it is tried again', async () => {
    const files = memoryFiles()
    let full = true
    const journal = await openJournal(
      {
        ...files,
        append: (path, text) =>
          full ? Promise.reject(new FileError('append to', path, 'ENOSPC')) : files.append(path, text),
      },
      PATH,
      now,
    )
    await expect(journal.record('net-conf', file('C:\\a'))).rejects.toMatchObject({code: 'ENOSPC'})
    expect(journal.entries('net-conf', 'file')).toEqual([])
    full = false
    await journal.record('net-conf', file('C:\\a'))
    expect((await files.read(PATH))?.toString()).toContain('C:\\\\a')
  })
})

describe('after a crash', () => {
  const filesText = (...paths: readonly string[]): string =>
    textOf(...paths.map((path) => ({entry: file(path), step: 'net-conf'}) as const))

  it('a line that was cut is passed over, and the next one stands for itself', async () => {
    const whole = filesText('C:\\a', 'C:\\b')
    for (let cut = filesText('C:\\a').length + 1; cut < whole.length - 1; cut += 1) {
      const {journal, text} = open(whole.slice(0, cut))
      const first = await journal()
      const kept = first.entries('net-conf', 'file').length
      await first.record('net-conf', file('C:\\c'))
      const second = await journal()
      expect(second.entries('net-conf', 'file')[0], await text()).toEqual(file('C:\\c'))
      expect(second.entries('net-conf', 'file')).toHaveLength(kept + 1)
      expect(second.entries('net-conf', 'file').at(-1)).toEqual(file('C:\\a'))
    }
  })

  it.each(['', '\n\n', 'null\n', '7\n', '[]\n', '{"step":"net-conf"}\n', '\u0000\u0000\u0000'])(
    '%o holds nothing, and can be added to',
    async (content) => {
      const {journal} = open(content)
      const first = await journal()
      expect(first.entries('net-conf', 'file')).toEqual([])
      await first.record('net-conf', file('C:\\a'))
      expect((await journal()).entries('net-conf', 'file')).toEqual([file('C:\\a')])
    },
  )
})

describe('what is written', () => {
  const calls = async (text?: string) => {
    const files = memoryFiles(text === undefined ? {} : {[PATH]: text})
    const seen: string[] = []
    const {append, makeDirectory} = files
    files.append = (path, added) => (seen.push('append'), append(path, added))
    files.makeDirectory = (path, options) => (seen.push(`folder ${options?.security}`), makeDirectory(path, options))
    return {files, journal: await openJournal(files, PATH, now), seen}
  }

  it('makes the folder once, for administrators only, and appends only what is new', async () => {
    const {journal, seen} = await calls()
    await journal.record('net-conf', file('C:\\a'))
    await journal.record('net-conf', file('C:\\a'))
    await journal.record('net-conf', file('C:\\b'))
    expect(seen).toEqual([`folder ${ADMINISTRATORS_ONLY}`, 'append', 'append'])
    const again = await calls(journalText([{at: 'x', entry: file('C:\\a'), step: 'net-conf'}], 1))
    await again.journal.record('net-conf', file('C:\\b'))
    expect(again.seen).toEqual(['append'])
  })

  it('has no line without an entry, also after lines were forgotten', async () => {
    const {files, journal} = await calls(journalText([{at: 'x', entry: file('C:\\a'), step: 'net-conf'}], 1))
    await journal.record('net-conf', file('C:\\b'))
    await journal.forget(({entry}) => entry.kind === 'file' && entry.path === 'C:\\a')
    await journal.record('net-conf', file('C:\\c'))
    await journal.forget(() => true)
    await journal.record('net-conf', file('C:\\d'), file('C:\\e'))
    expect(
      String(await files.read(PATH))
        .split('\n')
        .map((line) => line.length > 0),
    ).toEqual([true, true, false])
  })

  it('is separated from what a write left that failed half-way', async () => {
    const files = memoryFiles()
    const {append} = files
    files.append = async (path, added) => {
      await append(path, added.slice(0, 20))
      files.append = append
      throw new FileError('append to', path, 'ENOSPC')
    }
    const journal = await openJournal(files, PATH, now)
    await expect(journal.record('net-conf', file('C:\\a'))).rejects.toMatchObject({code: 'ENOSPC'})
    await journal.record('net-conf', file('C:\\b'))
    expect(readJournal(String(await files.read(PATH))).lines.map(({entry}) => entry)).toEqual([file('C:\\b')])
  })

  it('of a file, that it is managed and what was verified of it are two things', async () => {
    const {journal} = await calls()
    const memo = {...file('C:\\a'), sha256: '00', version: '1'}
    await journal.record('net-conf', file('C:\\a'), memo)
    await journal.record('net-conf', file('C:\\a'), file('C:\\b'))
    await journal.record('net-conf', file('C:\\a'), memo)
    expect(journal.entries('net-conf', 'file')).toEqual([file('C:\\b'), memo, file('C:\\a')])
  })
})

describe('a line whose checksum is right', () => {
  const line = {at: 'x', entry: file('C:\\a'), step: 'net-conf'} as const
  const changed = (change: object, n: unknown = 1): string => journalText([{...line, ...change}], n as number)

  it.each([
    ['no step', changed({step: 5})],
    ['no kind', changed({entry: {kind: 5}})],
    ['no number', changed({}, 'one')],
    ['a number that is none', changed({}, 1.5)],
    ['a number before the first', changed({}, 0)],
    ['a negative number', changed({}, -1)],
    ['a number, and no checksum', `${JSON.stringify({at: 'x', ...line.entry, n: 1, step: 'net-conf'})}\n`],
  ])('and %s is unreadable', (_, text) => {
    expect(readJournal(text)).toMatchObject({isCut: false, lines: [], unreadable: [1]})
  })

  it('is read in spite of blanks around it, and without its time', () => {
    expect(readJournal(`  \n${changed({at: 5}).trim()} \r\n`).lines).toMatchObject([{at: '', entry: line.entry}])
  })

  it('is missed where numbers show a gap, and a cut end is then damage', () => {
    const [first, third] = [changed({}, 1), changed({entry: file('C:\\c')}, 3)]
    expect(readJournal(first + third)).toMatchObject({isCut: false, last: 3, missing: 1, unreadable: []})
    expect(readJournal(`${first}{"at`)).toMatchObject({isCut: true, missing: 0, unreadable: [2]})
    expect(readJournal(`${first}${third}{"at`)).toMatchObject({isCut: false, missing: 1, unreadable: [3]})
    expect(readJournal(`${first}%%\n{"at`)).toMatchObject({isCut: false, unreadable: [2, 3]})
    expect(readJournal(`${first}{"at\n`)).toMatchObject({isCut: false, unreadable: [2]})
  })
})

describe('the spelling of a folder', () => {
  const spelled = (...paths: unknown[]): Promise<string | undefined> => {
    const lines = paths.map((path) => ({at: 'x', entry: {kind: 'file', path}, step: 'net-conf'}) as TimedLine)
    return recordedSpelling(memoryFiles({[PATH]: journalText(lines, 1)}), PATH, String.raw`C:\k`)
  }

  it.each([
    ['of itself', [String.raw`c:\K`], String.raw`c:\K`],
    ['of something in it', [String.raw`c:\K\x`], String.raw`c:\K`],
    ['not of one that begins like it', [String.raw`c:\Kx\y`], undefined],
    ['not of another', [String.raw`D:\k\x`, 5], undefined],
    ['of the first that is in it', [5, String.raw`C:\var`, String.raw`C:\K\x`, String.raw`c:\k`], String.raw`C:\K`],
  ])('is that %s', async (_, paths, spelling) => {
    expect(await spelled(...paths)).toBe(spelling)
  })
})

it('narrowed, it shows some lines only', async () => {
  const journal = await openJournal(memoryFiles(), PATH, now)
  await journal.record('net-conf', file('C:\\a'), file('C:\\b'))
  const isShown = ({entry}: JournalLine): boolean => entry.kind === 'file' && entry.path === 'C:\\b'
  expect(narrowed(journal, isShown).all()).toEqual([{entry: file('C:\\b'), step: 'net-conf'}])
  expect(narrowed(journal, isShown).entries('net-conf', 'file')).toEqual([file('C:\\b')])
})

it('one that others can write is not read, and takes no entry', async () => {
  const text = journalText([{at: 'x', entry: file('C:\\a'), step: 'net-conf'}], 1)
  const files = memoryFiles({[PATH]: text})
  const problem = untrustedFile({accounts: 'Users', path: PATH})
  const hostOf = (found?: typeof problem): Host =>
    only<Host>('host', {
      clock: only<Host['clock']>('clock', {now}),
      files,
      trust: only<Host['trust']>('trust', {problem: async () => found}),
    })
  const {distrust, journal} = await openTrustedJournal(hostOf(problem), PATH)
  expect([distrust, journal.all(), journal.entries('net-conf', 'file')]).toEqual([problem, [], []])
  await expect(journal.record('net-conf', file('C:\\b'))).rejects.toBe(problem)
  await expect(journal.forget(() => true)).rejects.toBe(problem)
  expect(String(await files.read(PATH))).toBe(text)
  const trusted = await openTrustedJournal(hostOf(), PATH)
  expect([trusted.distrust, trusted.journal.all().length]).toEqual([undefined, 1])
})
