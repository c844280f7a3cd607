// When the program that runs is copied, and what happens where its copy is in use or cannot be trusted.
import {describe, expect, it} from 'vitest'
import {copyProgram, inspectProgram, isTemporary} from '../../../../src/pipeline/desired/programs/own-program.js'
import {baseDir} from '../../../../src/steps/base-dir.js'
import {runFrom} from '../../../fixtures/assets.js'
import {HostFolder} from '../../../steps/host-folder.js'
import {Rig} from '../../../steps/rig.js'

const COPY = String.raw`k\k8s-win\bin\k8s-win.exe`
const FROM = String.raw`Users\ADMINI~1\Downloads\k8s-win.exe`

describe('a temporary folder', () => {
  it.each([
    [true, String.raw`C:\Windows\Temp\k8s-win.exe`],
    [true, String.raw`D:\tmp\a\k8s-win.exe`],
    [true, String.raw`C:\Users\ADMINI~1\AppData\Local\Temp\2\k8s-win.exe`],
    [true, String.raw`C:\Packages\Plugins\Microsoft.Compute.CustomScriptExtension\1.10.15\Downloads\0\k8s-win.exe`],
    [true, String.raw`C:\ProgramData\Amazon\SSM\InstanceData\i-1\k8s-win.exe`],
    [true, String.raw`c:\users\administrator\downloads\k8s-win.exe`],
    [false, String.raw`C:\Program Files\k8s-win\k8s-win.exe`],
    [false, String.raw`C:\Temperature\k8s-win.exe`],
    [false, String.raw`C:\tools\temp.exe`],
    [false, String.raw`C:\downloads\k8s-win.exe`],
    [false, String.raw`C:\k8s-win.exe`],
  ])('%s: %s', (expected, path) => {
    expect(isTemporary(path)).toBe(expected)
  })
})

/** A rig whose program is this file of drive C, after the step base-dir. */
async function ranFrom(path: string, content?: string): Promise<{host: HostFolder; rig: Rig}> {
  const host = await HostFolder.fresh()
  if (content !== undefined) host.put(path, content)
  const rig = await Rig.open({assets: runFrom(`C:\\${path}`), dir: host.dir})
  const {error} = await rig.run(baseDir)
  expect(error).toBeUndefined()
  return {host, rig}
}

describe('the program that runs', () => {
  it('is copied, for administrators only, and recorded first', async () => {
    const {host, rig} = await ranFrom(FROM, 'MZ k8s-win')
    expect(host.read(COPY)).toBe('MZ k8s-win')
    expect(host.world.security[String.raw`c:\k\k8s-win\bin`]).toBe('O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
    const [file] = rig.context.journal.entries('base-dir', 'file')
    expect(file).toEqual({kind: 'file', path: `C:\\${COPY}`})
  })

  it.each([
    ['it is not in a temporary folder', String.raw`tools\k8s-win.exe`, 'MZ k8s-win'],
    ['it is in the base directory', String.raw`k\k8s-win.exe`, 'MZ k8s-win'],
    ['it is on the machine that simulates', FROM, undefined],
  ])('is not copied where %s', async (_, path, content) => {
    const {host} = await ranFrom(path, content)
    expect(host.has(COPY)).toBe(false)
  })

  it('is not copied where others can replace it', async () => {
    const host = await HostFolder.fresh((world) => {
      world.security[String.raw`c:\users\admini~1\downloads`] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;WD)'
    })
    host.put(FROM, 'MZ k8s-win')
    const rig = await Rig.open({assets: runFrom(`C:\\${FROM}`), dir: host.dir})
    const {error} = await rig.run(baseDir)
    expect(error).toBeUndefined()
    expect(host.has(COPY)).toBe(false)
    expect(JSON.stringify(rig.events)).toContain('is not copied')
  })
})

describe('a newer one', () => {
  it('replaces the copy', async () => {
    const {host} = await ranFrom(FROM, 'MZ k8s-win')
    host.put(FROM, 'MZ newer')
    const rig = await Rig.open({assets: runFrom(`C:\\${FROM}`), dir: host.dir})
    expect(await inspectProgram(rig.context)).toEqual([`C:\\${COPY} is not the k8s-win that runs`])
    await copyProgram(rig.context, 'base-dir')
    expect(host.read(COPY)).toBe('MZ newer')
    expect(host.list(String.raw`k\k8s-win\bin`)).toEqual(['k8s-win.exe'])
  })

  it('review W3-9: is put in the place of a folder, which is moved aside', async () => {
    const {host} = await ranFrom(FROM, 'MZ k8s-win')
    host.remove(COPY)
    host.put(`${COPY}\\mine.txt`, 'of a user')
    const rig = await Rig.open({assets: runFrom(`C:\\${FROM}`), dir: host.dir})
    expect((await rig.run(baseDir)).error).toBeUndefined()
    expect(host.read(COPY)).toBe('MZ k8s-win')
    expect(host.read(`${COPY}.damaged\\mine.txt`)).toBe('of a user')
  })

  it('replaces one that is in use, which Windows deletes at its next restart', async () => {
    const {host} = await ranFrom(FROM, 'MZ k8s-win')
    host.put(FROM, 'MZ newer')
    host.edit(({os}) => (os.program = `C:\\${COPY}`))
    const rig = await Rig.open({assets: runFrom(`C:\\${FROM}`), dir: host.dir})
    const {error, results} = await rig.run(baseDir)
    expect(error).toBeUndefined()
    expect(host.read(COPY)).toBe('MZ newer')
    const [moved = ''] = host.list('').filter((name) => name.endsWith('.deleted'))
    expect(results[0]?.changes).toContain(`move C:\\${COPY} to C:\\${moved}`)
    expect(host.read(moved)).toBe('MZ k8s-win')
    expect(await rig.context.host.condition.pendingRestarts()).toEqual([])
    expect(JSON.stringify(host.journal)).not.toContain('.deleted')
  })

  it('moves the one in use to a name that does not follow from the time', async () => {
    const {host} = await ranFrom(FROM, 'MZ k8s-win')
    host.put(FROM, 'MZ newer')
    host.edit(({os}) => (os.program = `C:\\${COPY}`))
    const rig = await Rig.open({assets: runFrom(`C:\\${FROM}`), dir: host.dir})
    const {clock} = rig.context.host
    const low = (time: number): number => time >>> 0
    const before = clock.now()
    expect((await rig.run(baseDir)).error).toBeUndefined()
    const [moved = ''] = host.list('').filter((name) => name.endsWith('.deleted'))
    const digits = /^k8s-win-([\da-f]{8})\.deleted$/.exec(moved)?.[1] ?? ''
    expect(digits).not.toBe('')
    const sinceBefore = low(Number.parseInt(digits, 16) - low(before))
    expect(sinceBefore).toBeGreaterThan(clock.now() - before)
  })
})
