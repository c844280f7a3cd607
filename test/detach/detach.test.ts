// --detach: a session hands its run over to a service, which continues without it and removes itself.
import {describe, expect, it} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {comparable} from '../steps/comparable.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {
  COPY,
  hostWithProgram,
  PROFILE,
  programAt,
  PROGRAM,
  requestOn,
  restart,
  serve,
  serviceOn,
  session,
  SMALL,
} from './detached.js'

/** Of a run that ended in its session, with the folders that they are in. */
const LOG_AND_RESULT =
  /^(?:files > k\/(?:logs|logs\/k8s-win(?:\/setup-[\dTZ-]+\.log(?:\.trace)?)?|k8s-win(?:\/result\.json)?)|world > security > c:\\k\\(?:logs(?:\\k8s-win)?|k8s-win)): nothing -> /
const unlike = (before: HostFolder, after: HostFolder): string[] => differences(wholeHost(before), wholeHost(after))

describe('setup', () => {
  it('ends with 0 and the outcome detached; the service does the work, and is gone', async () => {
    const host = await hostWithProgram()
    const handed = await session(host)
    expect(handed.error).toBeUndefined()
    expect(handed).toMatchObject({exitCode: 0, outcome: 'detached', steps: []})
    expect(serviceOn(host)).toMatchObject({
      config: {account: 'LocalSystem', startType: 'automatic'},
      state: 'start-pending',
    })
    expect(serviceOn(host)?.config.imagePath).toContain(COPY)

    const done = await serve(host)
    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
    expect(serviceOn(host)).toBeUndefined()
    expect(requestOn(host)).toBeUndefined()
    const ordinary = await hostWithProgram()
    await session(ordinary, {isDetached: false})
    expect(comparable(host).services).toEqual(comparable(ordinary).services)
  })

  it('has the options of the session, from all their sources, but not its token', async () => {
    const host = await hostWithProgram()
    await session(host, {
      environment: {HTTPS_PROXY: 'http://10.0.0.9:3128', K8S_WIN_TIMEOUT: '20m', PATH: String.raw`C:\x`},
      given: {...SMALL, 'node-label': ['a=b', 'c=d'], 'enable-dsr': true},
    })
    const request = JSON.parse(requestOn(host) ?? '') as Record<string, unknown>
    expect(request).toEqual({
      argv: [
        String.raw`--base-dir=C:\k`,
        '--node-label=a=b',
        '--node-label=c=d',
        '--enable-dsr',
        '--base-images=none',
        '--timeout=20m',
        '--launcher=none',
      ],
      command: 'setup',
      environment: {HTTPS_PROXY: 'http://10.0.0.9:3128'},
      schemaVersion: 1,
    })
    expect(await serve(host)).toMatchObject({exitCode: 0})
  })

  it('reports what is wrong with the host in the session, and changes nothing', async () => {
    const host = await hostWithProgram()
    host.edit((world) => void (world.services['hns']!.state = 'stopped'))
    const before = host.copy()
    expect(await session(host, {given: {...SMALL, 'node-ip': '10.9.9.9'}})).toMatchObject({
      exitCode: 3,
      outcome: 'failed',
    })
    expect(serviceOn(host)).toBeUndefined()
    const others = unlike(before, host).filter((one) => !LOG_AND_RESULT.test(one))
    expect(others).toEqual([])
  })

  it('refuses a program that others can change, and that cannot be copied', async () => {
    const host = await hostWithProgram()
    const npm = {command: [String.raw`C:\Users\x\node.exe`, String.raw`C:\Users\x\k8s-win\bin\run.js`]}
    const result = await session(host, {assets: {...programAt(PROGRAM), program: npm}})
    expect(result).toMatchObject({error: {id: 'PROGRAM_NOT_INSTALLED'}, exitCode: 3})
    expect(serviceOn(host)).toBeUndefined()
  })

  it('which continues in the session where that was not asked for', async () => {
    const host = await hostWithProgram()
    const npm = {command: [String.raw`C:\Users\x\node.exe`, String.raw`C:\Users\x\k8s-win\bin\run.js`]}
    const assets = {...programAt(PROGRAM), program: npm}
    const result = await session(host, {assets, detaching: 'if-possible'})
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}, outcome: 'done'})
    expect(serviceOn(host)).toBeUndefined()
  })

  it('a run by hand ends what the service was to do', async () => {
    const host = await hostWithProgram()
    await session(host)
    restart(host)
    expect(await session(host, {isDetached: false})).toMatchObject({exitCode: 0, outcome: 'done'})
    expect(requestOn(host)).toBeUndefined()
    expect(serviceOn(host)).toBeUndefined()
  })
})

describe('the service', () => {
  it('is removed with its request where the run fails before it has the lock', async () => {
    const host = await hostWithProgram()
    await session(host)
    host.edit((world) => {
      world.security[String.raw`c:\k\k8s-win\node.yaml`] = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)'
    })
    host.put(String.raw`k\k8s-win\node.yaml`, 'x: y')
    expect(await serve(host)).toMatchObject({error: {id: 'STORED_CONFIG_UNUSABLE'}, outcome: 'failed'})
    expect(requestOn(host)).toBeUndefined()
    // It is gone when its process has ended.
    expect(serviceOn(host)).toMatchObject({deleting: true})
  })

  it('of another base directory stays', async () => {
    const host = await hostWithProgram()
    await session(host)
    restart(host)
    host.put(String.raw`x\kubeconfig`, host.read(String.raw`k\kubeconfig`))
    await session(host, {given: {...SMALL, 'base-dir': String.raw`C:\x`, skip: 'overlay-network'}, isDetached: false})
    expect(serviceOn(host)).toBeDefined()
    expect(requestOn(host)).toBeDefined()
  })
})

describe('reset', () => {
  it('refuses a folder of programs that ordinary users can write, and creates no service', async () => {
    const host = await hostWithProgram()
    await session(host)
    await serve(host)
    host.edit((world) => {
      world.security[String.raw`c:\k\k8s-win\bin`] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;BU)'
    })
    const result = await session(host, {command: 'reset', reset: {purge: true}})
    expect(result).toMatchObject({error: {id: 'PARENT_OPEN_TO_OTHERS'}, exitCode: 3, outcome: 'failed'})
    expect(serviceOn(host)).toBeUndefined()
    expect(requestOn(host)).toBeUndefined()
  })

  it('is asked in the session, and done by the service; with --purge the host is as before', async () => {
    const host = await hostWithProgram()
    const before = host.copy()
    await session(host)
    await serve(host)
    expect(await session(host, {command: 'reset', reset: {purge: true}})).toMatchObject({outcome: 'detached'})
    const deleted: boolean[] = []
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => {
        if (effect.what === 'deleteAtRestart') deleted.push(serviceOn(host)?.deleting ?? true)
        return perform()
      })
    const done = await serve(host, {wrap})
    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({exitCode: 0, outcome: 'done'})
    // Before its programs: whoever created files of their names would be started as SYSTEM.
    expect(deleted).toEqual([true])
    expect(serviceOn(host)).toBeUndefined()
    // Windows deletes the program that ran when it starts again; the node's own identity may not delete its node object.
    restart(host)
    await openSimulator({dir: host.dir, profile: PROFILE})
    expect(
      unlike(before, host).filter(
        (one) => !/^world > (?:cluster > nodes > 3|services > hns|registry.*Session Manager:)/.test(one),
      ),
    ).toEqual([])
  })
})
