// Leaving the cluster: pods are asked to go, the node object goes; and what is not this machine's is never touched.
import {describe, expect, it} from 'vitest'
import {drainNode} from '../../../src/pipeline/leave/drain-node.js'
import {removeNode} from '../../../src/pipeline/leave/leave-cluster.js'
import type {ClusterPod} from '../../../src/simulator/cluster/state.js'
import type {World} from '../../../src/simulator/world.js'
import {allowEverything} from '../../fakes/administrator.js'
import {THIS_NODE} from '../../fixtures/this-node.js'
import {Rig} from '../../steps/rig.js'

const pod = (name: string, part: Partial<ClusterPod> = {}): ClusterPod => ({
  name,
  namespace: 'shop',
  node: 'win-1',
  owner: {kind: 'ReplicaSet', name: 'web'},
  ...part,
})

interface Told {
  readonly changes: string[]
  readonly progress: string[]
  readonly rig: Rig
  readonly warnings: string[]
}

async function open(sicken: (world: World) => void = () => {}): Promise<Told & {context: Rig['context']}> {
  const rig = await Rig.open({
    // Known, so that the cluster need not be asked before it is made unhealthy.
    given: {'cluster-dns': '10.10.0.10'},
    sicken(world) {
      world.cluster.nodes.push(structuredClone(THIS_NODE))
      allowEverything(world)
      sicken(world)
    },
  })
  const told: Told = {changes: [], progress: [], rig, warnings: []}
  const context = {
    ...rig.context,
    changed: (what: string) => told.changes.push(what),
    progress: ({text}: {text: string}) => told.progress.push(text),
    warn: (message: string) => told.warnings.push(message),
  }
  return {...told, context}
}

function podsLeft({machine, world}: Rig): string[] {
  const now = machine.clock.now()
  return (world.cluster.pods ?? []).filter(({goneAt = Infinity}) => goneAt > now).map(({name}) => name)
}

