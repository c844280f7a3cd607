// Sessions and services that die at an effect: what they leave behind completes by itself, or with the same command again.
import {beforeAll, describe, expect, test} from 'vitest'
import {noRunRequested} from '../../src/errors/detach.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {remembered} from '../../src/machine/remembered.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {everyNth, keptOf, type LeftBehind, type Recording, recordPoints} from '../interruption/kill-points.js'
import {JOIN, KUBECONFIG, placesOfToken} from '../join/joining-host.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import {type Comparable, comparable} from '../steps/comparable.js'
import type {HostFolder} from '../steps/host-folder.js'
import {hostWithProgram, PROFILE, requestOn, restart, serve, serviceOn, type Session, session} from './detached.js'

/** Every how many of the states; all of them where it is 1. */
export interface Spread {
  readonly every: number
}

interface Story {
  /** What the run leaves, without what differs from one run to the next. */
  left(host: HostFolder): Promise<Comparable>
  make(): Promise<HostFolder>
  readonly name: string
  readonly session: Session
}

const {token, ...join} = JOIN

const SETUP: Story = {
  left: async (host) => comparable(host),
  make: () => hostWithProgram(),
  name: 'setup --detach',
  session: {},
}

const JOINING: Story = {
  ...SETUP,
  async make() {
    const host = await hostWithProgram()
    host.remove(KUBECONFIG)
    return host
  },
  name: 'setup --detach with a token',
  session: {environment: {K8S_WIN_TOKEN: String(token)}, given: join},
  // Keys, and what the cluster has of them.
  left: async (host) =>
    comparable(host, {
      files: /^var\/lib\/kubelet\/pki/,
      world: ({cluster}) => void Reflect.deleteProperty(cluster, 'certificateSigningRequests'),
    }),
}

/** A node's own identity may not delete its node object, and Windows remembers what it deleted at its start. */
const STAYS = /^world > (?:cluster > nodes > 3|services > (?:hns|\w+ > startedAt:)|registry.*Session Manager:)/

const RESET: Story = {
  async left(host) {
    // The program that ran is deleted at the start of Windows.
    await started(host)
    const left = differences(wholeHost(await hostWithProgram()), wholeHost(host)).filter((one) => !STAYS.test(one))
    return Object.fromEntries(left.map((one) => [one, 'left']))
  },
  async make() {
    const host = await hostWithProgram()
    demandDone(await session(host, {isDetached: false}))
    return host
  },
  name: 'reset --detach --purge',
  session: {command: 'reset', reset: {purge: true}},
}

export const STORIES: readonly Story[] = [SETUP, JOINING, RESET]

function demandDone({error, outcome}: RunResultDocument): void {
  if (outcome !== 'done' && outcome !== 'detached') throw new Error('the undisturbed run failed', {cause: error})
}

/** Windows starts again, with every service that starts with it. */
async function started(host: HostFolder): Promise<void> {
  restart(host)
  await openSimulator({dir: host.dir, profile: PROFILE})
}

/** Once per story, of which everyone gets a copy. */
const handedOverOnce = remembered(async (name) => {
  const story = STORIES.find((one) => one.name === name)!
  const host = await story.make()
  demandDone(await session(host, story.session))
  return host
})

const handedOver = async ({name}: Story): Promise<HostFolder> => (await handedOverOnce(name)).copy()

const isWhole = (host: HostFolder): boolean => serviceOn(host) !== undefined && requestOn(host) !== undefined

function expectNothingLeft(host: HostFolder, where: string): void {
  expect(serviceOn(host), where).toBeUndefined()
  const own = host.paths.filter((path) => /(?:^|\/)(?:lock\.json|run\.json|run-token)$/.test(path))
  expect(own, where).toEqual([])
  expect(placesOfToken(host), where).toEqual([])
}

function expectDone({error, exitCode, outcome}: RunResultDocument, where: string): void {
  expect({error, exitCode, outcome}, where).toEqual({exitCode: 0, outcome: 'done'})
}

/** Names of what is not the same, or not on both. */
const unlike = (wanted: Comparable, seen: Comparable): string[] =>
  [...new Set([...Object.keys(wanted), ...Object.keys(seen)])].filter((name) => wanted[name] !== seen[name])

const placeOf = ({points}: LeftBehind): string => `killed ${points[0]} (and at ${points.length - 1} other points)`

