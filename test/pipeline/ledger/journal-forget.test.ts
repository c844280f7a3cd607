// Forgetting: what is gone is no longer claimed, in one write, and whatever else the journal says stays as it was.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {FileError} from '../../../src/machine/files.js'
import {journalText} from '../../../src/pipeline/ledger/journal-format.js'
import {type JournalEntry} from '../../../src/pipeline/ledger/entries.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import {memoryFiles} from '../../fakes/memory-files.js'

const PATH = String.raw`C:\k\k8s-win\journal.ndjson`
const now = (): number => Date.UTC(2026, 0, 2)
const entry = (kind: 'directory' | 'file' | 'tree', name: string): JournalEntry => ({kind, path: `C:\\${name}`})

describe('the journal', () => {
  it('keeps the lines that are not forgotten as they were written, for this run and the next', async () => {
    const files = memoryFiles()
    const journal = await openJournal(files, PATH, now)
    await journal.record('net-conf', entry('file', 'a'), entry('directory', 'etc'))
    await journal.record('cni-config', entry('file', 'b'))
    await journal.forget(({entry: {kind}}) => kind === 'file')
    const kept = {at: '2026-01-02T00:00:00.000Z', entry: entry('directory', 'etc'), step: 'net-conf'} as const
    expect((await files.read(PATH))?.toString()).toBe(journalText([kept], 1))
    for (const one of [journal, await openJournal(files, PATH, now)]) {
      expect(one.all()).toEqual([{entry: entry('directory', 'etc'), step: 'net-conf'}])
      expect(one.entries('cni-config', 'file')).toEqual([])
    }
  })

  it('is not touched where nothing is forgotten, and gone where nothing is left', async () => {
    const files = memoryFiles()
    let writes = 0
    const counting = {...files, write: (...args: Parameters<typeof files.write>) => (writes++, files.write(...args))}
    const journal = await openJournal(counting, PATH, now)
    await journal.record('net-conf', entry('file', 'a'))
    await journal.forget(() => false)
    expect(writes).toBe(0)
    await journal.forget(() => true)
    expect(await files.read(PATH)).toBeUndefined()
    await journal.record('net-conf', entry('file', 'a'))
    expect((await openJournal(files, PATH, now)).all()).toHaveLength(1)
  })

  it('claims as before what could not be forgotten', async () => {
    const files = memoryFiles()
    const full = {...files, write: (path: string) => Promise.reject(new FileError('write', path, 'ENOSPC'))}
    const journal = await openJournal(full, PATH, now)
    await journal.record('net-conf', entry('file', 'a'), entry('file', 'b'))
    const isA = ({entry: one}: {entry: JournalEntry}): boolean => one.kind === 'file' && one.path === 'C:\\a'
    await expect(journal.forget(isA)).rejects.toMatchObject({code: 'ENOSPC'})
    expect(journal.all()).toHaveLength(2)
  })

  it('says the same to this run and the next, whatever is recorded and forgotten', async () => {
    const kinds = fc.constantFrom('directory' as const, 'file' as const, 'tree' as const)
    const names = fc.constantFrom('a', 'b', 'c')
    const moves = fc.array(
      fc.record({does: fc.constantFrom('forget' as const, 'record' as const), kind: kinds, name: names}),
    )
    await fc.assert(
      fc.asyncProperty(moves, async (done) => {
        const files = memoryFiles()
        const journal = await openJournal(files, PATH, now)
        for (const {does, kind, name} of done) {
          const wanted = JSON.stringify(entry(kind, name))
          if (does === 'record') await journal.record('net-conf', entry(kind, name))
          else await journal.forget((line) => JSON.stringify(line.entry) === wanted)
        }

        expect((await openJournal(files, PATH, now)).all()).toEqual(journal.all())
        const last = new Map(done.map((move) => [JSON.stringify(entry(move.kind, move.name)), move.does]))
        for (const [text, does] of last) {
          expect(journal.all().some((line) => JSON.stringify(line.entry) === text)).toBe(does === 'record')
        }
      }),
    )
  })
})
