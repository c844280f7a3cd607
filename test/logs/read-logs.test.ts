import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {BLOCK} from '../../src/logs/log-file.js'
import {openLogFiles} from '../../src/logs/open-files.js'
import {type LogQuery, readLogs, wholeFiles} from '../../src/logs/read-logs.js'
import type {FileRange, Files} from '../../src/machine/files.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {all, foldersOf, klogFile, klogLine, LOGS, messagesOf, readerOf} from './log-reader.js'
import {isWhole} from '../sample.js'

const FOLDERS = foldersOf('flanneld', 'kubelet', 'kubeproxy', 'k8s-win')
const STAMP = '20261115-000000'

async function look(files: Files, asked: Partial<LogQuery> = {}): Promise<string[]> {
  const reader = readerOf(files)
  const found = await openLogFiles(reader, FOLDERS)
  return messagesOf(await all(readLogs(reader, wholeFiles(found), {wanted: {}, ...asked})))
}

const day = (seconds: number): number => Date.parse('2026-11-15T00:00:00Z') + seconds * 1000

describe('a read of several logs', () => {
  /** Entries of three files, each in the order of time, some with lines of no shape after them. */
  const story = fc.array(
    fc.record({
      file: fc.constantFrom('flanneld', 'kubelet', 'kubeproxy'),
      gap: fc.nat(3),
      long: fc.constantFrom(0, 0, 0, 300, 20_000),
      more: fc.nat(2),
    }),
    {maxLength: 60},
  )

  it('shows all of them in the order of time, and of its end the same', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.nat(70), async (entries, tail) => {
        const texts = new Map<string, string>()
        const wanted: string[] = []
        let seconds = 1
        for (const [index, {file, gap, long, more}] of entries.entries()) {
          seconds += gap + 0.001
          const stack = Array.from({length: more}, (_, at) => `\n\tat ${index}.${at}`).join('')
          const message = `entry ${index} ${'x'.repeat(long)}${stack}`
          const path = klogFile(file, STAMP)
          texts.set(path, (texts.get(path) ?? '') + klogLine(seconds, message))
          wanted.push(message)
        }
        const files = memoryFiles(Object.fromEntries(texts))
        expect(await look(files)).toEqual(wanted)
        expect(await look(files, {tail})).toEqual(tail === 0 ? [] : wanted.slice(-tail))
        const since = day(seconds / 2)
        const late = await look(files, {wanted: {since}})
        expect(late).toEqual(wanted.slice(wanted.length - late.length))
        expect(await look(files, {tail, wanted: {since}})).toEqual(tail === 0 ? [] : late.slice(-tail))
      }),
      {numRuns: isWhole ? 1000 : 20},
    )
  })

  it('keeps the order of each file, also where a clock was set back', async () => {
    const files = memoryFiles({
      [klogFile('kubelet', STAMP)]: klogLine(10, 'a1') + klogLine(30, 'a2') + klogLine(12, 'a3') + klogLine(40, 'a4'),
      [klogFile('kubeproxy', STAMP)]: klogLine(11, 'b1') + klogLine(35, 'b2'),
    })
    expect(await look(files)).toEqual(['a1', 'b1', 'a2', 'a3', 'b2', 'a4'])
    const last = await look(files, {tail: 4})
    expect(last.filter((text) => text.startsWith('a'))).toEqual(
      ['a2', 'a3', 'a4'].slice(-last.filter((t) => t.startsWith('a')).length),
    )
  })

  it('goes over the end of a year by the name of the file, and by its lines', async () => {
    const lines = ['I1231 23:59:59.000000    1 a.go:1] old\n', 'I0101 00:00:01.000000    1 a.go:1] new\n'].join('')
    const files = memoryFiles({[klogFile('kubelet', '20251231-235900')]: lines})
    const reader = readerOf(files)
    const found = await openLogFiles(reader, FOLDERS)
    const entries = await all(readLogs(reader, wholeFiles(found), {wanted: {}}))
    expect(entries.map(({time}) => new Date(time).toISOString())).toEqual([
      '2025-12-31T23:59:59.000Z',
      '2026-01-01T00:00:01.000Z',
    ])
  })

  it.each([
    ['short', 200, day(600)],
    ['longer than a short look at the end', 12_000, day(600)],
    ['as long as a block', BLOCK - 6, Infinity],
    ['longer than a block', BLOCK + 12_000, Infinity],
  ])('gives what a dying program says the time before it, whatever is asked for: %s', async (_, bytes, ends) => {
    const frame = '\nmain.main()\n\t/go/src/k8s.io/kubernetes/cmd/kubelet/kubelet.go:42 +0x1d2'
    const said = `panic: oh\ngoroutine 1 [running]:${frame.repeat(bytes / frame.length - 1)}`.padEnd(bytes - 1, '.')
    const early = Array.from({length: 1200}, (__, at) => klogLine(at / 1000, `early ${'.'.repeat(60)}`)).join('')
    const files = memoryFiles({[klogFile('kubelet', STAMP)]: `${early}${klogLine(600, 'last')}${said}\n`})
    const reader = readerOf(files)
    const [file, ...more] = await openLogFiles(reader, FOLDERS)
    for (const asked of [{}, {tail: 1}, {tail: 2}, {wanted: {since: day(600)}}]) {
      const shown = await all(readLogs(reader, wholeFiles(file ? [file] : []), {wanted: {}, ...asked}))
      const {level, message, time} = shown.at(-1) ?? {}
      expect([level, message?.length, time]).toEqual(['fatal', bytes - 1, day(600)])
    }
    expect([file?.ends, more]).toEqual([ends, []])
  })

  it('gives the end of a stack without end the time before it, however far that is', async () => {
    const stack = 'main.main()\n'.repeat(30_000)
    const text = `${klogLine(10, 'early')}${klogLine(600, 'last')}panic: oh\n${stack}`
    const reader = readerOf(memoryFiles({[klogFile('kubelet', STAMP)]: text}))
    const found = await openLogFiles(reader, FOLDERS)
    for (const asked of [{}, {tail: 1}, {tail: 5}]) {
      const shown = await all(readLogs(reader, wholeFiles(found), {wanted: {}, ...asked}))
      const {level, time} = shown.at(-1) ?? {}
      expect([level, time]).toEqual(['fatal', day(600)])
    }
  })

  it('shows lines of no shape one by one, at the time of their file', async () => {
    const files = memoryFiles({[`${LOGS}\\kubeproxy\\output.log`]: 'one\ntwo\n\nthree'})
    expect(await look(files)).toEqual(['one', 'two', '', 'three'])
    expect(await look(files, {tail: 2})).toEqual(['', 'three'])
  })

  it('is for some levels, times and patterns only', async () => {
    const files = memoryFiles({
      [klogFile('kubelet', STAMP)]:
        klogLine(1, 'info') +
        klogLine(2, 'bad\n\tstack of it', 'E') +
        klogLine(3, 'careful', 'W') +
        klogLine(4, 'end', 'F'),
    })
    const has = (text: string) => (texts: readonly string[]) => texts.map((one) => one.includes(text))
    expect(await look(files, {wanted: {level: 'warning'}})).toEqual(['bad\n\tstack of it', 'careful', 'end'])
    expect(await look(files, {wanted: {since: day(2), until: day(3)}})).toEqual(['bad\n\tstack of it', 'careful'])
    expect(await look(files, {wanted: {grep: has('stack')}})).toEqual(['bad\n\tstack of it'])
    expect(await look(files, {wanted: {exclude: has('stack')}})).toEqual(['info', 'careful', 'end'])
    expect(await look(files, {tail: 1, wanted: {level: 'error', until: day(3)}})).toEqual(['bad\n\tstack of it'])
  })
})

