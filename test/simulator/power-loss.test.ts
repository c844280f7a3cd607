// What of a drive outlives a power loss: changes of names up to a flush of any file, bytes up to a flush of their own file.
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {Files} from '../../src/machine/files.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {profileNamed} from '../../src/simulator/profiles/index.js'
import {HostFolder} from '../steps/host-folder.js'

type Call = readonly [what: 'append' | 'flush' | 'make' | 'remove' | 'rename' | 'write', path: string]

const PATHS = ['C:\\a', 'C:\\a\\x', 'C:\\a\\y', 'C:\\b', 'C:\\b\\x'] as const
const call: fc.Arbitrary<Call> = fc.tuple(
  fc.constantFrom('append', 'flush', 'make', 'remove', 'rename', 'write'),
  fc.constantFrom(...PATHS),
)

function openHost(): {drive: Files; host: MemoryHost} {
  const host = new MemoryHost()
  const world = profileNamed('ws2019').makeWorld(0)
  host.world = world
  return {drive: host.openDrive({digestOf: () => undefined, keep: () => {}, security: () => world.security}), host}
}

async function perform(drive: Files, [what, path]: Call): Promise<void> {
  const calls = {
    append: () => drive.append(path, 'line\n'),
    flush: () => drive.append(path, 'line\n', {flush: true}),
    make: () => drive.makeDirectory(path.slice(0, 'C:\\a'.length), {security: 'O:BAD:P'}),
    remove: () => drive.remove(path),
    rename: () => drive.rename(path, 'C:\\a\\renamed'),
    write: () => drive.write(path, 'text', {sddl: 'O:BAD:P'}),
  }
  await calls[what]().catch(() => {})
}

const namesOf = (host: MemoryHost): string[] => new HostFolder(host).paths.sort()

describe('review R2-2: a power loss', () => {
  test('takes back a tail of the changes of names, and never one that came before a flush', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, {maxLength: 25}), fc.nat(30), async (calls, lost) => {
        const {drive, host} = openHost()
        const states: string[][] = [namesOf(host)]
        let flushed = 0
        for (const one of calls) {
          const before = namesOf(host)
          await perform(drive, one)
          if (host.entries.unflushed === 0) flushed = states.length
          if (JSON.stringify(before) !== JSON.stringify(namesOf(host))) states.push(namesOf(host))
        }
        const copy = host.copy()
        copy.losePower(lost)
        const possible = states.slice(Math.max(0, Math.min(flushed, states.length) - 1))
        expect(possible).toContainEqual(namesOf(copy))
        // Once more there is nothing to lose.
        const after = namesOf(copy)
        copy.losePower(Infinity)
        expect(namesOf(copy)).toEqual(after)
      }),
      {numRuns: 300},
    )
  })

  test('takes bytes that were not flushed, also where another file was', async () => {
    const {drive, host} = openHost()
    await drive.append('C:\\journal', 'one\n', {flush: true})
    await drive.append('C:\\journal', 'two\n')
    await drive.write('C:\\program', 'bytes')
    host.losePower(0)
    expect((await drive.read('C:\\journal'))?.toString()).toBe('one\n')
    expect(await drive.status('C:\\program')).toMatchObject({size: 5})
  })

  test('brings a file back with its access list, and a new one goes with its own', async () => {
    const {drive, host} = openHost()
    await drive.write('C:\\old', 'old', {sddl: 'O:BAD:P'})
    await drive.append('C:\\journal', 'line\n', {flush: true})
    await drive.remove('C:\\old')
    await drive.makeDirectory('C:\\new', {security: 'O:BAD:P'})
    host.losePower(Infinity)
    expect(namesOf(host)).toEqual(['journal', 'old'])
    expect(host.world?.security).toEqual({'c:\\old': 'O:BAD:P'})
  })
})
