// pause and resume, called in this process.
import {beforeAll, describe, expect, test} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {FileError} from '../../../src/machine/files.js'
import {interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {EVENT_SOURCE} from '../../../src/machine/win32.js'
import {takeLock, yieldingSignal} from '../../../src/runs/run-lock.js'
import {pauseIn, pauseWatch, readPause, resumeWatch} from '../../../src/runs/watch/pause.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {resetOn} from '../../reset/reset-run.js'
import {schemaErrors} from '../../schemas.js'
import {setupOn} from '../../setup/in-process.js'
import {halt} from '../../steps/drifts/services.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder, profileOf} from '../../steps/host-folder.js'

const BASE = String.raw`C:\k`
const {lock, pause, state} = layoutOf(BASE)
const MINUTE = 60_000
const signal = new AbortController().signal

let node: HostFolder
beforeAll(async () => {
  node = HostFolder.empty()
  await setupOn(node.dir, {}, {}, 'ws2022-containerd')
})

const open = ({dir}: HostFolder): Promise<Machine> => openSimulator({dir, profile: profileOf(dir)})
const requestOn = async (host: HostFolder) => ({environment: {}, machine: await open(host), signal})
/** IDs of its own events, the oldest first, without those of setup. */
const eventsOf = ({world}: HostFolder): number[] =>
  Object.values(world.os.eventLogs ?? {})
    .flat()
    .flatMap(({id, provider}) => (provider === EVENT_SOURCE && id > 4 ? [id] : []))

describe('pause', () => {
  test('lasts as long as it says; resume ends it, and both can be repeated', async () => {
    const host = node.copy()
    const request = await requestOn(host)
    const {clock, win32} = request.machine
    const since = Math.trunc(clock.now())
    const document = await pauseWatch({...request, forMs: 2 * MINUTE})
    expect(document).toMatchObject({
      baseDir: BASE,
      changed: true,
      command: 'pause',
      paused: {since: new Date(since).toISOString(), until: new Date(since + 2 * MINUTE).toISOString()},
    })
    expect(schemaErrors('pause', document)).toEqual([])
    expect(await win32.securityOf(pause)).toBe('O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)')
    await clock.sleep(2 * MINUTE - 10)
    expect(await readPause(request.machine, BASE)).toEqual({since, until: since + 2 * MINUTE})
    await clock.sleep(10)
    expect(await readPause(request.machine, BASE)).toBeUndefined()
    expect(await resumeWatch(request)).toMatchObject({changed: false, command: 'resume', paused: null})
    expect(await request.machine.files.read(pause)).toBeUndefined()
    expect(await pauseWatch(request)).toMatchObject({changed: true, paused: {until: null}})
    await clock.sleep(MINUTE)
    const again = new Date(Math.trunc(clock.now())).toISOString()
    expect(await pauseWatch(request)).toMatchObject({changed: true, paused: {since: again, until: null}})
    expect(await resumeWatch(request)).toMatchObject({changed: true, paused: null})
    expect(await resumeWatch(request)).toMatchObject({changed: false, paused: null})
    expect(eventsOf(host)).toEqual([12, 12, 12, 12])
  })

  test('is shown by status, and does not make a healthy node degraded', async () => {
    const host = node.copy()
    await pauseWatch({...(await requestOn(host)), forMs: MINUTE})
    const {document} = await statusOn(host.dir, {profile: profileOf(host.dir)})
    expect(document).toMatchObject({paused: {until: expect.any(String) as string}, verdict: 'healthy'})
    expect(schemaErrors('status', document)).toEqual([])
    await resumeWatch(await requestOn(host))
    expect((await statusOn(host.dir, {profile: profileOf(host.dir)})).document).not.toHaveProperty('paused')
  })

  test('says where nothing watches the node', async () => {
    const host = node.copy()
    host.edit(({services}) => delete services['k8s-win'])
    expect((await pauseWatch(await requestOn(host))).warnings).toHaveLength(1)
    host.edit(({services}) => (services['k8s-win'] = structuredClone(services['flanneld']!)))
    expect((await pauseWatch(await requestOn(host))).warnings).toEqual([])
    host.edit((world) => halt(world.services['k8s-win']!, world))
    expect((await pauseWatch(await requestOn(host))).warnings).toEqual([
      expect.stringContaining('"sc.exe start k8s-win"'),
    ])
  })

  test('waits until a repair in progress has stopped', async () => {
    const request = await requestOn(node.copy())
    const {machine} = request
    const repair = await takeLock(machine, lock, {yields: true})
    const yielding = yieldingSignal(machine, signal, async () => (await readPause(machine, BASE)) !== undefined)
    yielding.signal.addEventListener('abort', () => void machine.clock.sleep(10_000).then(() => repair.release()))
    const before = machine.clock.now()
    const {warnings} = await pauseWatch(request)
    expect(warnings.filter((text) => text.includes('repair'))).toEqual([])
    expect(machine.clock.now() - before).toBeGreaterThanOrEqual(10_000)
  })

  test('is there also where the repair does not stop', async () => {
    const request = await requestOn(node.copy())
    const before = request.machine.clock.now()
    await takeLock(request.machine, lock, {yields: true})
    const {warnings} = await pauseWatch(request)
    expect(warnings.filter((text) => text.includes('repair'))).toHaveLength(1)
    expect(request.machine.clock.now() - before).toBe(60_000)
    expect(await readPause(request.machine, BASE)).toBeDefined()
  })

  test('does not wait for other runs', async () => {
    const request = await requestOn(node.copy())
    await takeLock(request.machine, lock)
    expect(await pauseWatch(request)).toMatchObject({changed: true})
  })

  test('ends with the node: a later one is not paused', async () => {
    const host = node.copy()
    await pauseWatch(await requestOn(host))
    await resetOn(host.dir)
    expect(await (await open(host)).files.status(pause)).toBeUndefined()
  })
})

describe.each([
  ['pause', pauseWatch, true],
  ['resume', resumeWatch, false],
] as const)('%s that was killed', (_, run, isPaused) => {
  test('before any of its effects is completed by the next one', async () => {
    let effects = 0
    for (let kept = 0; kept <= effects; kept++) {
      const host = node.copy()
      const other = isPaused ? resumeWatch : pauseWatch
      await other(await requestOn(host))
      const request = await requestOn(host)
      let left = kept
      const machine = interceptMachine(request.machine, async (_effect, perform) => {
        if (left-- <= 0) throw new Error('killed')
        return perform()
      })
      const killed = await run({...request, machine}).then(
        () => false,
        () => true,
      )
      if (killed) effects = kept + 1
      const {changed, paused} = await run(await requestOn(host))
      expect(paused !== null).toBe(isPaused)
      expect((await readPause(await open(host), BASE)) !== undefined).toBe(isPaused)
      if (!killed) expect(changed).toBe(isPaused)
    }
    expect(effects).toBeGreaterThan(5)
  })
})

describe.each([
  ['pause', pauseWatch],
  ['resume', resumeWatch],
])('%s is refused', (_, run) => {
  test('without a node', async () => {
    const host = await HostFolder.fresh()
    await expect(run(await requestOn(host))).rejects.toMatchObject({exitCode: 9, id: 'NO_NODE'})
  })

  test('to who is not an administrator', async () => {
    const host = node.copy()
    host.edit(({os}) => (os.administrator = false))
    await expect(run(await requestOn(host))).rejects.toMatchObject({exitCode: 3, id: 'NOT_ADMINISTRATOR'})
  })

  test('in a folder that other accounts can change', async () => {
    const request = await requestOn(node.copy())
    await request.machine.win32.setSecurity(state, 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;BU)')
    await expect(run(request)).rejects.toMatchObject({exitCode: 3})
  })
})

describe('the record of a pause', () => {
  const [now, since] = [Date.parse('2026-06-01T12:00:00Z'), '2026-06-01T11:00:00Z']
  const endless = {since: Date.parse(since)}

  test.each([
    ['nothing but a beginning', {since}, endless],
    ['no end', {since, until: null}, endless],
    ['an end that is no time', {since, until: 'tomorrow'}, endless],
    ['an end of another type', {since, until: 5}, endless],
    ['no object', 'x', {since: now}],
    ['a list', [], {since: now}],
    ['a beginning that is no time', {since: {}, until: '2026-06-01T13:00:00Z'}, {since: now}],
    ['an end in the past', {since, until: '2026-06-01T12:00:00Z'}, undefined],
    [
      'a beginning after the clock went back',
      {since: '2026-06-01T13:00:00Z', until: '2026-06-01T14:00:00Z'},
      {since: now + 60 * MINUTE, until: now + 120 * MINUTE},
    ],
  ])('with %s', (_, record, found) => {
    expect(pauseIn(record, now)).toEqual(found)
  })

  test('that cannot be read for a moment keeps neither pause nor resume from their work', async () => {
    const request = await requestOn(node.copy())
    await pauseWatch({...request, forMs: MINUTE})
    const machine = interceptMachine(request.machine, async ({args, what}, perform) => {
      if (what === 'readChunks' && args[0] === pause) throw new FileError('read', pause, 'EBUSY')
      return perform()
    })
    await expect(readPause(machine, BASE)).rejects.toMatchObject({code: 'EBUSY'})
    expect(await pauseWatch({...request, machine})).toMatchObject({changed: true, paused: {until: null}})
    expect(await resumeWatch({...request, machine})).toMatchObject({changed: true, paused: null})
    expect(await readPause(request.machine, BASE)).toBeUndefined()
  })

  test.each([
    ['of a megabyte and more', 'x'.repeat(1024 ** 2 + 1)],
    ['that is a folder', undefined],
    ['in another encoding', Buffer.from('80', 'hex')],
  ])('%s is a pause until resume, which removes it', async (_, content) => {
    const host = node.copy()
    if (content === undefined) host.makeFolder(pause.slice(3))
    else host.put(pause.slice(3), content)
    const request = await requestOn(host)
    expect(await readPause(request.machine, BASE)).toEqual({since: request.machine.clock.now()})
    expect(await resumeWatch(request)).toMatchObject({changed: true})
    expect(await request.machine.files.status(pause)).toBeUndefined()
  })

  test('may begin with a byte order mark, and pause writes all of a damaged one', async () => {
    const host = node.copy()
    const until = host.world.os.time + 3_600_000
    const text = JSON.stringify({since: new Date(host.world.os.time), until: new Date(until)})
    host.put(pause.slice(3), `\uFEFF${text}`)
    const request = await requestOn(host)
    expect(await readPause(request.machine, BASE)).toMatchObject({until: Math.trunc(until)})
    await request.machine.files.write(pause, '{}')
    await pauseWatch(request)
    expect((await request.machine.files.read(pause))?.toString()).toContain('"since"')
  })
})
