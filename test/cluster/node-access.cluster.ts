// manifest node-access with the real Node and RBAC authorizers: what a node may before and after it is applied, for
// exactly what the daemons need.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {stringify} from 'yaml'
import {nodeAccessObjects} from '../../src/components/node-access.js'
import {missingOf, NEEDS, type Permission, permissionsText} from '../../src/components/permissions.js'
import {CHECK_RIGHTS, type Holder, rightText} from '../../check-rights.js'
import type {Access, Cluster} from '../../src/host/cluster/cluster.js'
import {clusterAs} from './as-cluster.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane, waitUntil} from './control-plane.js'
import {nodeIdentity} from './node-identity.js'
import {WINDOWS_NODE} from './objects.js'

/** All that any release of the daemons needs. */
const NEWEST = 99
const FLANNEL = {group: '', name: 'kube-flannel-cfg', namespace: 'kube-flannel', resource: 'configmaps', verb: 'get'}

let plane: ControlPlane
let node: Cluster
let joining: Cluster

const deniedTo = async (
  may: Cluster['may'],
  permissions: readonly Permission[],
  minor = plane.minor,
): Promise<string> => permissionsText(await missingOf(permissions, {minor, node: 'win-1'}, may))

/**
 * Someone of the group system:nodes who is no node: the Node authorizer has no opinion, and RBAC alone decides. So it is of
 * a real node too, from 1.32 on, for everything that is not its own (AuthorizeNodeWithSelectors).
 */
async function mayByGroup({fieldSelector: _, ...resourceAttributes}: Access): Promise<boolean> {
  const {status} = (await plane.do({
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {groups: ['system:nodes', 'system:authenticated'], resourceAttributes, user: 'someone'},
    },
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  })) as {status: {allowed: boolean}}
  return status.allowed
}

/** From 1.32 on the Node authorizer lets a node list no Node but its own (AuthorizeNodeWithSelectors). */
const hasSelectors = (): boolean => plane.minor >= 32

/** What the table of checks by right says of a node on this release, and what it may: only where they differ. */
async function tableDiffers(holders: readonly Holder[]): Promise<string[]> {
  // Pods are refused by NodeRestriction, not by the authorizers.
  const rights = CHECK_RIGHTS.flatMap(({asks}) => asks).filter(({resource}) => resource !== 'pods')
  const lines = rights.map(async ({holder, name, ...access}) => {
    const own = name === 'this node' ? 'win-1' : name
    const isAllowed = await node.may({...access, ...(own !== undefined && {name: own})})
    const text = rightText({holder, ...access, ...(name !== undefined && {name})})
    return isAllowed === holders.includes(holder) ? [] : [`${text}: ${isAllowed ? 'allowed' : 'denied'}`]
  })
  return [...new Set((await Promise.all(lines)).flat())]
}

const all = (who: keyof typeof NEEDS): readonly Permission[] => [
  ...NEEDS[who].required,
  ...NEEDS[who].renewal,
  ...NEEDS[who].optional,
]

beforeAll(async () => {
  plane = await startControlPlane()
  await plane.do({body: WINDOWS_NODE, method: 'POST', path: '/api/v1/nodes'})
  await plane.do({
    body: {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'kube-flannel'}},
    method: 'POST',
    path: '/api/v1/namespaces',
  })
  node = await clusterAs(plane, await nodeIdentity(plane, 'win-1', {token: FIRST_TOKEN}))
  joining = await clusterAs(plane, {token: FIRST_TOKEN})
})
afterAll(() => plane?.close())