describe('drain', () => {
  it('cordons, evicts what runs, and waits until it is gone', async () => {
    const {changes, context, rig, warnings} = await open(({cluster}) => {
      cluster.pods = [
        pod('web-1', {graceMs: 30_000, volumes: [{emptyDir: {}, name: 'cache'}]}),
        pod('alone', {owner: undefined as never}),
        pod('agent', {owner: {kind: 'DaemonSet', name: 'agent'}}),
        pod('static', {annotations: {'kubernetes.io/config.mirror': 'x'}}),
        pod('job', {phase: 'Succeeded'}),
        pod('elsewhere', {node: 'linux-1'}),
      ]
    })
    const started = rig.machine.clock.now()
    await drainNode(context, 300_000)
    expect(rig.machine.clock.now() - started).toBeGreaterThanOrEqual(30_000)
    expect(podsLeft(rig)).toEqual(['agent', 'static', 'job', 'elsewhere'])
    expect(rig.world.cluster.nodes.find(({name}) => name === 'win-1')?.unschedulable).toBe(true)
    expect(changes).toEqual(['cordon the node win-1', 'evict the pod shop/web-1', 'evict the pod shop/alone'])
    expect(warnings).toEqual([
      expect.stringContaining('shop/alone has no controller'),
      expect.stringMatching(/emptyDir.*: shop\/web-1$/),
    ])
  })

  it.each([
    [{}, ['alone', 'web-1']],
    [{losesPods: true}, []],
  ])('of an upgrade %o leaves pods without a controller that arrived after its checks: %o stay', async (part, left) => {
    const {context, rig} = await open(({cluster}) => {
      cluster.pods = [pod('alone', {owner: undefined as never}), pod('web-1')]
    })
    const {config} = context
    const drained = drainNode({...context, config: {...config, upgrade: {from: config, ...part}}}, 60_000)
    await (left.length === 0
      ? drained
      : expect(drained).rejects.toMatchObject({exitCode: 3, id: 'PODS_WITHOUT_CONTROLLER'}))
    expect(podsLeft(rig)).toEqual(left)
  })

  it.each(['v1.21.5', 'v1.23.17'])('speaks as a server of %s does', async (version) => {
    const {context, rig} = await open(({cluster}) => {
      cluster.version = version
      cluster.pods = [pod('web-1')]
    })
    await drainNode(context, 60_000)
    expect(podsLeft(rig)).toEqual([])
  })

  it('asks again for what a disruption budget refuses, as long as it takes', async () => {
    const {changes, context, progress, rig} = await open(({cluster}) => {
      cluster.pods = ['a', 'b', 'c'].map((name) => pod(name, {graceMs: 10_000, labels: {app: 'web'}}))
      cluster.disruptionBudgets = [{allowed: 1, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]
    })
    await drainNode(context, 300_000)
    expect(podsLeft(rig)).toEqual([])
    expect(changes.filter((change) => change.startsWith('evict'))).toHaveLength(3)
    expect(progress).toContain('waiting for shop/a, shop/b, shop/c to terminate')
    expect(progress).toContain('waiting for shop/c to terminate')
  })

  it('ends with the pods that did not go, and why', async () => {
    const {context, rig} = await open(({cluster}) => {
      cluster.pods = [pod('a', {labels: {app: 'web'}}), pod('b')]
      cluster.disruptionBudgets = [{allowed: 0, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]
    })
    const started = rig.machine.clock.now()
    const failed = expect(drainNode(context, 60_000)).rejects
    await failed.toMatchObject({exitCode: 6, id: 'DRAIN_TIMED_OUT'})
    await failed.toMatchObject({reason: expect.stringContaining('shop/a - The disruption budget web needs') as string})
    await failed.toMatchObject({reason: expect.not.stringContaining('shop/b') as string})
    await failed.toMatchObject({fix: expect.stringContaining('kubectl uncordon win-1') as string})
    expect(rig.machine.clock.now() - started).toBeLessThan(70_000)
  })

  it('review K11: asks no further pod when its time is over', async () => {
    const {context, rig} = await open(({cluster}) => {
      const names = Array.from({length: 600}, (_, index) => `web-${index}`)
      cluster.pods = names.map((name) => pod(name, {graceMs: 60_000}))
    })
    const started = rig.machine.clock.now()
    await expect(drainNode(context, 100)).rejects.toMatchObject({id: 'DRAIN_TIMED_OUT'})
    expect(rig.machine.clock.now() - started).toBeLessThan(2000)
    expect(rig.world.cluster.pods?.some(({deletedAt}) => deletedAt === undefined)).toBe(true)
  })

  it('review K11: names the finalizer that holds a pod', async () => {
    const {context} = await open(({cluster}) => void (cluster.pods = [pod('a', {finalizers: ['shop.example/backup']})]))
    await expect(drainNode(context, 10_000)).rejects.toMatchObject({
      id: 'DRAIN_TIMED_OUT',
      reason: expect.stringContaining('shop/a - held by the finalizer shop.example/backup') as string,
    })
  })

  it('that is not allowed is refused before anything is stopped, with what an administrator types', async () => {
    for (const permissions of [['get nodes'], ['get nodes', 'patch nodes', 'list pods']]) {
      const {context} = await open(({cluster}) => {
        cluster.permissions = permissions
        cluster.pods = [pod('a')]
      })
      const failed = expect(drainNode(context, 60_000)).rejects
      await failed.toMatchObject({exitCode: 3, id: 'DRAIN_FORBIDDEN'})
      await failed.toMatchObject({fix: expect.stringContaining('kubectl drain win-1') as string})
    }
  })

  it('of a server that cannot be reached is reported as that', async () => {
    const {context} = await open(({cluster}) => void (cluster.reachable = false))
    await expect(drainNode(context, 60_000)).rejects.toMatchObject({id: 'API_SERVER_UNREACHABLE'})
  })

  it('leaves a node of that name alone that is another machine', async () => {
    const {changes, context, rig, warnings} = await open(({cluster}) => {
      cluster.nodes.at(-1)!.addresses = [{address: '10.0.0.99', type: 'InternalIP'}]
      cluster.nodes.at(-1)!.machineID = 'OTHER'
      cluster.pods = [pod('a')]
    })
    await drainNode(context, 60_000)
    expect(changes).toEqual([])
    expect(podsLeft(rig)).toEqual(['a'])
    expect(warnings.join()).toContain('the computer OTHER with 10.0.0.99')
  })

  it('has nothing to do where the cluster has no such node', async () => {
    const {context, warnings} = await open(({cluster}) => void cluster.nodes.pop())
    await drainNode(context, 60_000)
    expect(warnings).toEqual(['nothing to drain: the cluster has no node win-1'])
  })
})

describe('the node object', () => {
  const claimed = async (sicken?: (world: World) => void): ReturnType<typeof open> => {
    const told = await open(sicken)
    await told.context.journal.record('node-registered', {kind: 'node', name: 'win-1'})
    return told
  }
  const names = ({cluster}: World): string[] => cluster.nodes.map(({name}) => name)

  it("goes, where the journal says that it is k8s-win's", async () => {
    const {changes, context, rig} = await claimed()
    await removeNode(context)
    expect(names(rig.world)).not.toContain('win-1')
    expect(changes).toEqual(['remove the node win-1 from the cluster'])
    await removeNode(context)
    expect(changes).toHaveLength(1)
  })

  it('stays where it was there before us', async () => {
    const {changes, context, rig, warnings} = await open()
    await removeNode(context)
    expect(names(rig.world)).toContain('win-1')
    expect([...changes, ...warnings]).toEqual([])
  })

  it('is waited for where a run died while the host was cut off', async () => {
    const {changes, context} = await claimed(({os}) => void (os.offlineUntil = os.time + 30_000))
    const snapshot: never[] = []
    await context.journal.record('flanneld-service', {adapter: 'Ethernet0', id: '1', kind: 'network-before', snapshot})
    await removeNode(context)
    expect(changes).toEqual(['remove the node win-1 from the cluster'])
  })

  it.each<[string, (world: World) => void, string]>([
    [
      'may not be removed by a node',
      ({cluster}) => void (cluster.permissions = ['get nodes']),
      'is not allowed to delete it',
    ],
    ['cannot be asked for', ({cluster}) => void (cluster.reachable = false), 'cannot be reached'],
  ])('that %s is reported, with the line for an administrator', async (_, sicken, why) => {
    const {changes, context, rig, warnings} = await claimed(sicken)
    await removeNode(context)
    expect(names(rig.world)).toContain('win-1')
    expect(changes).toEqual([])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(why)
    expect(warnings[0]).toContain('kubectl delete node win-1')
  })

  it('is reported too where the kubeconfig is gone', async () => {
    const {context, rig, warnings} = await claimed()
    await rig.machine.files.remove(String.raw`C:\k\kubeconfig`)
    await removeNode(context)
    expect(warnings[0]).toContain('kubectl delete node win-1')
  })

  it('of another machine stays, whatever the journal says', async () => {
    const {context, rig, warnings} = await claimed()
    await context.journal.record('node-registered', {kind: 'node', name: 'linux-1'})
    await removeNode(context)
    expect(names(rig.world)).toContain('linux-1')
    expect(names(rig.world)).not.toContain('win-1')
    expect(warnings).toEqual([expect.stringContaining('linux-1 is kept in the cluster because it is another machine')])
  })
})
