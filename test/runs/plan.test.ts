// What --dry-run reports is what a run then does: on hosts that are fresh, half done, drifted and in place.
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {K8sWinError} from '../../src/errors/k8s-win-error.js'
import type {Fault} from '../fakes/faulty.js'
import type {Effect} from '../../src/machine/intercept.js'
import type {StepResult, StepState} from '../../src/pipeline/run/events.js'
import {documentOf} from '../../src/pipeline/run/to-user-error.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {makeOriginal} from '../fixtures/original-script.js'
import {DRIFTS} from '../steps/drifts/index.js'
import {nodeGone, nodeReadyDrifts, overlayNetworkDrifts, podNetworkChanged} from '../steps/drifts/network.js'
import {isWhole, sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {comparable, doOn, planOn} from './plan-and-deed.js'

const fresh = HostFolder.empty()
let node: HostFolder

beforeAll(async () => {
  await openSimulator({dir: fresh.dir, profile: 'ws2019'})
  node = fresh.copy()
  const {error} = await doOn(node.dir)
  if (error !== undefined) throw error as Error
}, 180_000)
afterAll(() => [fresh, node].forEach((host) => host.discard()))

function copyOf(host: HostFolder): HostFolder {
  const copy = host.copy()
  onTestFinished(() => copy.discard())
  return copy
}

/** Where it changes nothing it waits for kube-proxy's load balancers, which may be there sooner or later. */
const WAITING = 'kubeproxy-service'

const isRequest = ({via}: Effect): boolean => via === 'http'
/** What this identity may do is asked with a POST. */
const isQuestion = ({args: [url = ''], what}: Effect): boolean =>
  ['GET', 'HEAD'].includes(what) || url.endsWith('/selfsubjectaccessreviews')

/** And planning reaches the host with nothing but questions. */
async function expectPlanIsDeed(host: HostFolder, given: GivenOptions = {}): Promise<void> {
  const before = host.state
  const plan = await planOn(host.dir, given)
  expect(plan.error).toBeUndefined()
  expect(plan.effects.filter(({kind}) => kind === 'change')).toEqual([])
  expect(plan.effects.filter((effect) => isRequest(effect) && !isQuestion(effect))).toEqual([])
  expect(host.state).toEqual(before)
  const deed = await doOn(host.dir, given)
  expect(deed.error).toBeUndefined()
  expect(comparable(plan.changes)).toEqual(comparable(deed.changes))
  const isCompared = ({id}: StepResult): boolean =>
    id !== WAITING || [plan, deed].some(({changes}) => (changes.get(WAITING) ?? []).length > 0)
  const stepsThat = (state: StepState, results: readonly StepResult[]): string[] =>
    results.filter((step) => step.state === state && isCompared(step)).map(({id}) => id)
  expect(stepsThat('would-change', plan.results)).toEqual(stepsThat('changed', deed.results))
}

/** A run that dies at the first effect of which this is true. What it had under way dies with it: the copy has it not. */
async function crashedAt(when: Fault['when'], isIt: (effect: Effect) => boolean): Promise<HostFolder> {
  const running = copyOf(fresh)
  let dead: HostFolder | undefined
  const at = (effect: Effect): boolean => {
    if (dead || !isIt(effect)) return false
    dead = copyOf(running)
    return true
  }
  await doOn(running.dir, {}, [{at, does: 'crash', when}])
  if (!dead) throw new Error('the run did not come to that')
  return dead
}

const win32 =
  (call: string, subject: string) =>
  ({args, what}: Effect): boolean =>
    what === call && args[0] === subject
const onFile =
  (operation: string, name: string) =>
  ({args, what}: Effect): boolean =>
    what === operation && args.some((path) => path.endsWith(`\\${name}`))

describe('the plan is what a run then does', () => {
  test('on a fresh host', () => expectPlanIsDeed(copyOf(fresh)), 30_000)

  test('on a fresh host with a flannel that needs a network to start from', async () => {
    const digest = [`flanneld=sha256:${'cd'.repeat(32)}`]
    await expectPlanIsDeed(copyOf(fresh), {digest, 'flannel-version': '0.11.0'})
  }, 30_000)

  test('on a node in place: nothing', async () => {
    const plan = await planOn(copyOf(node).dir)
    expect(plan.error).toBeUndefined()
    expect(comparable(plan.changes)).toEqual({})
    expect(plan.results.filter(({state}) => state !== 'in-place')).toEqual([])
  }, 30_000)

  test('on a node of an older release', () => expectPlanIsDeed(copyOf(node), {release: '1.21.9'}), 30_000)

  test('on a host that the original script set up', async () => {
    const host = copyOf(fresh)
    await makeOriginal(host.dir)
    await expectPlanIsDeed(host, {adopt: 'true'})
  }, 30_000)

  test.each<[string, Fault['when'], (effect: Effect) => boolean]>(
    sample(
      [
        ['before the download', 'before', ({what}) => what === 'DOWNLOAD'],
        ['when a program was put in place', 'after', onFile('rename', 'kubelet.exe')],
        ['when an image was pulled', 'after', ({args}) => /\/containers\/create/.test(args[0] ?? '')],
        ['when the kubelet was made', 'after', win32('createService', 'kubelet')],
        ['when the kubelet was started', 'after', win32('startService', 'kubelet')],
        ['when flanneld was started', 'after', win32('startService', 'flanneld')],
        ['when the address was reserved', 'after', ({what}) => what.endsWith('host-local.exe')],
        ['before cni.conf', 'before', onFile('write', 'cni.conf')],
      ],
      2,
    ),
  )(
    'on a host where a run died %s',
    async (_, when, isIt) => {
      await expectPlanIsDeed(await crashedAt(when, isIt))
    },
    30_000,
  )

  test('says what it takes for granted of a cluster that will give the node a pod network', async () => {
    const host = copyOf(node)
    nodeGone.make(host)
    const {events} = await planOn(host.dir)
    const told = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(told).toContainEqual(expect.stringContaining('win-1 the pod network 10.244.3.0/24 again'))
  }, 30_000)

  test("believes the user's own digest: nothing was fetched that could have another", async () => {
    const {error, results} = await planOn(fresh.dir, {digest: [`flanneld=sha256:${'0'.repeat(64)}`]})
    expect(error).toBeUndefined()
    const changes = results.find(({id}) => id === 'flannel-binary')?.changes.join('\n')
    expect(changes).toContain(`sha256:${'0'.repeat(64)}`)
  })

  test("that fails quotes no line of the twin's daemons as one of the host's", async () => {
    const {error, events} = await planOn(fresh.dir, {skip: ['net-conf']})
    const {cause, id} = documentOf(error as K8sWinError)
    expect({cause, id}).toEqual({
      cause: expect.stringMatching(/Its log ends with: \(on the twin\) .*net-conf/) as string,
      id: 'OVERLAY_NETWORK_MISSING',
    })
    const quoted = cause.split('ends with: ')[1]?.split(' / ') ?? []
    expect(quoted.filter((line) => !line.startsWith('(on the twin) '))).toEqual([])
    const told = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(told).toContainEqual(expect.stringContaining('a dry run on a model of this host'))
  }, 30_000)

  test.each(sample([nodeGone, podNetworkChanged, ...overlayNetworkDrifts], 4))(
    'on a node that drifted: $name',
    async ({make}) => {
      const host = copyOf(node)
      make(host)
      await expectPlanIsDeed(host)
    },
    30_000,
  )

  test('on a node that drifted, whatever happened to it', async () => {
    await fc.assert(
      // Which pod network a new node gets is the cluster's affair, and what is stale with it: see above. A node that is not
      // Ready becomes so by its kubelet alone, sooner or later: before the step, or while it waits.
      fc.asyncProperty(
        fc.subarray(DRIFTS.filter((drift) => ![nodeGone, ...nodeReadyDrifts].includes(drift))),
        async (drifts) => {
          const host = node.copy()
          try {
            for (const drift of drifts) drift.make(host)
            await expectPlanIsDeed(host)
          } finally {
            host.discard()
          }
        },
      ),
      {numRuns: isWhole ? 20 : 3},
    )
  }, 120_000)
})
