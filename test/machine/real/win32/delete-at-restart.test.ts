// A file that Windows deletes at its next start: what is asked of it, and its refusal. Windows is played by the test.
import {expect, it} from 'vitest'
import {openRestart} from '../../../../src/machine/real/win32/restart.js'
import {fakeNative} from './fake-native.js'

const PATH = String.raw`C:\k8s-win-0123abcd.deleted`

it('is moved to nowhere, later', async () => {
  let asked: unknown[] = []
  const {native} = fakeNative({MoveFileExW: (...args) => ((asked = args), {result: 1})})
  await openRestart(native).deleteAtRestart(PATH)
  expect(asked).toEqual([PATH, null, 4])
})

it('can be refused', async () => {
  const {native} = fakeNative({MoveFileExW: () => ({lastError: 5, result: 0})})
  await expect(openRestart(native).deleteAtRestart(PATH)).rejects.toMatchObject({
    call: 'MoveFileExW',
    code: 5,
    subject: PATH,
  })
})
