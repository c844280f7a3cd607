import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {LogEntry} from '../../src/logs/entry.js'
import {Follower} from '../../src/logs/follow.js'
import {openLogFiles} from '../../src/logs/open-files.js'
import {UTC_ZONE} from '../../src/logs/zone.js'
import {FileError} from '../../src/machine/files.js'
import {type MemoryFiles, memoryFiles} from '../fakes/memory-files.js'
import {readerOf} from './log-reader.js'

const FOLDER = String.raw`C:\k\logs\kubelet`
const FOLDERS = [{component: 'kubelet', own: true, path: FOLDER}] as const
const CURRENT = `${FOLDER}\\current.log`

const numberOf = (line: string): number => Number(/(\d{6}) end$/.exec(line)?.[1])
const linesOf = (entries: readonly LogEntry[]): string[] => entries.flatMap(({lines}) => lines)

/** A daemon whose every line is another one, and whoever moves its files about. */
class Writer {
  /** Whole lines that were in a file when a user looked. */
  readonly seen = new Set<string>()
  /** All that was ever begun. */
  readonly written: string[] = []
  #begun = ''
  #count = 0
  #file = CURRENT
  /** A log never begins with the lines of a stack. */
  #isFresh = true
  #names = 0

  constructor(readonly files: MemoryFiles) {}

