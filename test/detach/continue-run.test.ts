// The service's side of a run that was handed over: when it reads its request, and what becomes of a service without one.
import {expect, it} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import {layoutOf} from '../../src/config/layout.js'
import {EVENT_SOURCE} from '../../src/machine/win32.js'
import {continueRun} from '../../src/runs/detach/continue-run.js'
import {takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {JOIN, KUBECONFIG, placesOfToken} from '../join/joining-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, PROFILE, requestOn, restart, serve, serviceOn, session, SMALL} from './detached.js'

const BASE_DIR = String.raw`C:\k`
const REQUEST = String.raw`k\k8s-win\run.json`
const TOKEN = String.raw`k\k8s-win\run-token`

async function handedOver(): Promise<HostFolder> {
  const host = await hostWithProgram()
  await session(host)
  return host
}

const opened = ({dir}: HostFolder): Promise<Machine> => openSimulator({dir, profile: PROFILE})

const eventsOn = ({world}: HostFolder): string[] =>
  (world.os.eventLogs?.['Application'] ?? [])
    .filter(({provider}) => provider === EVENT_SOURCE)
    .map((event) => JSON.stringify(event))

it('a service whose request is gone deletes itself, and leaves an event', async () => {
  const host = await handedOver()
  host.remove(REQUEST)
  restart(host)
  await expect(serve(host)).rejects.toMatchObject({id: 'NO_RUN_REQUESTED'})
  expect(serviceOn(host)).toBeUndefined()
  expect(eventsOn(host).filter((text) => text.includes('NO_RUN_REQUESTED'))).toHaveLength(1)
})

it('one whose request another account can write stays, and says why', async () => {
  const host = await handedOver()
  host.edit((world) => {
    world.security[String.raw`c:\k\k8s-win\run.json`] = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)'
  })
  await expect(serve(host)).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
  expect(serviceOn(host)).toBeDefined()
  expect(eventsOn(host).filter((text) => text.includes('UNTRUSTED_FILE'))).toHaveLength(1)
})

it('does not repeat what a run did that held the lock meanwhile', async () => {
  const host = await handedOver()
  const machine = await opened(host)
  let looks = 0
  const isMutexHeld = async (name: string): Promise<boolean> => {
    // No repair of watch, which would not be waited for.
    if (name !== String.raw`Global\k8s-win`) return false
    if (++looks === 3) host.remove(REQUEST)
    return looks < 3
  }
  const waiting = {...machine, win32: {...machine.win32, isMutexHeld}}
  const ran: unknown[] = []
  const run = continueRun(waiting, BASE_DIR, async (request) => ran.push(request))
  await expect(run).rejects.toMatchObject({id: 'NO_RUN_REQUESTED'})
  expect(ran).toEqual([])
})

it('does not wait for a repair of watch: the run itself asks that to stop', async () => {
  const machine = await opened(await handedOver())
  await takeLock(machine, layoutOf(BASE_DIR).lock, {yields: true})
  const before = machine.clock.now()
  let waited = -1
  await continueRun(machine, BASE_DIR, async () => {
    waited = machine.clock.now() - before
    return 11
  })
  expect(waited).toBe(0)
})

it('a token is in a file of its own, and nowhere else', async () => {
  const host = await hostWithProgram()
  host.remove(KUBECONFIG)
  await session(host, {given: JOIN})
  expect(placesOfToken(host)).toEqual(['k/k8s-win/run-token'])
})

it.each([
  [130, true],
  [0, false],
  [10, false],
])('a token is written back where the run ended with %i: %s', async (code, isKept) => {
  const host = await handedOver()
  const machine = await opened(host)
  await machine.files.write(String.raw`C:\k\k8s-win\run-token`, 'abcdef.0123456789abcdef', {
    sddl: 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)',
  })
  expect(await continueRun(machine, BASE_DIR, async () => code)).toBe(code)
  expect(host.has(TOKEN)).toBe(isKept)
  expect(requestOn(host)).toBeDefined()
})

it('a reset is of the node that its session found, by whatever means', async () => {
  const host = await hostWithProgram()
  const environment = {K8S_WIN_BASE_DIR: String.raw`C:\other`}
  const first = await session(host, {
    environment,
    given: {...SMALL, kubeconfig: String.raw`C:\k\kubeconfig`},
    isDetached: false,
  })
  expect(first.error).toBeUndefined()
  expect(await session(host, {command: 'reset', environment})).toMatchObject({outcome: 'detached'})
  expect(JSON.parse(host.read(String.raw`other\k8s-win\run.json`))).toMatchObject({
    argv: [String.raw`--base-dir=C:\other`, '--launcher=none', '--yes'],
    command: 'reset',
  })
})

it('a token outlives a process that is ended while it waits for the next try', async () => {
  const host = await handedOver()
  const opening = await opened(host)
  // It was begun before, and Windows has been started again since.
  await continueRun(opening, BASE_DIR, async () => 130)
  await opening.files.write(String.raw`C:\k\k8s-win\run-token`, 'abcdef.0123456789abcdef', {
    sddl: 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)',
  })
  const kept: boolean[] = []
  const sleep: Machine['clock']['sleep'] = async (ms, signal) => {
    kept.push(host.has(TOKEN))
    return opening.clock.sleep(ms, signal)
  }
  const seen: (string | undefined)[] = []
  const machine = {...opening, clock: {...opening.clock, sleep}}
  const run = continueRun(machine, BASE_DIR, async (_, token) => {
    seen.push(token)
    return seen.length < 3 ? 4 : 130
  })
  expect(await run).toBe(130)
  expect(kept).toEqual([true, true])
  expect(seen).toEqual(Array.from({length: 3}).fill('abcdef.0123456789abcdef'))
})

it('one that waits for its next try does not repeat what a run by hand has done meanwhile', async () => {
  const host = await handedOver()
  const opening = await opened(host)
  await continueRun(opening, BASE_DIR, async () => 130)
  const sleep = async (): Promise<void> => host.remove(REQUEST)
  let runs = 0
  const machine = {...opening, clock: {...opening.clock, sleep}}
  expect(await continueRun(machine, BASE_DIR, async () => (runs++, 4))).toBe(4)
  expect(runs).toBe(1)
})
