// Access lists of the simulated drive: what is a file's own, what it inherits, and who may look.
import {beforeEach, expect, it} from 'vitest'

import type {Win32} from '../../../src/machine/win32.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {createWin32} from '../../../src/simulator/windows/win32.js'
import {makeStage, type TestStage} from '../stage.js'

const BOB = 'S-1-5-21-1-2-3-1001'
let stage: TestStage
let win32: Win32

beforeEach(async () => {
  stage = await makeStage()
  win32 = createWin32(stage)
})

const codeOf = (work: Promise<unknown>): Promise<number | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Win32Error ? error.code : -1),
  )

it('what is set on a folder reaches what is inside, besides its own entries', async () => {
  await win32.setSecurity('C:\\k\\kubeconfig', `O:${BOB}D:AI(A;;FR;;;${BOB})(A;ID;FA;;;WD)`)
  await win32.setSecurity('C:\\k', 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
  expect(await win32.securityOf('C:\\k\\kubeconfig')).toBe(`O:${BOB}D:AI(A;;FR;;;${BOB})(A;ID;FA;;;SY)(A;ID;FA;;;BA)`)
  await win32.setSecurity('C:\\k\\kubeconfig', 'O:BAD:AI')
  expect(await win32.securityOf('C:\\k\\kubeconfig')).toBe('O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)')
  expect(Object.keys(stage.world.security)).toEqual(['c:\\k'])
})

it('goes down through folders that add to it', async () => {
  await stage.files.makeDirectory('C:\\a\\b\\c')
  await win32.setSecurity('C:\\a', 'O:BAD:PAI(A;OICI;FA;;;BA)(A;CINP;FR;;;BU)')
  await win32.setSecurity('C:\\a\\b', `O:BAD:AI(A;OICIIO;FA;;;${BOB})`)
  expect(await win32.securityOf('C:\\a\\b')).toBe(`O:BAD:AI(A;OICIIO;FA;;;${BOB})(A;OICIID;FA;;;BA)(A;ID;FR;;;BU)`)
  expect(await win32.securityOf('C:\\a\\b\\c')).toBe(`O:BAD:AI(A;OICIID;FA;;;${BOB})(A;OICIID;FA;;;BA)`)
})

it('keeps an administrator out who is not named', async () => {
  const locked = `O:${BOB}D:PAI(A;OICI;FA;;;${BOB})`
  await win32.setSecurity('C:\\k', locked)
  expect(await codeOf(win32.securityOf('C:\\k'))).toBe(5)
  await win32.setSecurity('C:\\k', `O:${BOB}D:PAI(D;;FA;;;AU)(A;OICI;FA;;;BA)`)
  expect(await codeOf(win32.securityOf('C:\\k'))).toBe(5)
  await win32.setSecurity('C:\\k', 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
  expect(await codeOf(win32.securityOf('C:\\k'))).toBeUndefined()
})

it('says whether a file or a folder above it does not exist', async () => {
  expect(await codeOf(win32.securityOf('C:\\k\\none'))).toBe(2)
  expect(await codeOf(win32.securityOf('C:\\none\\kubeconfig'))).toBe(3)
  expect(await codeOf(win32.setSecurity('C:\\none\\kubeconfig', 'O:BAD:AI'))).toBe(3)
})

it('is surveyed in one look, with what is directly inside', async () => {
  await win32.setSecurity('C:\\k\\kubeconfig', `O:${BOB}D:PAI(A;;FA;;;${BOB})`)
  await stage.files.makeDirectory('C:\\k\\cni\\config')
  const seen = await win32.survey([
    {inside: true, path: 'C:\\k'},
    {inside: false, path: 'C:\\k\\cni'},
    {inside: true, path: 'C:\\none'},
    {inside: true, path: 'C:\\k\\kubeconfig'},
  ])
  expect(seen.map(({kind, path}) => [path, kind])).toEqual([
    ['C:\\k', 'directory'],
    ['C:\\k\\cni', 'directory'],
    ['C:\\k\\kubeconfig', 'file'],
  ])
  expect(seen.map(({sddl}) => sddl === undefined)).toEqual([false, false, true])
})
