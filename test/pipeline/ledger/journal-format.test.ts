// A journal that cannot be read, or not all of it: reported, kept aside, and what is readable continues.
import {expect, it} from 'vitest'
import {journalText, type TimedLine} from '../../../src/pipeline/ledger/journal-format.js'
import {LOSS, openJournal} from '../../../src/pipeline/ledger/journal.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {setupOn} from '../../setup/in-process.js'
import {HostFolder} from '../../steps/host-folder.js'

const PATH = String.raw`C:\k\k8s-win\journal.ndjson`
const ASIDE = `${PATH}.damaged`
const NODE_CONFIG = String.raw`C:\k\k8s-win\node.yaml`
const timed = (path: string): TimedLine => ({at: 'x', entry: {kind: 'file', path}, step: 'net-conf'})
const textOf = (...paths: readonly string[]): string => journalText(paths.map(timed), 1)
const line = (path: string, n: number): string => journalText([timed(path)], n).trimEnd()
const loss = (n: number): string => journalText([{...LOSS, at: new Date(0).toISOString()}], n)
/** Without number and checksum. */
const bare = (path: string): string => JSON.stringify({at: 'x', kind: 'file', path, step: 'net-conf'})

interface Seen {
  readonly aside: string | undefined
  readonly message: string | undefined
  readonly paths: readonly string[]
  readonly text: string | undefined
}

async function look(text: string, others: Record<string, string> = {}): Promise<Seen> {
  const files = memoryFiles({[PATH]: text, ...others})
  const {all, damage} = await openJournal(files, PATH, () => 0)
  await damage?.repair()
  const read = async (path: string) => (await files.read(path))?.toString()
  const paths = all().map(({entry}) => ('path' in entry ? entry.path : ''))
  return {aside: await read(ASIDE), message: damage?.message, paths, text: await read(PATH)}
}

it.each([
  ['empty', ''],
  ['whole', textOf('a', 'b')],
  ['mended after a crash, with an empty line', `${line('a', 1)}\n\n${line('b', 2)}\n`],
  ['doubled', `${textOf('a', 'b')}${textOf('a', 'b')}`],
])('one that is %s is left alone', async (_, text) => {
  expect(await look(text)).toMatchObject({aside: undefined, message: undefined, text})
})

it('lines without number and checksum are not read, also where the journal has no others', async () => {
  const text = `${bare('a')}\n${bare('b')}\n`
  const seen = await look(text)
  expect(seen).toMatchObject({aside: text, text: loss(1)})
  expect(seen.message).toContain('nothing in it can be read')
})

it('lines in another order are read in the order in which they were written', async () => {
  const seen = await look(`${line('c', 3)}\n${line('a', 1)}\n${line('b', 2)}\n`)
  expect(seen).toMatchObject({message: undefined, paths: ['a', 'b', 'c']})
})

it('a last line that a crash cut short goes without a word', async () => {
  expect(await look(`${textOf('a')}{"at":"x","st`)).toEqual({
    aside: undefined,
    message: undefined,
    paths: ['a'],
    text: textOf('a'),
  })
})

it.each(['\0'.repeat(300), `{"at":"x","st${'\0'.repeat(300)}`])(
  'review R2-2: zeros in the place of a last line, as a power loss leaves them on NTFS, go without a word',
  async (zeros) => {
    expect(await look(`${textOf('a')}${zeros}`)).toMatchObject({message: undefined, paths: ['a'], text: textOf('a')})
  },
)

it('review R2-2: every line is flushed before its effect', async () => {
  const flushed: unknown[] = []
  const files = memoryFiles({})
  const journal = await openJournal(
    {
      ...files,
      append: (path, text, options) => {
        flushed.push(options?.flush)
        return files.append(path, text, options)
      },
    },
    PATH,
    () => 0,
  )
  await journal.record('net-conf', {kind: 'file', path: 'a'})
  await journal.record('net-conf', {kind: 'file', path: 'b'})
  expect(flushed).toEqual([true, true])
})

it.each(['%%%', '17', '"text"', 'null', '{"at":"x"}', '{"at":"x","st', bare('x'), line('x', 2).replace('"x"', '"y"')])(
  'a line %s in the middle',
  async (wrong) => {
    const text = `${line('a', 1)}\n${wrong}\n${line('b', 3)}\n`
    const seen = await look(text)
    // Numbered anew: nothing is missing any more, and the loss is noted.
    expect(seen).toMatchObject({aside: text, paths: ['a', 'b', ''], text: `${textOf('a', 'b')}${loss(3)}`})
    expect(seen.message).toContain('line 2 cannot be read')
    expect(seen.message).toContain(ASIDE)
  },
)

