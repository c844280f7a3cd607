// A reset that went no further than to drain the node leaves an ordinary one, cordoned: later runs need no --drain.
import {beforeAll, describe, expect, test} from 'vitest'
import type {ClusterState} from '../../src/simulator/cluster/state.js'
import {OWN_PROGRAM} from '../../src/simulator/profiles/drive.js'
import {examine} from '../doctor/doctor-rig.js'
import {allowEverything} from '../fakes/administrator.js'
import {runFrom} from '../fixtures/assets.js'
import {recoverOn} from '../runs/recover-on.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'

const {copy} = setUpHost()
const pod = {labels: {app: 'web'}, name: 'a', namespace: 'shop', node: 'win-1'}
const owned = {...pod, owner: {kind: 'ReplicaSet', name: 'web'}}
const CORDONED = 'win-1 is cordoned: no new pods are scheduled on it until "kubectl uncordon win-1"'

const FAILURES: readonly [string, Partial<ClusterState>, number, boolean][] = [
  [
    'pods that may not leave',
    {disruptionBudgets: [{allowed: 0, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]},
    6,
    true,
  ],
  ['a cluster that forbids it', {permissions: ['get nodes', 'list nodes']}, 3, false],
  ['a cluster that is not reached', {reachable: false}, 3, false],
]

test.each(FAILURES)('%s: status and doctor look at the node as usual', async (_, part, exitCode, isCordoned) => {
  const host = copy()
  const {permissions, reachable} = host.world.cluster
  host.edit(({cluster}) => void Object.assign(cluster, {pods: [owned], ...part}))
  const {result} = await resetOn(host.dir, {given: {drain: true, 'drain-timeout': '30s'}})
  expect(result.exitCode).toBe(exitCode)
  host.edit(({cluster}) => void Object.assign(cluster, {permissions, reachable}))

  const {document} = await statusOn(host.dir)
  expect(document).toMatchObject({exitCode: 0, problems: [], warnings: isCordoned ? [CORDONED] : []})
  const {check, document: seen} = await examine(host)
  expect(seen.node).toBe('set-up')
  expect(check('node-condition')).toMatchObject({
    ...(isCordoned && {fix: expect.stringContaining('kubectl uncordon win-1') as string}),
    result: isCordoned ? 'warn' : 'pass',
  })
})

describe('a node that is watched', () => {
  const assets = runFrom(OWN_PROGRAM)
  let node: HostFolder
  beforeAll(async () => {
    node = await HostFolder.fresh(allowEverything)
    expect((await setupOn(node.dir, {watch: 'true'}, {assets})).result.error).toBeUndefined()
  })

  test.each(FAILURES)('%s: is still watched, and can be recovered', async (_, part, exitCode) => {
    const host = node.copy()
    const {permissions, reachable} = host.world.cluster
    host.edit(({cluster}) => void Object.assign(cluster, {pods: [owned], ...part}))
    const {result} = await resetOn(host.dir, {assets, given: {drain: true, 'drain-timeout': '30s'}})
    // It was cordoned and uncordoned, where the drain began.
    expect(result).toMatchObject({exitCode, recap: {changed: exitCode === 6 ? 1 : 0, failed: 1}})
    host.edit(({cluster}) => void Object.assign(cluster, {permissions, reachable}))
    expect(host.world.services['k8s-win']?.state).toBe('running')
    expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: []})
    expect((await recoverOn(host.dir, {assets})).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('is drained before the service that watches it is removed, and that before the daemons stop', async () => {
    const {result} = await resetOn(node.copy().dir, {assets, given: {drain: true}})
    expect(result.steps.slice(0, 3).map(({id}) => id)).toEqual(['drain', 'watch-service', 'daemons'])
  })
})

describe('a node that was kept, drained', () => {
  test('setup says that it is still cordoned, and leaves it so', async () => {
    const host = copy()
    expect((await resetOn(host.dir, {given: {drain: true, 'keep-node': true}})).result.exitCode).toBe(0)
    const {events, result} = await setupOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(events).toContainEqual(expect.objectContaining({level: 'warn', message: CORDONED}))
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.unschedulable).toBe(true)
  })

  test('of one that is not, nothing is said', async () => {
    expect(JSON.stringify((await setupOn(copy().dir)).events)).not.toContain('cordon')
  })
})
