// Restricting k8s-win's own folders: which files are replaced, which only get another access list, and what is refused.
import {expect, test} from 'vitest'
import {layoutOf} from '../../../../src/config/layout.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../../../../src/host/security/security.js'
import {FileError} from '../../../../src/machine/files.js'
import {
  restrictFolders,
  inspectFolders,
  type SpecialFiles,
} from '../../../../src/pipeline/desired/files/restrict-folders.js'
import type {Fault} from '../../../fakes/faulty.js'
import {Rig} from '../../../steps/rig.js'

/** The kubeconfig in the base directory is a copy of the given one, and is compared with it. */
const GIVEN = {'base-dir': String.raw`C:\node`, kubeconfig: String.raw`C:\k\kubeconfig`}
const {baseDir: BASE} = (await Rig.open({given: GIVEN})).config
const {binaries, clientCA, downloads, kubeconfig, kubeletConfig, logs, state} = layoutOf(BASE)
const LOG = `${logs}\\kubelet\\kubelet.log`
const PROGRAM = `${binaries}\\kubelet.exe`
const NONE: SpecialFiles = {secrets: [], theirs: []}
const WRITABLE = `${ADMINISTRATORS_ONLY_FILE}(A;;FW;;;BU)`
const READABLE = `${ADMINISTRATORS_ONLY_FILE}(A;;FR;;;BU)`
const BOB = 'S-1-5-21-1-2-3-1001'

/** A restricted base directory. */
async function openRig(options: Parameters<typeof Rig.open>[0] = {}): Promise<Rig> {
  const rig = await Rig.open({...options, given: GIVEN})
  const {files, win32} = rig.machine
  await files.makeDirectory(BASE)
  await win32.setSecurity(BASE, ADMINISTRATORS_ONLY)
  await files.write(kubeconfig, 'copy', {sddl: ADMINISTRATORS_ONLY_FILE})
  return rig
}

/** With a file in it that has this access list. */
async function withFile(path: string, sddl: string, faults: readonly Fault[] = []): Promise<Rig> {
  const rig = await openRig({faults})
  await rig.machine.files.makeDirectory(path.slice(0, path.lastIndexOf('\\')))
  await rig.machine.files.write(path, 'content')
  await rig.machine.win32.setSecurity(path, sddl)
  return rig
}

/** What restricting changed, the journal aside, as "effect path", and what was reported. */
async function close(rig: Rig, special: SpecialFiles = NONE): Promise<{done: string[]; told: string[]}> {
  const told: string[] = []
  const before = rig.changes.length
  await restrictFolders({...rig.context, changed: (text) => told.push(text)}, 'base-dir', special)
  return {done: changesSince(rig, before), told}
}

const changesSince = (rig: Rig, before: number): string[] =>
  rig.changes
    .slice(before)
    .filter(({args}) => args[0] !== state)
    .map(({args, what}) => `${what} ${String(args[0])}`)

/** Undefined if it has only what its folder hands down. */
const listOf = (rig: Rig, path: string): string | undefined => rig.world.security[path.toLowerCase()]

const SECRET: SpecialFiles = {secrets: [kubeconfig.toUpperCase()], theirs: []}

test.each([
  ['a file that others can write is replaced', kubeletConfig, WRITABLE, NONE, 'writeChunks', undefined],
  ['one that others can only read stays the same file', kubeletConfig, READABLE, NONE, 'setSecurity', undefined],
  ['a log that others can write stays the same file', LOG, WRITABLE, NONE, 'setSecurity', undefined],
  ['a secret that others can write is replaced', kubeconfig, WRITABLE, SECRET, 'write', ADMINISTRATORS_ONLY_FILE],
  ['one they can read stays', kubeconfig, READABLE, SECRET, 'setSecurity', ADMINISTRATORS_ONLY_FILE],
])('%s, and its access list is recorded', async (_, path, sddl, special, effect, after) => {
  const rig = await withFile(path, sddl)
  const {done, told} = await close(rig, special)
  expect(done).toEqual([`${effect} ${path}`])
  expect(listOf(rig, path)).toBe(after)
  expect((await rig.machine.files.read(path))?.toString()).toBe('content')
  expect(rig.context.journal.all()).toMatchObject([{entry: {kind: 'security', path, previous: sddl}, step: 'base-dir'}])
  expect(told).toEqual([expect.stringContaining(path)])
  // Nothing is left for another run.
  const {exposed, open, problems} = await inspectFolders(rig.context.host, rig.config, special)
  expect({exposed, open, problems}).toEqual({exposed: [], open: [], problems: []})
})

test('a kubeconfig that is no copy is refused where others can write it: closing it would make it trusted', async () => {
  const rig = await Rig.open()
  const own = layoutOf(rig.config.baseDir).kubeconfig
  await rig.machine.win32.setSecurity(own, WRITABLE)
  await expect(close(rig, {secrets: [own], theirs: []})).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
  expect(listOf(rig, own)).toBe(WRITABLE)
  expect(rig.context.journal.all()).toEqual([])
})

const failing = (does: Error): Fault => ({at: ({what}) => what === 'writeChunks', does, when: 'before'})

