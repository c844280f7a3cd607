// What the cluster sees of a watched node, and what that costs its API server.
import {describe, expect, it} from 'vitest'
import {serviceDown} from '../../../src/errors/unhealthy-node.js'
import type {HttpRequest} from '../../../src/machine/http.js'
import type {WatchRepair} from '../../../src/runs/watch/model.js'
import {uidOf} from '../../../src/simulator/cluster/objects.js'
import {checkWorld} from '../../../src/simulator/world-check.js'
import {START} from '../../simulator/fresh-model.js'
import {publishing, type PublishRig, ROUND_MS, STOPPED, UNREGISTERED} from './publish-rig.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** In an hour. */
const MOST_CHANGES = 6
const GET = 'GET /api/v1/nodes/win-1'
const PATCH = 'PATCH /api/v1/nodes/win-1/status'
const POST = 'POST /api/v1/namespaces/default/events'
const isPatch = ({method}: HttpRequest): boolean => method === 'PATCH'
const count = (rig: PublishRig, what: string): number => rig.what().filter((one) => one === what).length
const repair = (at: number, outcome: WatchRepair['outcome'], what = 'flanneld'): WatchRepair => ({at, outcome, what})

const FAR = {
  lastTransitionTime: '+275760-09-13T00:00:00Z',
  reason: 'x'.repeat(5000),
  status: 'True',
  type: 'K8sWinUnhealthy',
}

