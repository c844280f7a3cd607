// Draining against the real eviction API: disruption budgets that allow it, that do not, and two of them for one pod.
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest'
import type {Cluster} from '../../src/host/cluster/cluster.js'
import type {ClusterPod} from '../../src/host/cluster/pods.js'
import {drainNode} from '../../src/pipeline/leave/drain-node.js'
import type {StepContext} from '../../src/pipeline/run/step.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {Rig} from '../steps/rig.js'
import {clusterAs, clusterOf} from './as-cluster.js'
import {type Caller, type ControlPlane, FIRST_TOKEN, startControlPlane, waitUntil} from './control-plane.js'
import {nodeIdentity} from './node-identity.js'
import {budget, budgetsPath, replicaSet, WINDOWS_NODE} from './objects.js'

const NODE = '/api/v1/nodes/win-1'
const PODS = '/api/v1/namespaces/default/pods'
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets'
const MERGE = 'application/merge-patch+json'

let plane: ControlPlane
let admin: Cluster

beforeAll(async () => {
  plane = await startControlPlane()
  admin = await clusterOf(plane.adminKubeconfig)
  await plane.do({body: WINDOWS_NODE, method: 'POST', path: '/api/v1/nodes'})
})
afterEach(async () => {
  for (const path of [REPLICA_SETS, budgetsPath(plane.minor), PODS]) {
    await plane.do({body: {gracePeriodSeconds: 0, propagationPolicy: 'Background'}, method: 'DELETE', path})
  }
  await plane.do({body: {spec: {unschedulable: null}}, method: 'PATCH', path: NODE, type: MERGE})
  await waitUntil('an empty node', async () => (await admin.podsOf('win-1')).length === 0 || undefined)
})
afterAll(() => plane?.close())

/** Running and ready, as a kubelet would report them. */
async function runPods(app: string, count: number): Promise<ClusterPod[]> {
  await plane.do({body: replicaSet(app, count), method: 'POST', path: REPLICA_SETS})
  const pods = await waitUntil(`${count} pods of ${app}`, async () => {
    const found = (await admin.podsOf('win-1')).filter(({labels}) => labels.app === app)
    return found.length === count ? found : undefined
  })
  const status = {conditions: [{status: 'True', type: 'Ready'}], phase: 'Running'}
  for (const {name} of pods) {
    await plane.do({body: {status}, method: 'PATCH', path: `${PODS}/${name}/status`, type: MERGE})
  }
  return pods
}

async function protect(name: string, app: string, minAvailable: number, allowed: number): Promise<void> {
  const path = budgetsPath(plane.minor)
  await plane.do({body: budget(plane.minor, name, app, minAvailable), method: 'POST', path})
  await waitUntil(`${allowed} disruptions of ${name}`, async () => {
    const {status} = (await plane.do({path: `${path}/${name}`})) as {
      status: {disruptionsAllowed?: number; expectedPods?: number}
    }
    return (status.expectedPods !== undefined && status.disruptionsAllowed === allowed) || undefined
  })
}

async function drain(caller: Caller, deadlineMs: number) {
  const rig = await Rig.open({given: {'cluster-dns': '10.10.0.10'}})
  const cluster = await clusterAs(plane, caller)
  const changes: string[] = []
  const warnings: string[] = []
  const context: StepContext = {
    ...rig.context,
    changed: (what) => changes.push(what),
    host: {...rig.context.host, clock: openRealMachine({environment: {}}).clock, cluster: () => cluster},
    warn: (message) => warnings.push(message),
  }
  const failure = await drainNode(context, deadlineMs).then(
    () => undefined,
    (error: unknown) => error,
  )
  return {changes, failure, warnings}
}

test('an eviction within the budget is taken, the next one is refused with the budget named', async () => {
  const [first, second] = await runPods('web', 2)
  await protect('web', 'web', 1, 1)
  expect(await admin.evictPod(first!)).toEqual({result: 'taken'})
  expect(await admin.evictPod(first!)).toEqual({result: 'gone'})
  expect(await admin.evictPod(second!)).toEqual({
    result: 'refused',
    said: 'The disruption budget web needs 1 healthy pods and has 1 currently',
  })
})

test('a pod with two budgets is refused', async () => {
  const [pod] = await runPods('twice', 1)
  await protect('one', 'twice', 0, 1)
  await protect('two', 'twice', 0, 1)
  expect(await admin.evictPod(pod!)).toEqual({
    result: 'refused',
    said: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  })
})

test('another pod by the same name counts as gone', async () => {
  const [pod] = await runPods('other', 1)
  expect(await admin.evictPod({...pod!, uid: '00000000-0000-4000-8000-000000000000'})).toEqual({result: 'gone'})
})

test.each(['the administrator', 'the node itself'])('%s drains the node', async (who) => {
  const caller = who === 'the node itself' ? await nodeIdentity(plane, 'win-1', {token: FIRST_TOKEN}) : plane.admin
  const [pod] = await runPods('shop', 1)
  // The controller would put another pod on the node, which the template names. Without a garbage collector the pod stays.
  await plane.do({body: {propagationPolicy: 'Background'}, method: 'DELETE', path: `${REPLICA_SETS}/shop`})
  const {changes, failure} = await drain(caller, 60_000)
  expect(failure).toBeUndefined()
  expect(changes).toEqual(['cordon the node win-1', `evict the pod default/${pod!.name}`])
  expect(await admin.podsOf('win-1')).toEqual([])
  expect(await admin.node('win-1')).toMatchObject({isUnschedulable: true})
})

test('a budget that allows nothing ends the drain at its deadline, with the budget named', async () => {
  const [pod] = await runPods('kept', 1)
  await protect('kept', 'kept', 1, 0)
  const {changes, failure} = await drain(plane.admin, 8000)
  expect(failure).toMatchObject({exitCode: 6, id: 'DRAIN_TIMED_OUT'})
  expect(String((failure as {reason?: string}).reason)).toContain(
    `default/${pod!.name} - The disruption budget kept needs 1 healthy pods and has 1 currently`,
  )
  expect(changes).toEqual(['cordon the node win-1'])
})
