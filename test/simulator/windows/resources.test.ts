// Drives, memory and features of the simulated host: roomy where machine.json says nothing, otherwise as it says.
import {beforeEach, expect, it} from 'vitest'

import type {Win32} from '../../../src/machine/win32.js'
import {createWin32} from '../../../src/simulator/windows/win32.js'
import {codeOf} from '../node.js'
import type {TestStage} from '../stage.js'
import {makeStage} from '../stage.js'

let stage: TestStage
let win32: Win32

beforeEach(async () => {
  stage = await makeStage()
  win32 = createWin32(stage)
})

it('a host that says nothing of them has drive C: with room, and memory', async () => {
  expect(await win32.drive('c:')).toMatchObject({fileSystem: 'NTFS', kind: 'fixed'})
  expect(await win32.drive('D:')).toBeUndefined()
  const {availableBytes, totalBytes} = await win32.memory()
  expect(availableBytes).toBeLessThan(totalBytes)
})

it('what it says is reported', async () => {
  const drive = {fileSystem: 'FAT32', freeBytes: 1, kind: 'removable', totalBytes: 2} as const
  stage.world.os.drives = {'D:': drive}
  stage.world.os.memory = {availableBytes: 3, totalBytes: 4}
  expect([await win32.drive('C:'), await win32.drive('d:')]).toEqual([undefined, drive])
  expect(await win32.memory()).toEqual({availableBytes: 3, totalBytes: 4})
})

it('without the feature Containers there is no library to call', async () => {
  stage.world.os.features = {containers: false}
  expect(await codeOf(win32.hnsCall('GET', '/networks/', ''))).toBe(126)
})