describe('the condition', () => {
  it('is written when the state has held for 30 s, and only then', async () => {
    const rig = publishing()
    await rig.rounds(30_000)
    expect(rig.what()).toEqual([GET])
    await rig.rounds(15_000)
    expect(rig.what()).toEqual([GET, PATCH])
    expect(rig.condition()).toMatchObject({reason: 'Healthy', status: 'False'})
    await rig.rounds(MINUTE)
    expect(count(rig, PATCH)).toBe(1)
  })

  it('names the component and since when, and says when it was written', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    await rig.rounds(MINUTE, {since: START + MINUTE, troubles: [STOPPED], verdict: 'degraded'})
    expect(rig.condition()).toEqual({
      lastHeartbeatTime: '2021-10-20T00:01:30Z',
      lastTransitionTime: '2021-10-20T00:01:30Z',
      message: expect.stringMatching(/^flanneld: .*2021-10-20T00:01:00Z.*2021-10-20T00:01:30Z/) as string,
      reason: 'FlanneldStopped',
      status: 'True',
      type: 'K8sWinUnhealthy',
    })
  })

  it('of a daemon that crashes again and again is written, and keeps its heartbeat', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    const crashing = {...STOPPED, reason: 'FlanneldCrashing'}
    for (let at = 0; at < 2 * HOUR; at += 4 * ROUND_MS) {
      await rig.rounds(ROUND_MS, {troubles: [STOPPED], verdict: 'recovering'})
      await rig.rounds(ROUND_MS, {troubles: [crashing], verdict: 'recovering'})
      await rig.rounds(2 * ROUND_MS)
    }
    const written = rig.requests.filter(({what}) => what === PATCH).map(({at}) => at)
    expect(written.filter((at) => at > MINUTE).length).toBeGreaterThan(MOST_CHANGES)
    // Six changes at first, and then one in 5 minutes.
    expect(written.length).toBeLessThanOrEqual(MOST_CHANGES + (2 * HOUR) / (5 * MINUTE) + 2)
    const pauses = written.slice(1).map((at, index) => at - (written[index] ?? 0))
    expect(Math.max(...pauses)).toBeLessThanOrEqual(20 * MINUTE)
  })

  it('of a state that lasts for less than 30 s is not written', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    await rig.rounds(ROUND_MS, {troubles: [STOPPED], verdict: 'recovering'})
    await rig.rounds(MINUTE)
    expect(count(rig, PATCH)).toBe(1)
  })

  it.each([
    ['paused', {detail: 'paused until 14:00', verdict: 'paused'}, 'Unknown', 'Paused'],
    ['unknown', {verdict: 'unknown'}, 'Unknown', 'NotWatched'],
    ['recovering', {troubles: [STOPPED], verdict: 'recovering'}, 'True', 'FlanneldStopped'],
    ['gave-up', {troubles: [STOPPED, UNREGISTERED], verdict: 'gave-up'}, 'True', 'FlanneldStopped'],
    ['healthy, and aside', {detail: 'a restart of Windows is pending', verdict: 'healthy'}, 'False', 'Healthy'],
  ] as const)('for %s', async (_, state, status, reason) => {
    const rig = publishing()
    await rig.rounds(MINUTE, state)
    expect(rig.condition()).toMatchObject({reason, status})
  })

  it('of a second trouble is written, with the time at which the status changed', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE, {troubles: [STOPPED], verdict: 'degraded'})
    await rig.rounds(MINUTE, {troubles: [STOPPED, UNREGISTERED], verdict: 'degraded'})
    expect(count(rig, PATCH)).toBe(2)
    expect(rig.condition()).toMatchObject({
      lastTransitionTime: '2021-10-20T00:00:30Z',
      message: expect.stringContaining('kubelet: ') as string,
    })
  })

  it('leaves the others as they are, and is written again where a user removed it', async () => {
    const rig = publishing()
    const node = rig.stage.world.cluster.nodes.find(({name}) => name === 'win-1')
    if (node) node.conditions = [{status: 'False', type: 'NetworkUnavailable'}]
    await rig.rounds(MINUTE)
    const types = () =>
      rig.stage.world.cluster.nodes.find(({name}) => name === 'win-1')?.conditions?.map(({type}) => type)
    expect(types()).toEqual(['NetworkUnavailable', 'K8sWinUnhealthy'])
    rig.stage.world.cluster.nodes.find(({name}) => name === 'win-1')?.conditions?.pop()
    await rig.rounds(8 * MINUTE)
    expect(types()).toEqual(['NetworkUnavailable', 'K8sWinUnhealthy'])
  })

  it('keeps the time of its last change after a restart of the service', async () => {
    const rig = publishing()
    const own = {
      lastTransitionTime: '2021-10-19T00:00:00Z',
      reason: 'Healthy',
      status: 'False',
      type: 'K8sWinUnhealthy',
    }
    const node = rig.stage.world.cluster.nodes.find(({name}) => name === 'win-1')
    if (node) node.conditions = [own]
    await rig.rounds(MINUTE)
    expect(rig.condition()).toMatchObject({lastTransitionTime: own.lastTransitionTime})
    expect(rig.condition()?.lastHeartbeatTime).toBe('2021-10-20T00:00:30Z')
  })

  it('waits for a Node that was deleted to be registered again', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    const {nodes} = rig.stage.world.cluster
    const node = nodes.pop()
    await rig.rounds(HOUR)
    expect(count(rig, PATCH)).toBeLessThanOrEqual(2)
    // Another object of the same name: its condition is not there.
    if (node) nodes.push({...node, conditions: []})
    await rig.rounds(10 * MINUTE)
    expect(rig.condition()).toMatchObject({status: 'False'})
  })

  it('shows no secret', async () => {
    const rig = publishing()
    const error = serviceDown({cause: 'It ended.', seen: 'ended with --password hunter2', service: 'flanneld'})
    await rig.rounds(ROUND_MS)
    const repairs = [{...repair(START, 'gave up'), why: 'hunter2'}]
    await rig.rounds(2 * MINUTE, {repairs, troubles: [{...STOPPED, error}], verdict: 'gave-up'})
    expect([count(rig, PATCH), count(rig, POST)]).toEqual([1, 1])
    expect(JSON.stringify(rig.requests)).not.toContain('hunter2')
  })

  it('that was published before is removed with --no-publish, once; nothing else is sent', async () => {
    const rig = publishing(() => false)
    const node = rig.stage.world.cluster.nodes.find(({name}) => name === 'win-1')
    if (node) node.conditions = [{status: 'False', type: 'K8sWinUnhealthy'}]
    await rig.rounds(4 * HOUR, {repairs: [repair(START, 'repaired')], troubles: [STOPPED], verdict: 'degraded'})
    await rig.publisher.end?.()
    expect([rig.what(), rig.condition()]).toEqual([[GET, PATCH], undefined])
    const without = publishing(() => false)
    await without.rounds(4 * HOUR)
    expect(without.what()).toEqual([GET])
  })

  it('follows the configuration of the node while the service runs', async () => {
    let isPublished = true
    const rig = publishing(() => isPublished)
    await rig.rounds(MINUTE)
    expect([rig.what(), rig.condition()?.status]).toEqual([[GET, PATCH], 'False'])
    isPublished = false
    await rig.rounds(HOUR)
    expect([rig.what().slice(2), rig.condition()]).toEqual([[PATCH, GET], undefined])
    isPublished = true
    await rig.rounds(MINUTE)
    expect([rig.what().slice(4), rig.condition()?.status]).toEqual([[PATCH, GET], 'False'])
  })

  it('is Unknown after an orderly stop', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    await rig.publisher.end?.()
    expect(rig.condition()).toMatchObject({reason: 'NotWatched', status: 'Unknown'})
  })

  it.each([
    ['that was never written', async () => {}],
    [
      'of a server that does not respond',
      async (rig: PublishRig) => {
        await rig.rounds(MINUTE)
        rig.answer = () => 'lost'
        await rig.rounds(10 * MINUTE)
      },
    ],
  ])('%s is not asked for at the end', async (_, before) => {
    const rig = publishing()
    await before(rig)
    const {length} = rig.requests
    await rig.publisher.end?.()
    expect(rig.requests).toHaveLength(length)
  })
})

