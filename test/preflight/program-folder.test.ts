// The folder that k8s-win itself is run from.
import {describe, expect, it} from 'vitest'
import type {OwnProgram} from '../../src/machine/machine.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {checksOn} from './checks-rig.js'

const EXE = String.raw`C:\tools\k8s-win.exe`
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
/** As a folder that was made in the root of a drive has it: users may add files. */
const OPEN = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;BU)'
const SINGLE: OwnProgram = {command: [EXE], file: EXE}
const ZIP: OwnProgram = {command: [String.raw`C:\tools\node.exe`, String.raw`C:\tools\bin\run.js`]}

async function checksFrom(program: OwnProgram, folder: string, beside: Readonly<Record<string, string>> = {}) {
  const dir = new MemoryHost()
  await openSimulator({dir, profile: 'ws2019'})
  const host = new HostFolder(dir)
  for (const path of program.command) host.put(path.slice(3), 'MZ')
  for (const name of Object.keys(beside)) host.put(`tools\\${name}`, 'MZ')
  return checksOn({
    dir,
    program,
    sicken: ({security}) => {
      security[String.raw`c:\tools`] = folder
      for (const path of program.command) security[path.toLowerCase()] = CLOSED
      for (const [name, sddl] of Object.entries(beside)) security[`c:\\tools\\${name.toLowerCase()}`] = sddl
    },
  })
}

describe('review V4, S2-2: the folder that k8s-win is run from', () => {
  it('is reported where accounts other than administrators can write to it, with the fix', async () => {
    for (const program of [SINGLE, ZIP]) {
      const {check, problems} = await checksFrom(program, OPEN)
      expect(problems).toEqual([])
      expect(check('program-folder')).toMatchObject({
        fix: expect.stringContaining(String.raw`C:\Program Files\k8s-win`) as string,
        result: 'warn',
      })
    }
  })

  it('passes where only administrators can', async () => {
    const {check} = await checksFrom(SINGLE, CLOSED, {'winmm.dll': CLOSED})
    expect(check('program-folder')).toMatchObject({message: 'can be changed by administrators only', result: 'pass'})
  })

  it.each(['winmm.dll', 'k8s-win.exe.local', 'k8s-win.exe.manifest'])(
    'is refused where others can have put %s beside k8s-win.exe',
    async (name) => {
      for (const folder of [OPEN, CLOSED]) {
        const {check, problems} = await checksFrom(SINGLE, folder, {[name]: OPEN})
        expect(check('program-folder').result).toBe('fail')
        expect(problems).toMatchObject([{exitCode: 3, id: 'FOREIGN_LIBRARY'}])
        expect(problems[0]?.message).toContain(`C:\\tools\\${name}`)
      }
    },
  )

  it('is a warning only for the zip and npm packages, also with a DLL beside node.exe', async () => {
    const {check, problems} = await checksFrom(ZIP, OPEN, {'winmm.dll': OPEN})
    expect(problems).toEqual([])
    expect(check('program-folder').result).toBe('warn')
  })

  it('is not refused for what Windows does not load', async () => {
    const {check} = await checksFrom(SINGLE, OPEN, {'readme.txt': OPEN})
    expect(check('program-folder').result).toBe('warn')
  })

  it('is not checked on a host that does not have it, such as a simulated one', async () => {
    const {check} = await checksOn()
    expect(check('program-folder')).toMatchObject({message: 'k8s-win runs on another host', result: 'pass'})
  })
})