describe('before it is applied', () => {
  test('the kubelet has all that it needs', async () => {
    expect(await deniedTo(node.may, all('kubelet'))).toBe('')
  })

  test('kube-proxy misses the EndpointSlices', async () => {
    // From 1.35 on a node may write events of both groups (bootstrappolicy/policy.go, NodeRules).
    const events = plane.minor < 35 ? '; create events.events.k8s.io' : ''
    expect(await deniedTo(node.may, all('kube-proxy'))).toBe(`list, watch endpointslices.discovery.k8s.io${events}`)
  })

  test('flanneld misses the other nodes, where the Node authorizer has selectors', async () => {
    expect(await deniedTo(node.may, all('flanneld'))).toBe(hasSelectors() ? 'list, watch nodes' : '')
  })

  test('the group alone gives nothing of it', async () => {
    expect(await deniedTo(mayByGroup, NEEDS['kube-proxy'].required, NEWEST)).toBe(
      permissionsText(NEEDS['kube-proxy'].required),
    )
    expect(await deniedTo(mayByGroup, NEEDS.flanneld.required, NEWEST)).toBe(permissionsText(NEEDS.flanneld.required))
  })

  test('the table of checks by right is true', async () => {
    const older: Holder[] = hasSelectors() ? [] : ['node before 1.32']
    expect(await tableDiffers(['everyone', 'node', ...older])).toEqual([])
  })

  test("neither the node nor the token may read flannel's ConfigMap", async () => {
    expect([await node.may(FLANNEL), await joining.may(FLANNEL)]).toEqual([false, false])
  })
})

describe('after it is applied', () => {
  beforeAll(async () => {
    const manifest = nodeAccessObjects()
      .map((object) => stringify(object))
      .join('---\n')
    const out = await plane.kubectl(['apply', '-f', '-'], {input: manifest})
    expect(out.trim().split('\n')).toHaveLength(nodeAccessObjects().length)
    await waitUntil('the authorizer', async () => (await joining.may(FLANNEL)) || undefined)
  })

  test.each(['kubelet', 'kube-proxy', 'flanneld'] as const)('%s has all that it needs', async (who) => {
    expect(await deniedTo(node.may, all(who))).toBe('')
  })

  test.each(['kube-proxy', 'flanneld'] as const)('%s has it by the group alone', async (who) => {
    expect(await deniedTo(mayByGroup, NEEDS[who].required, NEWEST)).toBe('')
  })

  test("the node and the token read flannel's ConfigMap, and no other of its namespace", async () => {
    expect([await node.may(FLANNEL), await joining.may(FLANNEL)]).toEqual([true, true])
    const other = {...FLANNEL, name: 'other'}
    expect([await node.may(other), await joining.may(other)]).toEqual([false, false])
  })

  test('the table of checks by right is true', async () => {
    expect(await tableDiffers(['everyone', 'node', 'node before 1.32', 'node-access'])).toEqual([])
  })

  test('it gives nothing else', async () => {
    const others: readonly Access[] = [
      {group: '', name: 'win-1', resource: 'nodes', verb: 'delete'},
      {group: '', namespace: 'kube-system', resource: 'secrets', verb: 'list'},
      {group: 'apps', resource: 'daemonsets', verb: 'list'},
      {group: '', namespace: 'kube-flannel', resource: 'configmaps', verb: 'list'},
      {group: '', namespace: 'kube-flannel', resource: 'configmaps', verb: 'update'},
    ]
    for (const access of others) expect([access, await node.may(access)]).toEqual([access, false])
  })

  test('NodeRestriction keeps the status of other nodes from it', async () => {
    const identity = await nodeIdentity(plane, 'win-1', {token: FIRST_TOKEN})
    const patch = async (name: string) => {
      const {body, status} = await plane.ask({
        as: identity,
        body: {metadata: {annotations: {'flannel.alpha.coreos.com/backend-type': 'vxlan'}}},
        method: 'PATCH',
        path: `/api/v1/nodes/${name}/status`,
        type: 'application/merge-patch+json',
      })
      return {said: body.toString('utf8'), status}
    }
    expect(await patch('win-1')).toMatchObject({status: 200})
    expect(await patch('control-plane')).toMatchObject({
      said: expect.stringContaining('node \\"win-1\\" is not allowed to modify node \\"control-plane\\"') as string,
      status: 403,
    })
  })

  test('applied again it changes nothing', async () => {
    const manifest = nodeAccessObjects()
      .map((object) => stringify(object))
      .join('---\n')
    const out = await plane.kubectl(['apply', '-f', '-'], {input: manifest})
    expect(
      out
        .trim()
        .split('\n')
        .every((line) => line.endsWith(' unchanged')),
    ).toBe(true)
  })
})