test.each(['EACCES', 'EBUSY', 'EPERM'])('a program that runs (%s) gets only another access list', async (code) => {
  const does = new FileError('replace', PROGRAM, code)
  const rig = await withFile(PROGRAM, WRITABLE, [failing(does)])
  await close(rig)
  expect(listOf(rig, PROGRAM)).toBeUndefined()
  expect((await rig.machine.files.read(PROGRAM))?.toString()).toBe('content')
})

test.each([new FileError('replace', PROGRAM, 'ENOSPC'), new Error('EBUSY')])(
  'any other failure to replace a file ends the step, and the file keeps its access list: %s',
  async (does) => {
    const rig = await withFile(PROGRAM, WRITABLE, [failing(does)])
    await expect(close(rig)).rejects.toBe(does)
    expect(listOf(rig, PROGRAM)).toBe(WRITABLE)
  },
)

test('an empty folder that others may add to is created again, one with content keeps it', async () => {
  const rig = await withFile(`${downloads}\\kept.zip`, ADMINISTRATORS_ONLY_FILE)
  const {files, win32} = rig.machine
  const empty = `${logs}\\kubelet`
  await files.makeDirectory(empty)
  for (const path of [downloads, empty]) await win32.setSecurity(path, `${ADMINISTRATORS_ONLY}(A;CI;DC;;;BU)`)
  const {done} = await close(rig)
  expect(done.toSorted()).toEqual(
    [
      `makeDirectory ${empty}`,
      `removeEmpty ${empty}`,
      ...[downloads, empty].map((path) => `setSecurity ${path}`),
    ].toSorted(),
  )
  expect(await files.list(downloads)).toHaveLength(1)
})

test('the base directory itself is restricted in place, and hands nothing down from above', async () => {
  const rig = await openRig()
  await rig.machine.win32.setSecurity(BASE, `${ADMINISTRATORS_ONLY}(A;CI;DC;;;BU)`)
  const {done} = await close(rig)
  expect(done).toEqual([`setSecurity ${BASE}`])
  expect(listOf(rig, BASE)).toBe(ADMINISTRATORS_ONLY)
})

test('where something cannot be trusted, nothing is restricted at all', async () => {
  const rig = await withFile(kubeletConfig, WRITABLE)
  await rig.machine.files.makeDirectory(binaries)
  await rig.machine.files.write(`${binaries}\\planted.exe`, 'x')
  await rig.machine.win32.setSecurity(`${binaries}\\planted.exe`, WRITABLE)
  const before = rig.changes.length
  await expect(close(rig)).rejects.toMatchObject({id: 'PLANTED_PROGRAM'})
  expect(changesSince(rig, before)).toEqual([])
  expect(rig.context.journal.all()).toEqual([])
})

test('what appears while the first files are restricted is restricted by a second pass, and there is no third', async () => {
  const rig = await withFile(kubeletConfig, WRITABLE)
  const {security} = rig.context.host
  let looks = 0
  const survey: typeof security.survey = async (places) => {
    looks++
    if (looks === 2) {
      await rig.machine.files.write(clientCA, 'late')
      await rig.machine.win32.setSecurity(clientCA, READABLE)
    }

    return security.survey(places)
  }
  const host = {...rig.context.host, security: {...security, survey}}
  await restrictFolders({...rig.context, host}, 'base-dir', NONE)
  expect(listOf(rig, clientCA)).toBeUndefined()
  expect(looks).toBe(2)
})

test('folders that are restricted already are checked once, and nothing is changed', async () => {
  const rig = await openRig()
  const surveys = () => rig.effects.filter(({what}) => what === 'survey').length
  const looks = surveys()
  expect(await close(rig, SECRET)).toEqual({done: [], told: []})
  expect(surveys() - looks).toBe(1)
})

test("a user's file in the way of a copy is neither restricted nor exposed: it is kept aside as it is", async () => {
  const rig = await withFile(kubeconfig, WRITABLE)
  const look = (special: SpecialFiles) => inspectFolders(rig.context.host, rig.config, special)
  expect(await look({secrets: [], theirs: [kubeconfig.toUpperCase()]})).toEqual({exposed: [], open: [], problems: []})
  expect(await look(SECRET)).toMatchObject({exposed: [{path: kubeconfig}], open: []})
  expect(await look(NONE)).toMatchObject({exposed: [], open: [{isLog: false, path: kubeconfig}]})
})

test.each([
  [BOB, []],
  ['S-1-5-21-1-2-3-1002', [{id: 'PARENT_OPEN_TO_OTHERS'}]],
])('a folder that an account owns is trusted if k8s-win runs as that account: %s', async (accountSid, problems) => {
  const rig = await openRig({sicken: (world) => (world.os.accountSid = accountSid)})
  await rig.machine.files.makeDirectory(downloads)
  await rig.machine.win32.setSecurity(downloads, ADMINISTRATORS_ONLY.replace('O:BA', `O:${BOB}`))
  const seen = await inspectFolders(rig.context.host, rig.config, NONE)
  expect(seen.problems).toMatchObject(problems)
  expect(seen.problems).toHaveLength(problems.length)
})
