// Folders that are closed: only those that no user can have made, also in the moment between look and making.
import {expect, test} from 'vitest'
import {ADMINISTRATORS_ONLY} from '../../../src/host/security/security.js'
import {ensureSafeFolders} from '../../../src/pipeline/desired/safe-folder.js'
import {Rig} from '../../steps/rig.js'

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

test('one that nobody else touches is made and closed', async () => {
  const {context, machine} = await Rig.open()
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  await expect(machine.win32.securityOf(FOLDER)).resolves.toMatch(/^O:BA/)
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
  await ensureSafeFolders(context, 'flanneld-service', FOLDER)
  expect(effects.filter(({args, what}) => what === 'remove' && args[0] === FOLDER)).toHaveLength(removals)
  await expect(machine.win32.securityOf(FOLDER)).resolves.toBe(ADMINISTRATORS_ONLY)
  await expect(machine.files.list(FOLDER)).resolves.toHaveLength(names.length)
})