export function describeDyingSessions(story: Story, {every}: Spread): void {
  describe(`${story.name}, its session killed at every ${every}. state`, () => {
    let recording: Recording | undefined
    let wanted: Comparable = {}
    beforeAll(async () => {
      const host = await handedOver(story)
      demandDone(await serve(host))
      wanted = await story.left(host)
      recording = await recordPoints(
        await story.make(),
        (nth) => nth % every === 0,
        async (dir, wrap) => demandDone(await session({dir} as HostFolder, {...story.session, wrap})),
      )
    }, 300_000)

    test('the service completes the run, or nothing was handed over, and the same command does', async () => {
      const recorded = recording as Recording
      const ends = {again: 0, service: 0}
      for (const killed of keptOf(recorded)) {
        const [host, where] = [killed.host.copy(), placeOf(killed)]
        if (isWhole(host)) ends.service++
        else {
          ends.again++
          expect(await session(host, story.session), where).toMatchObject({exitCode: 0, outcome: 'detached'})
        }
        expectDone(await serve(host), where)
        expectNothingLeft(host, where)
        expect(unlike(wanted, await story.left(host)), where).toEqual([])
      }
      expect(ends.again).toBeGreaterThan(0)
      expect(ends.service).toBeGreaterThan(0)
      expect(recorded.left.length).toBeGreaterThan(3)
    }, 3_600_000)
  })
}

export function describeDyingServices(story: Story, {every}: Spread): void {
  describe(`${story.name}, its service killed at every ${every}. state, and Windows restarted`, () => {
    let recording: Recording | undefined
    let wanted: Comparable = {}
    beforeAll(async () => {
      const host = await handedOver(story)
      recording = await recordPoints(host, everyNth(every), async (dir, wrap) =>
        demandDone(await serve({dir} as HostFolder, {wrap})),
      )
      const undisturbed = host.copy()
      wanted = await settled(story, undisturbed)
    }, 300_000)

    test('it continues', async () => {
      for (const killed of keptOf(recording as Recording)) {
        const [host, where] = [killed.host.copy(), placeOf(killed)]
        await started(host)
        await continued(story, host, where)
        expectNothingLeft(host, where)
        expect(unlike(wanted, await settled(story, host)), where).toEqual([])
      }
    }, 3_600_000)
  })
}

/** After a restart, and a setup that finds everything in place. */
async function settled(story: Story, host: HostFolder): Promise<Comparable> {
  await started(host)
  if (story.session.command !== 'reset') demandDone(await session(host, {...story.session, isDetached: false}))
  return story.left(host)
}

/** By the service, if there is still something to do; a token that a killed process has read must be given again. */
async function continued(story: Story, host: HostFolder, where: string): Promise<void> {
  if (serviceOn(host) === undefined) {
    // Killed after its end: only its last records are missing, which the next run writes.
    return expectDone(await session(host, {...story.session, isDetached: false}), where)
  }
  if (requestOn(host) === undefined) {
    await expect(serve(host), where).rejects.toMatchObject({id: noRunRequested.id})
    expect(serviceOn(host), where).toBeUndefined()
    return expectDone(await session(host, {...story.session, isDetached: false}), where)
  }
  const result = await serve(host)
  if (result.error?.id !== 'JOIN_TOKEN_MISSING') return expectDone(result, where)
  expect(story, where).toBe(JOINING)
  expect(serviceOn(host), where).toBeUndefined()
  expect(await session(host, story.session), where).toMatchObject({outcome: 'detached'})
  expectDone(await serve(host), where)
}

export function describeInterruptedServices(story: Story, {every}: Spread): void {
  test(`${story.name}: Ctrl-C at every ${every}. effect of its service, which continues at the next start`, async () => {
    const before = await handedOver(story)
    let interrupted = 0
    for (let nth = 1 + (every >> 1); ; nth += every) {
      const host = before.copy()
      const {result, where} = await interruptedAt(host, nth)
      if (where === undefined) break
      if (result.outcome !== 'interrupted') {
        expectDone(result, where)
        continue
      }
      interrupted++
      expect(result.exitCode, where).toBe(130)
      // --purge removes the request with the other records, at its very end: then the same command removes the rest.
      if (story !== RESET) expect(isWhole(host), where).toBe(true)
      await started(host)
      await continued(story, host, where)
      expectNothingLeft(host, where)
    }
    expect(interrupted).toBeGreaterThan(0)
  }, 3_600_000)
}

/** `where` is undefined if the run has fewer effects. */
async function interruptedAt(host: HostFolder, nth: number) {
  const stop = new AbortController()
  let effects = 0
  let where: string | undefined
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      if (++effects === nth) {
        where = `interrupted at ${describeEffect(effect)}`
        stop.abort(new InterruptedError())
      }
      return perform()
    })
  const result = await serve(host, {signal: stop.signal, wrap})
  return {result, where}
}
