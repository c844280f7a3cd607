import {appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {interceptMachine, readOnlyMachine} from '../../../src/machine/intercept.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {temporaryFolder} from '../../steps/rig.js'

describe('a piece of a file', () => {
  const {files} = openRealMachine()
  const folder = (): string => temporaryFolder()

  it('is what is asked for, shorter only at the end', async () => {
    const file = join(folder(), 'a')
    writeFileSync(file, '0123456789')
    const text = async (start: number, length: number) => {
      const range = await files.readRange(file, start, length)
      return [Buffer.from(range?.bytes ?? []).toString(), range?.size]
    }
    expect(await text(2, 3)).toEqual(['234', 10])
    expect(await text(8, 100)).toEqual(['89', 10])
    expect(await text(10, 5)).toEqual(['', 10])
    expect(await text(50, 5)).toEqual(['', 10])
    expect(await text(0, 0)).toEqual(['', 10])
  })

  it('is none where there is no file; a folder is refused', async () => {
    const dir = folder()
    expect(await files.readRange(join(dir, 'nobody'), 0, 1)).toBeUndefined()
    mkdirSync(join(dir, 'inner'))
    await expect(files.readRange(join(dir, 'inner'), 0, 10)).rejects.toMatchObject({name: 'FileError'})
  })

  it('reports which file it is of, whatever that is called and however it grows', async () => {
    const dir = folder()
    const [one, two] = [join(dir, 'one'), join(dir, 'two')]
    const identity = async (file: string) => (await files.readRange(file, 0, 1))?.identity
    writeFileSync(one, 'x')
    const first = await identity(one)
    appendFileSync(one, 'more')
    expect(await identity(one)).toBe(first)
    truncateSync(one)
    expect(await identity(one)).toBe(first)
    renameSync(one, two)
    expect(await identity(two)).toBe(first)
    writeFileSync(one, 'y')
    expect(await identity(one)).not.toBe(first)
    rmSync(two)
    writeFileSync(two, 'z')
    expect(await identity(two)).not.toBe(first)
  })
})

describe('of other machines', () => {
  it.each([true, false])('it is the same on a simulated drive, only read: %s', async (readOnly) => {
    const dir = temporaryFolder()
    const machine = await openSimulator({dir, profile: 'ws2019', readOnly})
    const seen: string[] = []
    const {files} = interceptMachine(readOnlyMachine(machine), async ({kind, what}, perform) => {
      seen.push(`${kind} ${what}`)
      return perform()
    })
    const path = String.raw`c:\K\kubeconfig`
    const whole = (await files.read(path)) as Buffer
    const range = await files.readRange(path, 4, 10)
    expect(range).toMatchObject({size: whole.length})
    expect(Buffer.from(range?.bytes ?? []).equals(whole.subarray(4, 14))).toBe(true)
    expect(await files.readRange(String.raw`c:\nobody\here`, 0, 1)).toBeUndefined()
    expect(seen).toContain('read readRange')
  })

  it('a file that a looker at a simulated drive wrote is read from where it is', async () => {
    const machine = await openSimulator({dir: temporaryFolder(), profile: 'ws2019', readOnly: true})
    await machine.files.write(String.raw`C:\new.txt`, 'abcdef')
    const range = await machine.files.readRange(String.raw`C:\new.txt`, 1, 3)
    expect([Buffer.from(range?.bytes ?? []).toString(), range?.size]).toEqual(['bcd', 6])
  })

  it('and in memory', async () => {
    const files = memoryFiles({'C:\\a': 'abcdef'})
    const before = await files.readRange('C:\\a', 1, 3)
    await files.rename('C:\\a', 'C:\\b')
    expect((await files.readRange('C:\\b', 1, 3))?.identity).toBe(before?.identity)
  })
})
