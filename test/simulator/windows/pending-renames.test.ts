// What Windows deletes and renames when it starts.
import {expect, it} from 'vitest'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'

const profile = 'ws2022-containerd'
const SESSION = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager`
const RENAMES = 'PendingFileRenameOperations'

it('a marked file is there until the restart, beside what others have marked', async () => {
  const host = await HostFolder.fresh((world) => (world.os.program = String.raw`C:\gone.exe`), profile)
  for (const name of ['gone.exe', 'from', 'to']) host.put(name, name)
  const {files, win32} = await openSimulator({dir: host.dir, profile})
  const others = [String.raw`\??\C:\from`, String.raw`!\??\C:\to`, String.raw`\??\C:\missing`, '']
  await win32.setRegistryValue('HKLM', SESSION, RENAMES, {data: others, type: 'REG_MULTI_SZ'})
  await win32.deleteAtRestart(String.raw`C:\gone.exe`)
  expect(await win32.registryValue('HKLM', SESSION, RENAMES)).toEqual({
    data: [...others, String.raw`\??\C:\gone.exe`, ''],
    type: 'REG_MULTI_SZ',
  })
  expect(await files.status(String.raw`C:\gone.exe`)).toBeDefined()

  await win32.restartWindows('reason', 30)
  const next = await openSimulator({dir: host.dir, profile})
  expect(await next.win32.registryValue('HKLM', SESSION, RENAMES)).toBeUndefined()
  expect(host.has('gone.exe')).toBe(false)
  expect(host.has('from')).toBe(false)
  expect(host.read('to')).toBe('from')
})

it('is refused to users', async () => {
  const host = await HostFolder.fresh((world) => (world.os.administrator = false), profile)
  const {win32} = await openSimulator({dir: host.dir, profile})
  await expect(win32.deleteAtRestart(String.raw`C:\x`)).rejects.toMatchObject({call: 'MoveFileExW', code: 5})
})