it.each([
  ['the first one', `${line('b', 2)}\n`, '1 line is missing'],
  ['some in the middle', `${line('a', 1)}\n${line('d', 4)}\n`, '2 lines are missing'],
])('review R1: a journal that has lost %s without a trace is damaged', async (_, text, message) => {
  expect((await look(text)).message).toContain(message)
})

it('review R1: a journal that has lost its end is damaged, where a setup has finished', async () => {
  const finished = {[NODE_CONFIG]: 'x'}
  const end: TimedLine = {at: 'x', entry: {kind: 'setup'}, step: 'base-dir'}
  const whole = journalText([timed('a'), end, timed('b')], 1)
  expect((await look(whole, finished)).message).toBeUndefined()
  expect((await look(textOf('a'), finished)).message).toContain('its end is missing')
  expect((await look(whole.slice(0, -150), finished)).message).toContain('its end is missing')
  // Not where it was interrupted.
  expect((await look(textOf('a'))).message).toBeUndefined()
})

it('review R1: after a reset, and where a loss is recorded, no end is missed', async () => {
  const finished = {[NODE_CONFIG]: 'x'}
  const reset: TimedLine = {at: 'x', entry: {kind: 'reset'}, step: 'base-dir'}
  expect((await look(journalText([timed('a'), reset], 1), finished)).message).toBeUndefined()
  expect((await look(journalText([reset, timed('a')], 1), finished)).message).toContain('its end is missing')
  expect((await look(journalText([timed('a'), {...LOSS, at: 'x'}, timed('b')], 1), finished)).message).toBeUndefined()
  expect((await look('', finished)).message).toBeUndefined()
})

it('review R1: a folder in its place is kept aside, and read as an empty journal', async () => {
  const files = memoryFiles({})
  await files.makeDirectory(PATH)
  const journal = await openJournal(files, PATH, () => 0)
  expect(journal.all()).toEqual([])
  expect(journal.damage?.message).toContain('it is a folder')
  await journal.damage?.repair()
  expect(await files.status(ASIDE)).toMatchObject({kind: 'directory'})
})

it.each([
  [32 * 1024 * 1024, undefined],
  [32 * 1024 * 1024 + 1, 'it has 32 MB'],
])('a file of %i bytes is read, or kept aside without being read: %s', async (size, message) => {
  const files = memoryFiles({[PATH]: textOf('a')})
  const {read, status} = files
  files.status = async (path) => {
    const found = await status(path)
    return found && path === PATH ? {...found, size} : found
  }
  files.read = (path) => (message === undefined ? read(path) : Promise.reject(new Error('read')))
  const journal = await openJournal(files, PATH, () => 0)
  expect(journal.all()).toHaveLength(message === undefined ? 1 : 0)
  expect(journal.damage?.message ?? '').toContain(message ?? '')
  expect(journal.damage === undefined).toBe(message === undefined)
})

it('what is recorded after damage was repaired has the next number', async () => {
  const files = memoryFiles({[PATH]: `${line('a', 1)}\n%%%\n${line('c', 7)}\n`})
  const journal = await openJournal(files, PATH, () => 0)
  await journal.damage?.repair()
  await Promise.all(['d', 'e'].map((path) => journal.record('net-conf', {kind: 'file', path})))
  const again = await openJournal(files, PATH, () => 0)
  expect(again.damage).toBeUndefined()
  expect(again.all().map(({entry}) => entry.kind)).toEqual(['file', 'file', 'loss', 'file', 'file'])
})

it('garbage altogether', async () => {
  const seen = await look('\u0000\u0001garbage')
  expect(seen).toMatchObject({aside: '\u0000\u0001garbage', text: loss(1)})
  expect(seen.message).toContain('nothing in it can be read')
})

it('is reported by setup, once', async () => {
  const host = await HostFolder.fresh()
  await setupOn(host.dir)
  host.put(String.raw`k\k8s-win\journal.ndjson`, 'garbage')
  const warnings = async (): Promise<unknown[]> => {
    const {events, result} = await setupOn(host.dir)
    expect(result.exitCode).toBe(0)
    return events.flatMap((event) => (event.type === 'log' && event.message.includes('journal') ? [event.level] : []))
  }
  expect(await warnings()).toEqual(['warn'])
  expect(host.read(String.raw`k\k8s-win\journal.ndjson.damaged`)).toBe('garbage')
  expect(await warnings()).toEqual([])
})
