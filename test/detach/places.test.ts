// Where k8s-win.exe was started from: a service runs only what administrators alone can change, from a drive of this host.
import {describe, expect, it} from 'vitest'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {COPY, hostWithProgram, programAt, serve, serviceOn, session} from './detached.js'

describe.each([
  ['a share', String.raw`\\server\share\k8s-win.exe`],
  ['a network drive', String.raw`Z:\k8s-win.exe`],
])('from %s', (_, program) => {
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