describe('events', () => {
  it('name a repair and what was given up, with the UID of the Node', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    const repairs = [repair(START + 1, 'repaired'), repair(START + 2, 'failed'), repair(START + 3, 'gave up')]
    await rig.rounds(MINUTE, {repairs})
    const {events = []} = rig.stage.world.cluster
    expect(events.map(({reason, type}) => [reason, type])).toEqual([
      ['K8sWinRepaired', 'Normal'],
      ['K8sWinGaveUp', 'Warning'],
    ])
    expect(events[0]).toMatchObject({
      involvedObject: {kind: 'Node', name: 'win-1', uid: uidOf('Node', 'win-1')},
      namespace: 'default',
      source: {component: 'k8s-win', host: 'win-1'},
    })
    // A simulated host can be opened again with them.
    expect(() => checkWorld(JSON.parse(JSON.stringify(rig.stage.world)))).not.toThrow()
  })

  it('of repairs that were made before the service started are not sent', async () => {
    const rig = publishing()
    await rig.rounds(HOUR, {repairs: [repair(START - 1, 'repaired')]})
    expect(count(rig, POST)).toBe(0)
  })

  it('are at most one per reason in 10 minutes, which counts the others', async () => {
    const rig = publishing()
    const repairs: WatchRepair[] = []
    for (let minute = 0; minute < 30; minute++) {
      await rig.rounds(MINUTE, {repairs: [...repairs]})
      repairs.push(repair(rig.clock.now(), 'repaired'))
    }
    const times = rig.requests.filter(({what}) => what === POST).map(({at}) => at)
    expect(times).toHaveLength(3)
    expect(Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeGreaterThanOrEqual(10 * MINUTE)
    expect(rig.stage.world.cluster.events?.map(({count: many}) => many)).toEqual([1, 10, 10])
  })

  it('are at most 6 an hour', async () => {
    const rig = publishing()
    const repairs: WatchRepair[] = []
    for (let minute = 0; minute < 180; minute++) {
      repairs.push(repair(rig.clock.now(), 'repaired'), repair(rig.clock.now(), 'gave up'))
      await rig.rounds(MINUTE, {repairs: repairs.slice(-20)})
    }
    const times = rig.requests.filter(({what}) => what === POST).map(({at}) => at)
    for (const from of times) expect(times.filter((at) => at >= from && at < from + HOUR).length).toBeLessThanOrEqual(6)
    expect(times.length).toBeGreaterThan(12)
  })

  it('that an identity may not create are dropped, and the condition is written all the same', async () => {
    const rig = publishing()
    await rig.rounds(ROUND_MS)
    rig.answer = ({method}) => (method === 'POST' ? {body: '{"message":"no"}', status: 403} : undefined)
    await rig.rounds(4 * HOUR, {repairs: [repair(START, 'repaired')]})
    // Asked twice: a 403 may be that of a server that is starting.
    expect(count(rig, POST)).toBe(2)
    expect(rig.condition()).toMatchObject({status: 'False'})
  })

  it.each([
    ['that exist already', {body: '{"message":"exists"}', status: 409}],
    ['of a server that is overloaded', {body: '{}', status: 503}],
  ])('%s are not sent again', async (_, answer) => {
    const rig = publishing()
    await rig.rounds(ROUND_MS)
    rig.answer = ({method}) => (method === 'POST' ? answer : undefined)
    await rig.rounds(HOUR, {repairs: [repair(START, 'repaired')]})
    expect(count(rig, POST)).toBe(1)
  })
})

