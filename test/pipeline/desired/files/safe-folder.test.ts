// Folders that are closed: only those that no user can have made, also in the moment between look and making.
import {expect, test} from 'vitest'
import {ADMINISTRATORS_ONLY} from '../../../../src/host/security/security.js'
import {ensureSafeFolders, withSafeFolders} from '../../../../src/pipeline/desired/files/safe-folder.js'
import {drifted, inPlace, missing} from '../../../../src/pipeline/run/step.js'
import {Rig} from '../../../steps/rig.js'

const FOLDER = String.raw`C:\run\flannel`
const BOBS = 'O:S-1-5-21-1-2-3-1001D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

test('review S4: a folder that a user makes between the look and the making is refused, and not closed', async () => {
  const {context, effects, machine} = await Rig.open()
  const {files} = context.host
  const raced = {
    ...files,
    async makeDirectory(path: string, options?: Parameters<typeof files.makeDirectory>[1]) {
      if (path === FOLDER) {
        await machine.files.makeDirectory(path)
        await machine.win32.setSecurity(path, BOBS)
      }

      await files.makeDirectory(path, options)
    },
  }
  const host = {...context.host, files: raced}
  await expect(ensureSafeFolders({...context, host}, 'flanneld-service', FOLDER)).rejects.toMatchObject({
    exitCode: 3,
    id: 'PARENT_OPEN_TO_OTHERS',
  })
  const closed = effects.filter(({args, what}) => what === 'setSecurity' && args[0] === FOLDER)
  // Only what the test did itself.
  expect(closed).toHaveLength(1)
  await expect(machine.win32.securityOf(FOLDER)).resolves.toContain('O:S-1-5-21-1-2-3-1001')
})

test('one that nothing else touches is made and closed', async () => {
  const {context, machine} = await Rig.open()
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  await expect(machine.win32.securityOf(FOLDER)).resolves.toMatch(/^O:BA/)
})

test('one that is closed already is left as it is, and nothing is recorded for reset to restore', async () => {
  const {context, effects} = await Rig.open()
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  const before = effects.length
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  expect(effects.slice(before).filter(({kind}) => kind === 'change')).toEqual([])
  expect(context.journal.entries('flanneld-service', 'security')).toEqual([])
})

/** For administrators only, but handed down to nothing inside. */
const SHALLOW = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'

test('one that no user may add to is closed as it is, and its list is recorded first', async () => {
  const {context, effects, machine} = await Rig.open()
  await machine.files.makeDirectory(FOLDER)
  await machine.win32.setSecurity(FOLDER, SHALLOW)
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  expect(effects.filter(({args, what}) => what.startsWith('remove') && args[0] === FOLDER)).toEqual([])
  await expect(machine.win32.securityOf(FOLDER)).resolves.toBe(ADMINISTRATORS_ONLY)
  expect(context.journal.entries('flanneld-service', 'security')).toMatchObject([{path: FOLDER, previous: SHALLOW}])
})

test('a finding reports the folders that are not closed', async () => {
  const {context, machine} = await Rig.open()
  const [closed, open] = [`${FOLDER}\\closed`, `${FOLDER}\\open`]
  for (const path of [closed, open]) await machine.files.makeDirectory(path)
  await machine.win32.setSecurity(closed, ADMINISTRATORS_ONLY)
  await machine.win32.setSecurity(open, SHALLOW)
  const evidence = [`${open} is not restricted to administrators`]
  const found = (finding: Parameters<typeof withSafeFolders>[1], ...paths: string[]) =>
    withSafeFolders(context, finding, ...paths)
  expect(await found(inPlace('it runs'), closed)).toEqual(inPlace('it runs'))
  expect(await found(inPlace('it runs'), closed, open)).toEqual(drifted(...evidence))
  expect(await found(drifted('it is stopped'), open)).toEqual(drifted('it is stopped', ...evidence))
  expect(await found(missing('it is not there'), open)).toEqual(missing('it is not there'))
  expect(await found(inPlace('it runs'), `${FOLDER}\\none`)).toMatchObject({state: 'drifted'})
})

test.each([
  ['an empty folder that users may add to is made anew', [], 1],
  ['one with something in it is closed as it is', ['x'], 0],
])('review S4: %s, as a handle may turn an empty one into a junction', async (_, names, removals) => {
  const {context, effects, machine} = await Rig.open()
  await machine.files.makeDirectory(FOLDER)
  // As Windows hands it down from the root of a drive: to add a file.
  await machine.win32.setSecurity(FOLDER, `${ADMINISTRATORS_ONLY}(A;CI;DC;;;BU)`)
  for (const name of names) await machine.files.write(`${FOLDER}\\${name}`, 'x')
  const before = effects.length
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  expect(effects.filter(({args, what}) => what === 'removeEmpty' && args[0] === FOLDER)).toHaveLength(removals)
  // One that is made anew is closed from the first.
  expect(effects.slice(before).filter(({what}) => what === 'setSecurity')).toHaveLength(1 - removals)
  await expect(machine.win32.securityOf(FOLDER)).resolves.toBe(ADMINISTRATORS_ONLY)
  await expect(machine.files.list(FOLDER)).resolves.toHaveLength(names.length)
})

test('review S2-13: what is put into an empty folder before it is made anew stays', async () => {
  const {context, machine} = await Rig.open()
  await machine.files.makeDirectory(FOLDER)
  await machine.win32.setSecurity(FOLDER, `${ADMINISTRATORS_ONLY}(A;CI;DC;;;BU)`)
  const {files} = context.host
  const raced = {
    ...files,
    async list(path: string) {
      const names = await files.list(path)
      if (path === FOLDER) await machine.files.write(`${FOLDER}\\mine`, 'x')
      return names
    },
  }
  await ensureSafeFolders({...context, host: {...context.host, files: raced}}, 'flanneld-service', FOLDER)
  await expect(machine.files.list(FOLDER)).resolves.toEqual(['mine'])
  await expect(machine.win32.securityOf(FOLDER)).resolves.toBe(ADMINISTRATORS_ONLY)
})
