// The journal: what was created, newest first, and readable after a crash.
import {describe, expect, it} from 'vitest'

import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import {FileError} from '../../../src/machine/files.js'
import {memoryFiles} from '../../fakes/memory-files.js'

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
  const line = (path: string): string => JSON.stringify({at: 'x', step: 'net-conf', ...file(path)})

  it('a line that was cut is passed over, and the next one stands for itself', async () => {
    const whole = `${line('C:\\a')}\n${line('C:\\b')}\n`
    for (let cut = line('C:\\a').length + 2; cut < whole.length - 1; cut += 1) {
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