describe('a large log', () => {
  const lines = 120_000
  const text = Array.from({length: lines}, (_, at) => klogLine(at / 2, `number ${at} ${'.'.repeat(60)}`)).join('')
  const path = klogFile('kubelet', STAMP)

  function counted(): {files: Files; read: () => number} {
    const files = memoryFiles({[path]: text})
    const {readRange} = files
    let bytes = 0
    files.readRange = async (...asked): Promise<FileRange | undefined> => {
      const range = await readRange(...asked)
      bytes += range?.bytes.length ?? 0
      return range
    }
    return {files, read: () => bytes}
  }

  it('is read from its end only as far as it takes', async () => {
    const {files, read} = counted()
    const shown = await look(files, {tail: 100})
    expect(shown.map((message) => Number(message.split(' ')[1]))).toEqual(
      Array.from({length: 100}, (_, at) => lines - 100 + at),
    )
    expect(read()).toBeLessThan(200_000)
  })

  it('is read from a time on, which is found by halving', async () => {
    const {files, read} = counted()
    const shown = await look(files, {wanted: {since: day(lines / 2 - 50)}})
    expect(shown).toHaveLength(100)
    expect(read()).toBeLessThan(3_000_000)
  })
})

describe('what is not a log', () => {
  it('is bounded: megabytes without a line end, forward and backward', async () => {
    const path = `${LOGS}\\kubelet\\core.dmp`
    const files = memoryFiles({[path]: Buffer.concat([Buffer.alloc(3_000_000), Buffer.from('\nend\n')])})
    for (const shown of [await look(files), await look(files, {tail: 2})]) {
      expect(shown).toHaveLength(2)
      expect(shown[0]?.length).toBeLessThan(70_000)
      expect(shown[0]).toContain('bytes more, cut]')
      expect(shown[1]).toBe('end')
    }
  })

  it('is nothing but line ends', async () => {
    const files = memoryFiles({[`${LOGS}\\kubelet\\a.log`]: '\n'.repeat(200_000)})
    expect(await look(files, {wanted: {grep: (texts) => texts.map(() => true)}})).toHaveLength(200_000)
    expect(await look(files, {tail: 150_000})).toHaveLength(150_000)
  })

  it('is text in UTF-16, as PowerShell redirects it', async () => {
    const text = klogLine(1, 'one ü') + klogLine(2, 'two')
    const files = memoryFiles({[`${LOGS}\\kubelet\\a.log`]: Buffer.from(`\uFEFF${text}`, 'utf16le')})
    expect(await look(files)).toEqual(['one ü', 'two'])
    expect(await look(files, {tail: 1})).toEqual(['two'])
  })

  it('never makes reading fail, whatever its bytes are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({maxLength: 400}), fc.nat(5), async (bytes, tail) => {
        const files = memoryFiles({[`${LOGS}\\kubelet\\a.log`]: Buffer.from(bytes)})
        const shown = await look(files)
        expect(await look(files, {tail})).toEqual(tail === 0 ? [] : shown.slice(-tail))
      }),
    )
  })
})