  /** A line in pieces: `share` of it now, the rest with the next one. */
  async write(share: number, stack: boolean): Promise<void> {
    this.#count++
    const number = String(this.#count).padStart(6, '0')
    const opens = stack && !this.#isFresh ? '\tstack ' : `I1115 06:04:02.${number}    1 ü.go:1] `
    const line = `${opens}line ${number} end\n`
    const cut = Math.floor(share * line.length)
    this.written.push(line)
    this.#isFresh = false
    if (this.#begun !== '') await this.files.append(this.#file, this.#begun)
    await this.files.append(this.#file, line.slice(0, cut))
    this.#begun = line.slice(cut)
  }

  /** The daemon continues in a new file; the line that was begun is ended in the old one, which it has open. */
  async rename(): Promise<void> {
    if (!(await this.files.status(this.#file))) return
    await this.#finish()
    await this.files.rename(this.#file, this.#newName('rotated'))
  }

  async nextFile(): Promise<void> {
    await this.#finish()
    this.#file = this.#newName('next')
  }

  async truncate(): Promise<void> {
    if (!(await this.files.status(this.#file))) return
    this.#lose()
    await this.files.write(this.#file, '')
  }

  async remove(): Promise<void> {
    const [oldest] = await this.files.list(FOLDER)
    if (oldest === undefined) return
    if (`${FOLDER}\\${oldest}` === this.#file) this.#lose()
    await this.files.remove(`${FOLDER}\\${oldest}`)
  }

  /** What whoever looks now can see. */
  look(): void {
    for (const text of Object.values(this.files.contents())) {
      for (const line of text.split('\n').slice(0, -1)) this.seen.add(line)
    }
  }

  async #finish(): Promise<void> {
    if (this.#begun !== '') await this.files.append(this.#file, this.#begun)
    this.#begun = ''
    this.#isFresh = true
  }

  #lose(): void {
    this.#begun = ''
    this.#isFresh = true
  }

  #newName(kind: string): string {
    return `${FOLDER}\\${kind}-${String(++this.#names).padStart(4, '0')}.log`
  }
}

type Act = (writer: Writer) => Promise<void>
const writing = fc
  .tuple(fc.constantFrom(0, 0.3, 0.7, 1), fc.boolean())
  .map(([share, stack]): [string, Act] => [`write ${share}`, (writer) => writer.write(share, stack)])
const moving = fc.constantFrom<[string, Act]>(
  ['rename', (writer) => writer.rename()],
  ['next file', (writer) => writer.nextFile()],
  ['truncate', (writer) => writer.truncate()],
  ['remove', (writer) => writer.remove()],
)
const acts = fc.array(
  fc.oneof(
    {weight: 6, arbitrary: writing},
    {weight: 2, arbitrary: moving},
    {weight: 3, arbitrary: fc.constant(['look'] as const)},
  ),
  {maxLength: 30, minLength: 1, size: 'max'},
)

it('continues with the next file where kube-log-runner renames the full one', async () => {
  const files = memoryFiles({[`${FOLDER}\\kubelet.log`]: 'I1115 06:04:01.000000    1 a.go:1] one\n'})
  const reader = readerOf(files)
  const begun = await openLogFiles(reader, FOLDERS, {wholeLines: true})
  const follower = new Follower(reader, FOLDERS, begun)
  await files.append(`${FOLDER}\\kubelet.log`, 'I1115 06:04:02.000000    1 a.go:1] two\n')
  await files.rename(`${FOLDER}\\kubelet.log`, `${FOLDER}\\kubelet-20261115-060402.log`)
  await files.append(`${FOLDER}\\kubelet.log`, 'I1115 06:04:03.000000    1 a.go:1] three\n')
  const shown = [...(await follower.next()), ...(await follower.next()), ...follower.end()]
  expect(shown.map(({message}) => message)).toEqual(['two', 'three'])
})

describe('following files that are written, renamed, cut off and removed', () => {
  it('shows every line that could be seen, once, whole and in order', async () => {
    let shownInAll = 0
    await fc.assert(
      fc.asyncProperty(acts, fc.nat(10), async (story, before) => {
        const files = memoryFiles()
        await files.makeDirectory(FOLDER)
        const writer = new Writer(files)
        const shown: string[] = []
        let follower: Follower | undefined
        const begin = async (): Promise<Follower> => {
          writer.look()
          const begun = await openLogFiles(readerOf(files), FOLDERS, {wholeLines: true})
          for (const file of begun) {
            const text = (await files.read(file.file))?.subarray(0, file.size).toString('utf8') ?? ''
            shown.push(...text.split('\n').slice(0, -1))
          }
          shown.sort((one, other) => numberOf(one) - numberOf(other))
          return new Follower(readerOf(files), FOLDERS, begun)
        }

        for (const [index, [, act]] of story.entries()) {
          if (index >= before) follower ??= await begin()
          if (act) await act(writer)
          else if (follower) {
            writer.look()
            shown.push(...linesOf(await follower.next()))
          }
        }
        follower ??= await begin()
        writer.look()
        shown.push(...linesOf(await follower.next()), ...linesOf(follower.end()))

        const isWhole = (line: string): boolean => /line \d{6} end$/.test(line)
        const whole = [...new Set(shown.filter(isWhole))]
        const numbers = shown.filter(isWhole).map(numberOf)
        expect(shown.filter(isWhole)).toEqual(whole)
        expect(whole.sort()).toEqual([...writer.seen].sort())
        expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
        const isPiece = (text: string): boolean => writer.written.some((line) => line.startsWith(text))
        expect(shown.filter((line) => !isWhole(line) && !isPiece(line))).toEqual([])
        shownInAll += whole.length
      }),
      {numRuns: 1000},
    )
    expect(shownInAll).toBeGreaterThan(5000)
  })
})

describe('a follower', () => {
  const line = (second: number, text: string, letter = 'I'): string =>
    `${letter}1115 06:04:${String(second).padStart(2, '0')}.000000    1 a.go:1] ${text}\n`
  const name = (severity: string, stamp = '20261115-060400', process = 7): string =>
    `${FOLDER}\\kubelet.exe.win-1.WORKGROUP_WIN-1$.log.${severity}.${stamp}.${process}`
  const following = async (files: MemoryFiles): Promise<{follower: Follower; notes: string[]}> => {
    const reader = readerOf(files)
    const begun = await openLogFiles(reader, FOLDERS, {wholeLines: true})
    return {follower: new Follower(reader, FOLDERS, begun), notes: reader.notes}
  }
  const messages = async (follower: Follower): Promise<string[]> => (await follower.next()).map(({message}) => message)

  it('holds an entry back for a round, so that its stack comes with it', async () => {
    const files = memoryFiles({[CURRENT]: ''})
    const {follower} = await following(files)
    await files.append(CURRENT, line(1, 'fatal words', 'F'))
    expect(await messages(follower)).toEqual([])
    await files.append(CURRENT, 'goroutine 1 [running]:\nmain.main()\n')
    expect(await messages(follower)).toEqual([])
    expect(await messages(follower)).toEqual(['fatal words\ngoroutine 1 [running]:\nmain.main()'])
  })

  it('gives lines that come later the level and the time of theirs', async () => {
    const files = memoryFiles({[CURRENT]: line(1, 'broken', 'E')})
    const {follower} = await following(files)
    await files.append(CURRENT, '\tat a.go:1\n')
    await follower.next()
    const [more] = await follower.next()
    expect(more).toMatchObject({level: 'error', message: '\tat a.go:1'})
    expect(UTC_ZONE.text(more?.time ?? 0)).toMatch(/-11-15 06:04:01.000$/)
  })

  it('continues with the files of a process that starts anew, and reports nothing of them twice', async () => {
    const files = memoryFiles({[name('INFO')]: line(1, 'one')})
    const {follower} = await following(files)
    const again = '20261115-060500'
    // klog makes the graver file first.
    await files.append(name('ERROR', again, 8), line(2, 'bad', 'E'))
    expect(await messages(follower)).toEqual([])
    await files.append(name('INFO', again, 8), line(2, 'bad', 'E') + line(3, 'good'))
    const told = [await messages(follower), await messages(follower), await messages(follower)]
    for (let look = 0; look < 20; look++) told.push(await messages(follower))
    expect(told.flat()).toEqual(['bad', 'good'])
  })

  it('reads a file of a higher severity where the fuller one does not come', async () => {
    const files = memoryFiles({[CURRENT]: ''})
    const {follower} = await following(files)
    await files.append(name('ERROR'), line(2, 'bad', 'E'))
    const told: string[] = []
    for (let look = 0; look < 20; look++) told.push(...(await messages(follower)))
    expect(told).toEqual(['bad'])
  })

  it('reports a file that Windows refuses, shows the others, and tries again', async () => {
    const files = memoryFiles({[CURRENT]: '', [`${FOLDER}\\locked.log`]: ''})
    const {follower, notes} = await following(files)
    const {readRange} = files
    let isLocked = true
    files.readRange = async (path, start, length) => {
      if (isLocked && path.includes('locked')) throw new FileError('read', path, 'EBUSY')
      return readRange(path, start, length)
    }
    await files.append(CURRENT, line(1, 'one'))
    await files.append(`${FOLDER}\\locked.log`, line(2, 'two'))
    expect([...(await messages(follower)), ...(await messages(follower))]).toEqual(['one'])
    expect(notes.join()).toContain('another program holds it open (EBUSY)')
    isLocked = false
    const told: string[] = []
    for (let look = 0; look < 40; look++) told.push(...(await messages(follower)))
    expect(told).toEqual(['two'])
  })

  it('gets nothing but line ends', async () => {
    const files = memoryFiles({[CURRENT]: ''})
    const {follower} = await following(files)
    await files.append(CURRENT, '\n'.repeat(200_000))
    expect([...(await messages(follower)), ...(await messages(follower))]).toHaveLength(200_000)
  })

  it('follows hundreds of files without asking for each every time', async () => {
    const old = Object.fromEntries(
      Array.from({length: 300}, (_, at) => [name('INFO', '20261114-060400', at + 10), line(1, 'x')]),
    )
    const files = memoryFiles({...old, [CURRENT]: ''})
    const {follower} = await following(files)
    let asked = 0
    const {status} = files
    files.status = (path) => {
      asked++
      return status(path)
    }
    for (let round = 0; round < 15; round++) await follower.next()
    expect(asked).toBeLessThan(15 * 15)
  })
})
