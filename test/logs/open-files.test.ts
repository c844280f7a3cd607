import {describe, expect, it} from 'vitest'
import {openLogFiles} from '../../src/logs/open-files.js'
import {readLogs, wholeFiles} from '../../src/logs/read-logs.js'
import {FileError} from '../../src/machine/files.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {all, foldersOf, klogFile, klogLine, LOGS, messagesOf, readerOf} from './log-reader.js'

const ONE = klogFile('kubelet', '20261115-000000', 1)
const TWO = klogFile('kubelet', '20261115-000100', 2)
const KUBELET = foldersOf('kubelet')
const twoLogs = () => memoryFiles({[ONE]: klogLine(1, 'one'), [TWO]: klogLine(61, 'two')})

describe('files that cannot be read', () => {
  it.each([
    ['EBUSY', 'another program holds it open (EBUSY)'],
    ['EPERM', 'access denied (EPERM)'],
    ['EIO', 'EIO'],
  ])('are reported (%s), and the others shown', async (code, told) => {
    const files = twoLogs()
    const {readRange} = files
    files.readRange = async (path, ...range) => {
      if (path === ONE) throw new FileError('read', path, code)
      return readRange(path, ...range)
    }
    const reader = readerOf(files)
    const found = await openLogFiles(reader, KUBELET)
    expect(messagesOf(await all(readLogs(reader, wholeFiles(found), {wanted: {}})))).toEqual(['two'])
    expect(reader.notes).toEqual([`${ONE} cannot be read: ${told}. The other logs are shown.`])
  })

  it('are links, which may lead anywhere, and folders', async () => {
    const files = twoLogs()
    await files.makeDirectory(`${LOGS}\\kubelet\\old`)
    const {status} = files
    files.status = async (path) => {
      const found = await status(path)
      return path === ONE && found ? {...found, kind: 'link'} : found
    }
    const reader = readerOf(files)
    expect((await openLogFiles(reader, KUBELET)).map(({file}) => file)).toEqual([TWO])
    expect(reader.notes).toEqual([`${ONE} is a link, which is not followed.`])
  })

  it.each([LOGS, `${LOGS}\\kubelet`])('are in a folder that is a link: %s', async (link) => {
    const files = twoLogs()
    const {status} = files
    files.status = async (path) => {
      const found = await status(path)
      return path === link && found ? {...found, kind: 'link'} : found
    }
    const reader = readerOf(files)
    expect(await openLogFiles(reader, KUBELET)).toEqual([])
    expect(reader.notes.join()).toContain(`${link} is a link`)
  })

  it('are in a place where a file is', async () => {
    const reader = readerOf(memoryFiles({[`${LOGS}\\kubelet`]: 'x'}))
    expect(await openLogFiles(reader, KUBELET)).toEqual([])
    expect(reader.notes.join()).toContain('is not a folder')
  })
})

describe('files that change while they are read', () => {
  const begun = async (files = twoLogs()) => {
    const reader = readerOf(files)
    const found = await openLogFiles(reader, KUBELET)
    return {files, read: async () => messagesOf(await all(readLogs(reader, wholeFiles(found), {wanted: {}}))), reader}
  }

  it('are read on under their new name', async () => {
    const {files, read, reader} = await begun()
    await files.rename(ONE, `${LOGS}\\kubelet\\renamed.log`)
    await files.append(ONE, klogLine(9, 'another file'))
    expect(await read()).toEqual(['one', 'two'])
    expect(reader.notes).toEqual([])
  })

  it('are reported where they are removed or cut off', async () => {
    const {files, read, reader} = await begun()
    await files.remove(ONE)
    await files.write(TWO, '')
    expect(await read()).toEqual([])
    expect(reader.notes).toEqual([`${ONE} was removed while it was read.`, `${TWO} was truncated while it was read.`])
  })

  it('are read up to where they were when the look began', async () => {
    const {files, read} = await begun()
    await files.append(ONE, klogLine(2, 'later'))
    expect(await read()).toEqual(['one', 'two'])
  })

  it('have a last line without an end: it is left to whoever follows', async () => {
    const files = memoryFiles({[ONE]: `${klogLine(1, 'one')}I1115 00:0`})
    const reader = readerOf(files)
    const sizes = await Promise.all(
      [true, false].map(async (wholeLines) => (await openLogFiles(reader, KUBELET, {wholeLines}))[0]?.size),
    )
    expect(sizes).toEqual([klogLine(1, 'one').length, klogLine(1, 'one').length + 10])
  })
})