describe('its requests', () => {
  it('review K3-6: of a healthy day write the Node 4 times: each flanneld is sent every change', async () => {
    const rig = publishing()
    await rig.rounds(10 * DAY)
    // Every 5 minutes and every 6 hours, each ±50 %.
    expect(count(rig, GET) / 10).toBeGreaterThan(250)
    expect(count(rig, GET) / 10).toBeLessThan(320)
    expect(count(rig, PATCH)).toBeGreaterThan(30)
    expect(count(rig, PATCH)).toBeLessThan(50)
    expect(count(rig, POST)).toBe(0)
    const beats = rig.requests.filter(({what}) => what === PATCH).map(({at}) => at)
    const gaps = beats.slice(2).map((at, index) => at - (beats[index + 1] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3 * HOUR)
    // docs/watch.md: who was silent for 10 hours is silent.
    expect(Math.max(...gaps)).toBeLessThan(10 * HOUR - 30 * MINUTE)
  })

  it('review K3-6: a change is written at once, however young the last heartbeat is', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    await rig.rounds(MINUTE, {troubles: [STOPPED], verdict: 'degraded'})
    expect(rig.condition()).toMatchObject({reason: 'FlanneldStopped'})
    await rig.rounds(MINUTE)
    expect(rig.condition()).toMatchObject({reason: 'Healthy'})
    expect(count(rig, PATCH)).toBe(3)
  })

  it('of a daemon that keeps crashing are few, and its last state is shown within 5 minutes', async () => {
    const rig = publishing()
    for (let minute = 0; minute < 120; minute += 2) {
      await rig.rounds(MINUTE)
      await rig.rounds(MINUTE, {troubles: [STOPPED], verdict: 'recovering'})
    }
    const patches = (from: number) => rig.requests.filter(({at, what}) => what === PATCH && at >= from).length
    expect(patches(0)).toBeGreaterThanOrEqual(6)
    expect(patches(0)).toBeLessThan(20)
    await rig.rounds(6 * MINUTE)
    expect(rig.condition()).toMatchObject({reason: 'Healthy'})
  })

  it.each([
    ['that does not respond', 'lost'],
    ['that is overloaded', {body: '{}', status: 503}],
    ['that rejects the identity', {body: '{"message":"Unauthorized"}', status: 401}],
    ['that returns nonsense', {body: 'x'.repeat(1000), status: 200}],
    ['that redirects', {headers: {location: 'https://login.example'}, status: 302}],
  ] as const)('to a server %s become few: 30 s to 15 min apart', async (_, answer) => {
    const rig = publishing()
    rig.answer = ({method}) => (answer === 'lost' || answer.status !== 200 || method === 'GET' ? answer : undefined)
    await rig.rounds(24 * HOUR)
    const times = rig.requests.map(({at}) => at)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30_000)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15 * MINUTE + ROUND_MS)
    expect(times.length).toBeLessThan(250)
    rig.answer = () => undefined
    await rig.rounds(20 * MINUTE)
    expect(rig.condition()).toMatchObject({status: 'False'})
  })

  it.each([
    ['600', 10 * MINUTE],
    [new Date(START + 20 * MINUTE).toUTCString(), 19 * MINUTE],
    ['99999999', HOUR],
    ['-1', 30_000],
    ['soon', 30_000],
  ])('after 429 with Retry-After: %s wait for at least that', async (header, least) => {
    const rig = publishing()
    await rig.rounds(ROUND_MS * 2)
    rig.answer = (request) =>
      isPatch(request) ? {body: '{}', headers: {'retry-after': header}, status: 429} : undefined
    await rig.rounds(ROUND_MS)
    const refused = rig.requests.at(-1)
    expect(refused?.what).toBe(PATCH)
    rig.answer = () => undefined
    await rig.rounds(2 * HOUR)
    const next = rig.requests.find(({at}) => at > (refused?.at ?? 0))
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(least)
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeLessThan(least + MINUTE + ROUND_MS)
  })

  it('are one at a time: what hangs keeps the next from being sent, and nothing waits for it', async () => {
    const rig = publishing()
    await rig.rounds(ROUND_MS * 2)
    rig.answer = () => 'hangs'
    await rig.rounds(10 * MINUTE, {troubles: [STOPPED], verdict: 'degraded'})
    expect(rig.what()).toEqual([GET, PATCH])
    await rig.publisher.end?.()
    expect(rig.what()).toEqual([GET, PATCH])
  })

  it('do not wait longer where the clock was set back', async () => {
    const rig = publishing()
    await rig.rounds(MINUTE)
    rig.clock.jump(-365 * 24 * HOUR)
    await rig.rounds(ROUND_MS * 4, {troubles: [STOPPED], verdict: 'degraded'})
    expect(rig.condition()).toMatchObject({status: 'True'})
  })

  it.each([
    ['no UID', {metadata: {}}],
    ['a UID of 1 MB', {metadata: {uid: 'x'.repeat(1 << 20)}}],
    ['conditions that are none', {metadata: {uid: 'u-1'}, status: {conditions: [null, 1, {type: 'K8sWinUnhealthy'}]}}],
    ['a condition of the year 275760', {metadata: {uid: 'u-1'}, status: {conditions: [FAR]}}],
  ])('survive a Node with %s', async (_, node) => {
    const rig = publishing()
    rig.answer = ({method}) => (method === 'GET' ? {body: JSON.stringify(node), status: 200} : undefined)
    await rig.rounds(HOUR, {troubles: [STOPPED], verdict: 'degraded'})
    await rig.publisher.end?.()
    for (const {body} of rig.requests) expect(JSON.stringify(body).length).toBeLessThan(3000)
  })
})
