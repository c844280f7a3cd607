// reset --drain: the pods leave while everything still runs; where they do not, nothing is stopped.
import {afterAll, beforeAll, expect, it} from 'vitest'
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {ClusterPod, ClusterState} from '../../src/simulator/cluster/state.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {HostFolder} from '../steps/host-folder.js'
import {resetOn, type ResetSetting} from './reset-run.js'

const made = HostFolder.empty()
beforeAll(async () => {
  await openSimulator({dir: made.dir, profile: 'ws2019'})
  made.edit(allowEverything)
  expect((await setupOn(made.dir)).result.exitCode).toBe(0)
})
afterAll(() => made.discard())

const pod = (name: string): ClusterPod => ({
  labels: {app: 'web'},
  name,
  namespace: 'shop',
  node: 'win-1',
  owner: {kind: 'ReplicaSet', name: 'web'},
})

async function drained(part: Partial<ClusterState>, setting: ResetSetting = {}) {
  const host = made.copy()
  host.edit(({cluster}) => void Object.assign(cluster, {pods: [pod('a'), pod('b')], ...part}))
  const end = await resetOn(host.dir, {given: {drain: true, 'drain-timeout': '1m', ...setting.given}, ...setting})
  return {...end, again: () => resetOn(host.dir), discard: () => host.discard(), world: host.world}
}

it('the pods are asked to leave before anything is stopped, and the node goes after', async () => {
  const order: string[] = []
  const {discard, result, world} = await drained(
    {},
    {
      wrap: (machine) =>
        interceptMachine(machine, async (effect, perform) => {
          const [first = ''] = effect.args
          if (effect.what === 'POST' && first.endsWith('/eviction')) order.push(`evict ${first.split('/').at(-2)}`)
          if (effect.what === 'stopService') order.push(`stop ${first}`)
          if (effect.what === 'DELETE' && first.includes('/nodes/')) order.push('delete the node')
          return perform()
        }),
    },
  )
  discard()
  expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
  const stops = COMMON_DAEMONS.map(({service}) => `stop ${service}`).reverse()
  expect(order).toEqual(['evict a', 'evict b', ...stops, 'delete the node'])
  expect(world.cluster.nodes.map(({name}) => name)).not.toContain('win-1')
  expect(result.steps[0]).toMatchObject({id: 'drain', state: 'changed'})
})

it('pods that may not leave end it with 6 and their names; the node runs on, and reset without --drain ends it', async () => {
  const {again, discard, result, world} = await drained({
    disruptionBudgets: [{allowed: 0, labels: {app: 'web'}, name: 'web', namespace: 'shop'}],
  })
  expect(result).toMatchObject({error: {id: 'DRAIN_TIMED_OUT'}, exitCode: 6})
  expect(result.error?.cause).toContain('shop/a')
  expect(result.error?.cause).toContain('shop/b')
  for (const {service} of COMMON_DAEMONS) expect(world.services[service]?.state).toBe('running')
  expect((await again()).result.exitCode).toBe(0)
  discard()
})

it('an identity that may not is refused, and nothing is stopped', async () => {
  const {discard, result, world} = await drained({permissions: ['get nodes', 'list nodes']})
  discard()
  expect(result).toMatchObject({error: {id: 'DRAIN_FORBIDDEN'}, exitCode: 3})
  expect(world.services['kubelet']?.state).toBe('running')
})

it('a cluster that cannot be asked is reported as that, with the way without it; nothing is stopped', async () => {
  const {discard, result, world} = await drained({reachable: false})
  discard()
  expect(result).toMatchObject({error: {id: 'API_SERVER_UNREACHABLE'}, exitCode: 3})
  expect(result.error?.fix).toContain('--yes instead of --drain')
  expect(world.services['kubelet']?.state).toBe('running')
})

const planned = {given: {drain: true, 'dry-run': true}}

it('--dry-run names the pods that would leave, and those that would be lost; none is asked to', async () => {
  const alone: ClusterPod = {name: 'alone', namespace: 'shop', node: 'win-1'}
  const withData = {...pod('a'), volumes: [{emptyDir: {}, name: 'cache'}]}
  const agent = {...pod('agent'), owner: {kind: 'DaemonSet', name: 'agent'}}
  const {discard, result, warnings, world} = await drained({pods: [withData, alone, agent]}, planned)
  discard()
  expect(result.steps[0]).toMatchObject({
    changes: ['cordon the node win-1', 'evict 2 pods: shop/a, shop/alone'],
    id: 'drain',
    state: 'would-change',
  })
  expect(warnings.filter((warning) => warning.includes('shop/'))).toEqual([
    expect.stringContaining('shop/alone has no controller'),
    expect.stringMatching(/emptyDir.*: shop\/a$/),
  ])
  expect(world.cluster.nodes.find(({name}) => name === 'win-1')?.unschedulable).not.toBe(true)
})

it.each<[string, Partial<ClusterState>]>([
  ['may not be asked', {permissions: ['get nodes', 'patch nodes']}],
  ['cannot be asked', {reachable: false}],
])('--dry-run reports that it would end there where the cluster %s', async (_, part) => {
  const {discard, result, warnings} = await drained(part, planned)
  discard()
  expect(result.exitCode).toBe(0)
  expect(warnings.join()).toContain('the node win-1 cannot be drained now')
})
