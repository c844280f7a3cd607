// When watch repairs nothing.
import {beforeAll, describe, expect, test} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {FileError} from '../../../src/machine/files.js'
import {interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {readKnownNode} from '../../../src/runs/known-node.js'
import {takeLock} from '../../../src/runs/run-lock.js'
import {writePause} from '../../../src/runs/watch/pause.js'
import {type Aside, whyAside} from '../../../src/runs/watch/stand-aside.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {pendRestart} from '../../fixtures/restart-due.js'
import {noteBeginning} from '../../pipeline/ledger/note-in.js'
import {setupOn} from '../../setup/in-process.js'
import {HostFolder, profileOf} from '../../steps/host-folder.js'

const BASE = String.raw`C:\k`
const {lock, pause, request, result} = layoutOf(BASE)
const below = (path: string): string => path.slice(3)

let node: HostFolder
beforeAll(async () => {
  node = HostFolder.empty()
  await setupOn(node.dir, {}, {}, 'ws2022-containerd')
})

type Prepare = (host: HostFolder, machine: Machine) => Promise<unknown> | void

async function asideOn(prepare: Prepare, wrap = (machine: Machine): Machine => machine): Promise<Aside | undefined> {
  const host = node.copy()
  const open = (): Promise<Machine> => openSimulator({dir: host.dir, profile: profileOf(host.dir)})
  await prepare(host, await open())
  const machine = wrap(await open())
  const known = await readKnownNode({environment: {}, machine, signal: new AbortController().signal})
  return whyAside({...known, machine})
}

const record = (command: string): string => JSON.stringify({command, processId: 4242, since: '2026-01-01T00:00:00Z'})
const inUse =
  (path: string) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      if (what === 'readChunks' && args[0] === path) throw new FileError('read', path, 'EBUSY')
      return perform()
    })

/** Before they have read anything of the host. */
const edit =
  (change: Parameters<HostFolder['edit']>[0]): Prepare =>
  (host) =>
    host.edit(change)

describe('watch stands aside', () => {
  const ROWS: readonly [name: string, kind: Aside['kind'], prepare: Prepare][] = [
    ['while it is paused', 'paused', (_, machine) => writePause(machine, BASE, {since: machine.clock.now()})],
    ['after a pause whose record is damaged', 'paused', (host) => host.put(below(pause), '{')],
    ['on a copy', 'copy', edit(({os}) => (os.systemUuid = '564d1234-5678-9abc-def0-123456789abc'))],
    ['while Windows waits for a restart', 'restart', edit(pendRestart)],
    ['for a run that was handed over', 'run', (host) => host.put(below(request), '{}')],
    [
      'for the service of a run',
      'run',
      edit(({services}) => (services['k8s-win-run'] = structuredClone(services['flanneld']!))),
    ],
    ['for a run that holds the lock', 'lock', (_, machine) => takeLock(machine, lock)],
    ['after a setup that was killed', 'unfinished', (host) => noteBeginning(host, 'setup')],
    ['after a reset that was killed', 'unfinished', (host) => noteBeginning(host, 'reset')],
  ]

  test.each(ROWS)('%s (%s)', async (_, kind, prepare) => {
    expect(await asideOn(prepare)).toMatchObject({kind})
  })

  test('until the time of the pause', async () => {
    let until = 0
    const aside = await asideOn(async (_, machine) => {
      until = Math.trunc(machine.clock.now()) + 7_200_000
      await writePause(machine, BASE, {since: machine.clock.now(), until})
    })
    const words = expect.stringContaining(new Date(until).toISOString()) as string
    expect(aside).toMatchObject({kind: 'paused', words})
  })

  test('for a pause that cannot be read', async () => {
    const aside = asideOn((host) => host.put(below(pause), '{}'), inUse(pause))
    await expect(aside).rejects.toMatchObject({code: 'EBUSY'})
  })

  test('while Windows is being shut down: error 1115', async () => {
    const refuse = (): Promise<never> => Promise.reject(new Win32Error('OpenSCManagerW', 1115, 'k8s-win-run'))
    const aside = await asideOn(
      () => {},
      (machine) => ({...machine, win32: {...machine.win32, queryServiceConfig: refuse}}),
    )
    expect(aside).toMatchObject({kind: 'restart'})
  })
})

describe('watch does not stand aside', () => {
  const ROWS: readonly [name: string, prepare: Prepare][] = [
    ['on a healthy node', () => {}],
    ['for its own repair', (_, machine) => takeLock(machine, lock, {yields: true})],
    ['after a repair of its own that was killed', (host) => host.put(below(lock), record('k8s-win watch'))],
    [
      'review W3-4: after a reset that was killed before it changed anything',
      (host) => host.put(below(lock), record('k8s-win reset --yes')),
    ],
    [
      'review W3-4: after a setup that was killed before it changed anything',
      (host) => host.put(below(lock), record('k8s-win setup')),
    ],
    ['after a pause that has ended', (_, machine) => writePause(machine, BASE, {since: 0, until: machine.clock.now()})],
    [
      'for a pause that other accounts can have written',
      async (host, machine) => {
        await writePause(machine, BASE, {since: machine.clock.now()})
        await machine.win32.setSecurity(pause, 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)')
      },
    ],
  ]

  test.each(ROWS)('%s', async (_, prepare) => {
    expect(await asideOn(prepare)).toBeUndefined()
  })
})

test.each([result, lock])('review W3-4: %s does not decide, also where it cannot be read', async (path) => {
  expect(await asideOn((host) => host.put(below(path), '{}'), inUse(path))).toBeUndefined()
})

test('nothing is started, requested or changed for the question', async () => {
  const refuse = (): never => {
    throw new Error('not cheap')
  }
  const cheap = (machine: Machine): Machine => ({
    ...machine,
    run: refuse,
    http: {...machine.http, request: refuse},
  })
  const host = node.copy()
  const machine = await openSimulator({dir: host.dir, profile: profileOf(host.dir)})
  const known = await readKnownNode({environment: {}, machine, signal: new AbortController().signal})
  const before = host.state
  expect(await whyAside({...known, machine: cheap(machine)})).toBeUndefined()
  expect(host.state).toEqual(before)
})
