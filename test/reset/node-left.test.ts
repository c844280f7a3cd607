// A node object that reset may not remove: said before, said after, and not forgotten.
import {describe, expect, test} from 'vitest'
import {smokePod} from '../../src/components/smoke-pod.js'
import {HttpError} from '../../src/machine/http.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {Question} from '../../src/runs/reset/reset-run.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost()
const NODE = 'remove the node win-1 from the cluster'
const LEFT = 'the node win-1 stays in the cluster (this identity is not allowed to delete it)'
const hasNode = ({world}: HostFolder): boolean => world.cluster.nodes.some(({name}) => name === 'win-1')
const nodeLines = (host: HostFolder): number =>
  host.read(String.raw`k\k8s-win\journal.ndjson`).split('"kind":"node"').length - 1

describe('review K12: a node identity', () => {
  const asNode = (): HostFolder => {
    const host = copy()
    host.edit(({cluster}) => (cluster.permissions = ['Node', 'RBAC']))
    return host
  }

  test('does not remove its node, says who can, and asks for nothing that is forbidden', async () => {
    const host = asNode()
    const asked: string[] = []
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => (asked.push(`${effect.what} ${effect.args[0]}`), perform()))
    for (const _ of [1, 2]) {
      const {result, warnings} = await resetOn(host.dir, {wrap})
      expect(result).toMatchObject({exitCode: 0, recap: {failed: 0}})
      expect(warnings.join()).toContain(LEFT)
      expect(warnings.join()).toContain('kubectl delete node win-1')
    }

    expect(hasNode(host)).toBe(true)
    expect(asked.filter((one) => /^DELETE .*\/nodes\//.test(one))).toEqual([])
  })

  test('review U2-16: a node that stays has no tick', async () => {
    const {result} = await resetOn(asNode().dir)
    expect(result.steps.find(({id}) => id === 'node-registered')).toMatchObject({changes: [], state: 'not-run'})
  })

  test('leaves nothing on the host with --purge, though its node stays', async () => {
    const host = asNode()
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect(result.exitCode).toBe(0)
    expect(warnings.join()).toContain(LEFT)
    expect(hasNode(host)).toBe(true)
    const left = differences(before(), wholeHost(host))
    expect(left.filter((one) => !/^world > cluster > (?:nodes > 3|permissions)/.test(one))).toEqual([])
    expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  const conditionsOf = ({world}: HostFolder): (string | undefined)[] | undefined =>
    world.cluster.nodes.find(({name}) => name === 'win-1')?.conditions?.map(({type}) => type)
  const published = (): HostFolder => {
    const host = asNode()
    host.edit(({cluster}) => {
      const node = cluster.nodes.find(({name}) => name === 'win-1')
      if (node) node.conditions = ['NetworkUnavailable', 'K8sWinUnhealthy'].map((type) => ({status: 'False', type}))
    })
    return host
  }

  test('removes the condition of k8s-win from its node, and no other', async () => {
    const host = published()
    const plan = await resetOn(host.dir, {given: {'dry-run': true}})
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect(warnings.join()).toContain(LEFT)
    expect(conditionsOf(host)).toEqual(['NetworkUnavailable'])
    const changes = result.steps.find(({id}) => id === 'node-registered')?.changes
    expect(changes).toHaveLength(1)
    expect(plan.result.steps.find(({id}) => id === 'node-registered')?.changes).toEqual(changes)
  })

  test('removes it from a node that it is asked to keep', async () => {
    const host = published()
    const {result, warnings} = await resetOn(host.dir, {given: {'keep-node': true}})
    expect(result.steps.find(({id}) => id === 'node-registered')).toMatchObject({state: 'skipped'})
    expect(hasNode(host)).toBe(true)
    expect([conditionsOf(host), warnings.join()]).toEqual([['NetworkUnavailable'], expect.not.stringContaining(LEFT)])
  })

  test('removes it also where an earlier reset could not', async () => {
    const host = published()
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => {
        const url = String(effect.args[0])
        if (effect.what === 'PATCH') throw new HttpError(url, 'ECONNREFUSED', 'refused')
        return perform()
      })
    expect((await resetOn(host.dir, {wrap})).result).toMatchObject({exitCode: 0, recap: {failed: 0}})
    expect(conditionsOf(host)).toHaveLength(2)
    expect((await resetOn(host.dir)).result.exitCode).toBe(0)
    expect(conditionsOf(host)).toEqual(['NetworkUnavailable'])
  })

  const smokePodOn = (host: HostFolder): void =>
    host.edit(({cluster}) => {
      const {metadata} = smokePod('win-1', 'nanoserver', [])
      const other = {name: 'web', namespace: 'shop', node: 'win-1'}
      cluster.pods = [{...metadata, node: 'win-1'}, {...metadata, name: 'of-another', node: 'win-2'}, other]
    })

  test('review R2-7: deletes the pod that a killed verify has left on it, and no other', async () => {
    const host = asNode()
    smokePodOn(host)
    const {result} = await resetOn(host.dir, {given: {purge: true}})
    expect(result.exitCode).toBe(0)
    expect(host.world.cluster.pods?.map(({name}) => name)).toEqual(['of-another', 'web'])
  })

  test('review R2-7: names that pod where it may not delete it', async () => {
    const host = asNode()
    smokePodOn(host)
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, (effect, perform) => {
        const url = String(effect.args[0])
        if (effect.what === 'DELETE' && url.includes('/pods/')) throw new HttpError(url, 'ECONNREFUSED', 'refused')
        return perform()
      })
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}, wrap})
    expect(result.exitCode).toBe(0)
    expect(warnings.join()).toContain('kubectl delete pod -n default k8s-win-verify-win-1')
  })

  test('drains its own node: NodeRestriction lets it cordon itself and evict its pods', async () => {
    const host = asNode()
    host.edit(({cluster}) => {
      cluster.pods = [{name: 'a', namespace: 'shop', node: 'win-1', owner: {kind: 'ReplicaSet', name: 'web'}}]
    })
    const {result} = await resetOn(host.dir, {given: {drain: true}})
    expect(result.exitCode).toBe(0)
    expect(result.steps[0]).toMatchObject({id: 'drain', state: 'changed'})
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')).toMatchObject({unschedulable: true})
  })
})

