// Where k8s-win.exe was started from: a service runs only what administrators alone can change, from a drive of this host.
import {describe, expect, it} from 'vitest'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {COPY, hostWithProgram, programAt, serve, serviceOn, session} from './detached.js'
import {turn} from '../sample.js'

describe.each(
  turn(
    [
      ['a share', String.raw`\\server\share\k8s-win.exe`],
      ['a network drive', String.raw`Z:\k8s-win.exe`],
    ],
    1,
  ),
)('from %s', (_, program) => {
  const remote = async () => {
    const host = await hostWithProgram()
    host.edit((world) => {
      const network = {fileSystem: '', freeBytes: 0, kind: 'network', totalBytes: 0} as const
      const local = {fileSystem: 'NTFS', freeBytes: 2 ** 36, kind: 'fixed', totalBytes: 2 ** 37} as const
      world.os.drives = {'C:': local, 'Z:': network}
    })
    return host
  }

  it('a detached run is refused, and no service is created', async () => {
    const host = await remote()
    const result = await session(host, {assets: programAt(program)})
    expect(result).toMatchObject({error: {id: 'REMOTE_PATH'}, exitCode: 3, outcome: 'failed'})
    expect(serviceOn(host)).toBeUndefined()
  })

  it('an ordinary run copies nothing, and completes', async () => {
    const host = await remote()
    const result = await session(host, {assets: programAt(program), isDetached: false})
    expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(host.has(String.raw`k\k8s-win\bin`)).toBe(false)
  })
})

it('from a folder with letters that are not ASCII, the copy continues the run', async () => {
  const host = await hostWithProgram()
  host.put(String.raw`Users\Jürgen\Загрузки\Temp\k8s-win.exe`, makeStandIn({name: 'k8s-win', version: 'v0.1.0'}))
  const assets = programAt(String.raw`C:\Users\Jürgen\Загрузки\Temp\k8s-win.exe`)
  expect(await session(host, {assets})).toMatchObject({exitCode: 0, outcome: 'detached'})
  expect(serviceOn(host)?.config.imagePath).toContain(COPY)
  expect(await serve(host)).toMatchObject({exitCode: 0, outcome: 'done'})
})

it('from the base directory itself, a copy continues the run, also over an older one', async () => {
  const host = await hostWithProgram()
  const program = makeStandIn({name: 'k8s-win', version: 'v0.2.0'})
  host.put(String.raw`k\k8s-win.exe`, program)
  host.put(COPY.slice('C:\\'.length), makeStandIn({name: 'k8s-win', version: 'v0.1.0'}))
  expect(await session(host, {assets: programAt(String.raw`C:\k\k8s-win.exe`)})).toMatchObject({outcome: 'detached'})
  expect(serviceOn(host)?.config.imagePath).toContain(COPY)
  expect(host.read(COPY.slice('C:\\'.length))).toBe(program.toString('utf8'))
})

describe('review V4: from a folder where others can put files', () => {
  const FOLDER = String.raw`c:\tools`
  const openFolder = async () => {
    const host = await hostWithProgram()
    host.put(String.raw`tools\k8s-win.exe`, makeStandIn({name: 'k8s-win', version: 'v0.1.0'}))
    host.edit(({security}) => {
      security[FOLDER] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;BU)'
    })
    return host
  }
  const assets = programAt(String.raw`C:\tools\k8s-win.exe`)

  it('no service runs from there, and nothing that others can replace is copied for it', async () => {
    const host = await openFolder()
    expect(await session(host, {assets})).toMatchObject({exitCode: 3, outcome: 'failed'})
    expect(serviceOn(host)).toBeUndefined()
    expect(host.has(COPY.slice('C:\\'.length))).toBe(false)
  })

  it('setup runs, is refused once a DLL lies beside k8s-win.exe, and reset always runs', async () => {
    const host = await openFolder()
    expect(await session(host, {assets, isDetached: false})).toMatchObject({exitCode: 0, outcome: 'done'})
    host.put(String.raw`tools\winmm.dll`, 'MZ')
    expect(await session(host, {assets, isDetached: false})).toMatchObject({
      error: {id: 'FOREIGN_LIBRARY'},
      exitCode: 3,
    })
    expect(await session(host, {assets, command: 'reset', isDetached: false})).toMatchObject({
      exitCode: 0,
      outcome: 'done',
    })
  })
})
