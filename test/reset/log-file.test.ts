// --log-file: what it may name, and what is reported where it cannot be written.
import {describe, expect, test} from 'vitest'
import {FileError} from '../../src/machine/files.js'
import type {Machine} from '../../src/machine/machine.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {copy} = setUpHost()
const LOG = String.raw`C:\reset.log`
const BOBS = 'O:S-1-5-21-1-2-3-1001D:PAI(A;;FA;;;SY)(A;;FA;;;BA)'

describe('--log-file', () => {
  test.each([
    [String.raw`c:\k\kubeconfig`, 'only'],
    [String.raw`c:\k\k8s-win\journal.ndjson`, 'only'],
    [String.raw`c:\k\flanneld.exe`, 'only'],
    [String.raw`c:\k\logs\kubelet`, 'It is a folder'],
    [String.raw`c:\precious.txt`, 'not a log of k8s-win'],
    [String.raw`c:\kept.log`, 'not a log of k8s-win'],
    [String.raw`c:\nodir\reset.log`, String.raw`Folder not found: c:\nodir`],
    [String.raw`c:\precious.txt\reset.log`, 'is not a folder'],
    [String.raw`c:\Windows`, 'It is a folder'],
    [String.raw`c:\var\lib\kubelet\reset.log`, 'which reset removes'],
  ])('%s is refused, and nothing is changed', async (file, why) => {
    const host = copy()
    host.put('precious.txt', 'precious')
    host.put('kept.log.trace', 'precious')
    host.put(String.raw`Windows\System32\x`, '')
    const at = wholeHost(host)
    const {result} = await resetOn(host.dir, {given: {'log-file': file}})
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
    expect(result.error?.cause).toContain(why)
    expect(differences(at, wholeHost(host))).toEqual([])
  })

  test('a log of an earlier run is added to', async () => {
    const host = copy()
    await resetOn(host.dir, {given: {'log-file': LOG}})
    const first = host.read('reset.log')
    expect((await resetOn(host.dir, {given: {'log-file': LOG}})).result).toMatchObject({exitCode: 0, log: LOG})
    expect(host.read('reset.log').startsWith(first)).toBe(true)
    expect(host.read('reset.log').length).toBeGreaterThan(first.length)
  })

  test.each<[string, (host: HostFolder) => void]>([
    ['of a user', (host) => host.edit(({security}) => (security[LOG.toLowerCase()] = BOBS))],
    ['with another name elsewhere', (host) => host.hardLink('reset.log', 'other-name')],
  ])('review S6: a log %s is not added to', async (_, make) => {
    const host = copy()
    host.put('reset.log', '2026-11-15T06:00:00.000Z event {}\n')
    make(host)
    const {result} = await resetOn(host.dir, {given: {'log-file': LOG}})
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
    expect(host.read('reset.log')).toBe('2026-11-15T06:00:00.000Z event {}\n')
  })

  test.each<[string, string]>([
    ['a file of a user, in the form of a log', '2026-11-15T06:00:00.000Z event {}\n'],
    ['a file of a user that is no log', 'precious'],
  ])('review S1: %s that comes while people are asked is not added to, and nothing is removed', async (_, content) => {
    const host = copy()
    const at = wholeHost(host)
    const simulated: Machine[] = []
    const {result} = await resetOn(host.dir, {
      async ask() {
        host.put('reset.log', content)
        await simulated[0]?.win32.setSecurity(LOG, BOBS)
        return true
      },
      given: {'log-file': LOG},
      wrap: (machine) => (simulated.push(machine), machine),
    })
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2, steps: []})
    expect(host.read('reset.log')).toBe(content)
    expect(differences(at, wholeHost(host)).filter((one) => !one.includes('reset.log'))).toEqual([])
  })

  test('review S1: a file of a user that comes in the moment of its making is not added to', async () => {
    const host = copy()
    const planting = (machine: Machine): Machine => ({
      ...machine,
      files: {
        ...machine.files,
        async write(path, data, options) {
          await machine.files.write(path, data, options)
          if (path === LOG) await machine.win32.setSecurity(LOG, BOBS)
        },
      },
    })
    const {result} = await resetOn(host.dir, {given: {'log-file': LOG}, wrap: planting})
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2, steps: []})
    expect(host.read('reset.log')).toBe('')
  })

  test('review S1: of a log of a user not even the beginning is read', async () => {
    const host = copy()
    host.put('reset.log', 'precious')
    host.edit(({security}) => (security[LOG.toLowerCase()] = BOBS))
    const read: string[] = []
    const listening = (machine: Machine): Machine => ({
      ...machine,
      files: {
        ...machine.files,
        readRange: (path, start, length) => (read.push(path), machine.files.readRange(path, start, length)),
      },
    })
    const {result} = await resetOn(host.dir, {given: {'log-file': LOG}, wrap: listening})
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
    expect(read).not.toContain(LOG)
  })

  test('one that cannot be written is reported, and not claimed', async () => {
    const refusing = (machine: Machine): Machine => ({
      ...machine,
      files: {
        ...machine.files,
        append: (path, text) =>
          path === LOG ? Promise.reject(new FileError('append to', path, 'ENOSPC')) : machine.files.append(path, text),
      },
    })
    const {result, warnings} = await resetOn(copy().dir, {given: {'log-file': LOG}, wrap: refusing})
    expect(result.exitCode).toBe(0)
    expect(result.log).toBeUndefined()
    expect(warnings.join()).toContain(String.raw`the log C:\reset.log could not be written`)
  })
})