function restricted(): HostFolder {
  const host = copy()
  host.edit(({cluster}) => (cluster.permissions = ['get nodes', 'patch nodes']))
  return host
}

const allow = (host: HostFolder): void => host.edit(({cluster}) => (cluster.permissions = ['*']))

describe('a node that this identity may not remove', () => {
  test('is not promised to go, in the plan or in the question; why is reported', async () => {
    const host = restricted()
    const {result, warnings} = await resetOn(host.dir, {given: {'dry-run': true}})
    expect(result.steps.find(({id}) => id === 'node-registered')).toMatchObject({changes: [], state: 'not-run'})
    expect(warnings.join()).toContain(LEFT)
    const asked: Question[] = []
    const ask = (question: Question): Promise<boolean> => Promise.resolve(asked.push(question) === 0)
    expect((await resetOn(host.dir, {ask})).warnings.join()).toContain(LEFT)
    expect(asked[0]?.lines).not.toContain(NODE)
    expect(asked[0]?.lines.join()).toMatch(/the services .*\bkubelet\b/)
  })

  test('is reported by every reset until one may remove it, and that one does', async () => {
    const host = restricted()
    for (const _ of [1, 2]) {
      const {result, warnings} = await resetOn(host.dir)
      expect(result.exitCode).toBe(0)
      expect(warnings.join()).toContain(LEFT)
      expect({claims: nodeLines(host), isThere: hasNode(host)}).toEqual({claims: 1, isThere: true})
    }

    allow(host)
    expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 1}})
    expect({claims: nodeLines(host), isThere: hasNode(host)}).toEqual({claims: 0, isThere: false})
  })

  test('is given up with --keep-node', async () => {
    const host = restricted()
    await resetOn(host.dir)
    await resetOn(host.dir, {given: {'keep-node': true}})
    allow(host)
    expect((await resetOn(host.dir)).warnings).toEqual([])
    expect(hasNode(host)).toBe(true)
  })

  test("stays where the host's kubelet is no longer k8s-win's", async () => {
    const host = copy()
    host.edit(({cluster}) => (cluster.reachable = false))
    const {kubelet} = host.world.services
    // Of the kubelet itself nothing is noted any more.
    await resetOn(host.dir, {given: {'keep-images': true, purge: true}})
    expect(nodeLines(host)).toBe(1)
    host.edit(({cluster}) => (cluster.reachable = true))
    const config = {...kubelet!.config, description: 'theirs', imagePath: String.raw`C:\theirs\kubelet.exe`}
    host.edit(({services}) => (services['kubelet'] = {...kubelet!, config}))
    const {result, warnings} = await resetOn(host.dir)
    expect(result.exitCode).toBe(0)
    expect(warnings.join()).toContain(
      'the node win-1 is kept in the cluster because the service kubelet of this host was not created by k8s-win',
    )
    expect(nodeLines(host)).toBe(0)
    expect(hasNode(host)).toBe(true)
  })
})

test('of a cluster that cannot be asked nothing is promised, too', async () => {
  const host = copy()
  host.edit(({cluster}) => (cluster.reachable = false))
  const {result, warnings} = await resetOn(host.dir, {given: {'dry-run': true}})
  expect(result.steps.flatMap(({changes}) => changes)).not.toContain(NODE)
  expect(warnings.join()).toContain('An administrator removes it: kubectl delete node win-1')
})
