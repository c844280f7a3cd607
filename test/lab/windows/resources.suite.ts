// Drives, memory and keys of the registry, held against what Node says of the same host.
import assert from 'node:assert/strict'
import {statfs} from 'node:fs/promises'
import {totalmem} from 'node:os'
import {basename} from 'node:path'
import {describe, test} from 'node:test'
import {openCondition} from '../../../src/host/condition.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {IS_WINE} from './windows-host.js'

const {win32} = openRealMachine()
/** Others write to the disk and take memory meanwhile. */
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 0.05 * Math.max(a, b)

describe('drives', () => {
  test('C: is a fixed one, with the size and the room Node sees', async () => {
    const drive = await win32.drive('C:')
    const {bavail, blocks, bsize} = await statfs('C:\\')
    assert.ok(drive)
    assert.equal(drive.kind, 'fixed')
    assert.equal(drive.fileSystem, 'NTFS')
    assert.ok(isNear(drive.totalBytes, blocks * bsize), `${drive.totalBytes} and ${blocks * bsize}`)
    assert.ok(isNear(drive.freeBytes, bavail * bsize), `${drive.freeBytes} and ${bavail * bsize}`)
  })

  test('one that is not there is not reported', async () => {
    assert.equal(await win32.drive('Q:'), undefined)
  })
})

test('memory is what Node sees, and some of it is free', async () => {
  const {availableBytes, totalBytes} = await win32.memory()
  assert.ok(isNear(totalBytes, totalmem()), `${totalBytes} and ${totalmem()}`)
  assert.ok(availableBytes > 0 && availableBytes < totalBytes)
})

test('the firmware gives a UUID, and the same one each time', async () => {
  const uuid = await win32.systemUuid()
  assert.match(String(uuid), /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
  assert.equal(await win32.systemUuid(), uuid)
})

describe('keys of the registry', () => {
  test('are there or not, whatever is in them', async () => {
    const existing = [
      'SOFTWARE',
      String.raw`SOFTWARE\Microsoft\Windows NT\CurrentVersion`,
      String.raw`System\CURRENTcontrolset`,
    ]
    for (const key of existing) assert.equal(await win32.registryKeyExists('HKLM', key), true, key)
    for (const key of [String.raw`SOFTWARE\k8s-win nobody`, String.raw`SOFTWARE\k8s-win nobody\deep`]) {
      assert.equal(await win32.registryKeyExists('HKLM', key), false, key)
    }
  })

  test('have keys below them', async () => {
    const versions = await win32.registryKeys('HKLM', String.raw`SOFTWARE\Microsoft\Windows`)
    assert.ok(versions.includes('CurrentVersion'), versions.join(', '))
    assert.deepEqual(await win32.registryKeys('HKLM', String.raw`SOFTWARE\k8s-win nobody`), [])
  })

  test('report the condition of this host', async () => {
    const condition = openCondition(win32)
    const {azure, manufacturer, product} = await condition.hardware()
    assert.deepEqual([typeof azure, typeof manufacturer, typeof product], ['boolean', 'string', 'string'])
    assert.equal(typeof (await condition.longPaths()), 'boolean')
    for (const {reason} of await condition.pendingRestarts()) assert.notEqual(reason, '')
    if (IS_WINE) assert.equal(await condition.defenderExclusions(), undefined)
  })
})

describe('a process', () => {
  test('began when Node says that this one did', async () => {
    const began = await win32.processStartedAt(process.pid)
    assert.ok(began !== undefined)
    const told = Date.now() - process.uptime() * 1000
    assert.ok(Math.abs(began - told) < 60_000, `${new Date(began).toISOString()} and ${new Date(told).toISOString()}`)
  })

  test('is among all of them, with the one that started it', async () => {
    const own = (await win32.processes()).find(({id}) => id === process.pid)
    assert.equal(own?.name.toLowerCase(), basename(process.execPath).toLowerCase())
    assert.equal(own?.parentId, process.ppid)
  })

  test('that is not there is not reported', async () => {
    // Windows' process numbers are multiples of four.
    assert.equal(await win32.processStartedAt(0xff_ff_ff_f1), undefined)
  })
})
