// Programs: each is the one that was verified, byte for byte, and nothing is replaced that is right already.
import {createHash} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import type {Artifact} from '../../../../src/artifacts/catalog.js'
import {
  applyPrograms,
  type DesiredPrograms,
  inspectPrograms,
} from '../../../../src/pipeline/desired/programs/programs.js'
import {Rig} from '../../../steps/rig.js'

const STEP = 'flannel-binary'
const PATH = String.raw`C:\k\shawl.exe`
const STAGE = String.raw`C:\k\downloads\shawl.staged`
const CONTENT = 'MZ shawl'
const hex = (text: string): string => createHash('sha256').update(text).digest('hex')

const desired = (change: Partial<Artifact> = {}, content = CONTENT): DesiredPrograms => ({
  artifact: {
    digest: {algorithm: 'sha256', hex: hex(CONTENT), source: 'a pin'},
    fileName: 'shawl-v1.exe',
    id: 'shawl',
    maxBytes: 1000,
    url: 'file:shawl.exe',
    version: '1',
    ...change,
  },
  folder: String.raw`C:\k`,
  paths: [PATH],
  read: () => Promise.resolve(Buffer.from(content)),
})

async function open() {
  const rig = await Rig.open()
  const rested: string[] = []
  const services = {...rig.context.host.services, isOurs: async (name: string) => (rested.push(name), false)}
  const context = {...rig.context, host: {...rig.context.host, services}}
  const apply = (programs = desired()) => applyPrograms(context, STEP, [programs])
  const inspect = async (programs = desired()) => (await inspectPrograms(context, STEP, [programs])).state
  return {apply, context, files: rig.machine.files, inspect, rested}
}

const textOf = async ({files}: Awaited<ReturnType<typeof open>>): Promise<string> => String(await files.read(PATH))

test('one that is missing is installed, and then in place', async () => {
  const one = await open()
  expect(await one.inspect()).toBe('missing')
  await one.apply()
  expect(await one.inspect()).toBe('in-place')
  expect(await textOf(one)).toBe(CONTENT)
  expect(await one.files.status(STAGE)).toBeUndefined()
})

describe('one that is installed', () => {
  test('and changed since is replaced, and the service that runs it rests', async () => {
    const one = await open()
    await one.apply()
    await one.files.write(PATH, 'MZ another')
    one.rested.length = 0
    expect(await one.inspect()).toBe('drifted')
    await one.apply()
    expect(await textOf(one)).toBe(CONTENT)
    expect(one.rested).toEqual(['flanneld'])
  })

  test('and removed since is installed again', async () => {
    const one = await open()
    await one.apply()
    await one.files.remove(PATH)
    await one.apply()
    expect(await textOf(one)).toBe(CONTENT)
  })

  test('and right is left alone', async () => {
    const one = await open()
    await one.apply()
    const changes: string[] = []
    await applyPrograms({...one.context, changed: (what) => void changes.push(what)}, STEP, [desired()])
    expect(changes).toEqual([])
  })

  test('beside one that is missing makes the finding a drift', async () => {
    const one = await open()
    await one.apply()
    await one.files.write(PATH, 'MZ another')
    const both = {...desired(), paths: [PATH, String.raw`C:\k\another.exe`]}
    expect(await one.inspect(both)).toBe('drifted')
    await one.apply()
    expect(await one.inspect(both)).toBe('drifted')
  })

  test('in another version is not in place', async () => {
    const one = await open()
    await one.apply()
    expect(await one.inspect(desired({version: '2'}))).toBe('drifted')
  })

  test('and right, but whose memo is lost, is verified and not replaced', async () => {
    const one = await open()
    await one.apply()
    await one.context.journal.forget(({entry}) => entry.kind === 'file' && entry.sha256 !== undefined)
    one.rested.length = 0
    expect(await one.inspect()).toBe('drifted')
    const modified = (await one.files.status(PATH))?.modifiedMs
    await one.apply()
    expect(await one.inspect()).toBe('in-place')
    expect([(await one.files.status(PATH))?.modifiedMs, one.rested]).toEqual([modified, []])
  })

  test('beside what a run left that did not finish is cleaned up, not replaced', async () => {
    const one = await open()
    await one.apply()
    await one.files.makeDirectory(STAGE)
    one.rested.length = 0
    expect(await one.inspect()).toBe('drifted')
    await one.apply()
    expect([await one.files.status(STAGE), one.rested]).toEqual([undefined, []])
  })
})

describe('one that is not what was pinned', () => {
  test('is refused, and nothing of it stays', async () => {
    const one = await open()
    await expect(one.apply(desired({}, 'MZ evil'))).rejects.toMatchObject({id: 'WRONG_DIGEST'})
    expect(await one.files.status(PATH)).toBeUndefined()
    expect(await one.files.status(String.raw`C:\k\downloads\shawl-v1.exe`)).toBeUndefined()
    expect(one.context.journal.entries(STEP, 'file')).toEqual([])
  })

  test('one inside k8s-win without a pin is recorded with its own digest', async () => {
    const one = await open()
    const {digest: _, ...artifact} = desired().artifact
    await one.apply({...desired(), artifact})
    expect(one.context.journal.entries(STEP, 'file')).toContainEqual(
      expect.objectContaining({path: PATH, sha256: hex(CONTENT)}),
    )
  })
})
