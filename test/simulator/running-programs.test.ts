// The file of a program that runs: read and renamed, but never written or deleted, as on Windows.
import {beforeEach, describe, expect, it} from 'vitest'
import {FileError} from '../../src/machine/files.js'
import type {Machine} from '../../src/machine/machine.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {temporaryFolder} from '../steps/rig.js'
import {serviceConfig} from './node.js'

const PROGRAM = String.raw`C:\k\svc.exe`
const OTHER = String.raw`C:\k\other.exe`

let machine: Machine
beforeEach(async () => {
  machine = await openSimulator({dir: temporaryFolder(), profile: 'ws2019'})
  await machine.files.write(PROGRAM, 'MZ a service')
  await machine.files.write(OTHER, 'MZ another')
  await machine.win32.createService('svc', serviceConfig(PROGRAM))
  await machine.win32.startService('svc')
  await machine.clock.sleep(1000)
})

describe('while it runs', () => {
  it.each<[string, string, (files: Machine['files']) => Promise<unknown>]>([
    ['written', 'EPERM', (files) => files.write(PROGRAM, 'MZ new')],
    ['replaced by another', 'EPERM', (files) => files.rename(OTHER, PROGRAM.toUpperCase())],
    ['appended to', 'EBUSY', (files) => files.append(PROGRAM, 'x')],
    ['removed', 'EPERM', (files) => files.remove(PROGRAM)],
    ['removed with its folder', 'EPERM', (files) => files.remove(String.raw`C:\k`)],
    ['moved with its folder', 'EPERM', (files) => files.rename(String.raw`C:\k`, String.raw`C:\k2`)],
  ])('it cannot be %s: %s, after a minute of trying', async (_what, code, change) => {
    const {clock, files} = machine
    const before = clock.now()
    await expect(change(files)).rejects.toMatchObject({code, constructor: FileError})
    expect(clock.now() - before).toBeGreaterThanOrEqual(60_000)
    expect((await files.read(PROGRAM))?.toString()).toBe('MZ a service')
  })

  it('it can be renamed, and then nothing can remove it under its new name', async () => {
    const {files} = machine
    await files.rename(PROGRAM, String.raw`C:\k\old.exe`)
    await files.rename(OTHER, PROGRAM)
    expect((await files.read(PROGRAM))?.toString()).toBe('MZ another')
    await expect(files.remove(String.raw`C:\k\old.exe`)).rejects.toMatchObject({code: 'EPERM'})
  })
})

it('what waits for it continues when it has stopped', async () => {
  const {files, win32} = machine
  const written = files.write(PROGRAM, 'MZ new')
  await win32.stopService('svc')
  await written
  expect((await files.read(PROGRAM))?.toString()).toBe('MZ new')
})

it('the program of k8s-win itself is held too, wherever it is moved to', async () => {
  const dir = new MemoryHost()
  await openSimulator({dir, profile: 'ws2019'})
  new HostFolder(dir).edit(({os}) => (os.program = OTHER))
  const {files} = await openSimulator({dir, profile: 'ws2019'})
  new HostFolder(dir).put(String.raw`k\other.exe`, 'MZ another')
  await expect(files.write(OTHER, 'MZ new')).rejects.toMatchObject({code: 'EPERM'})
  const moved = String.raw`C:\moved`
  await files.rename(OTHER, moved)
  await expect(files.remove(moved)).rejects.toMatchObject({code: 'EPERM'})
})
