// manifest node-access with the real Node and RBAC authorizers: what a node may before and after it is applied, for
// exactly what the daemons need.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {stringify} from 'yaml'
import {nodeAccessObjects} from '../../src/components/node-access.js'
import {NEEDS, type Permission} from '../../src/components/permissions.js'
import type {Access, Cluster} from '../../src/host/cluster/cluster.js'
import {clusterAs} from './as-cluster.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane, waitUntil} from './control-plane.js'
import {nodeIdentity} from './node-identity.js'
import {WINDOWS_NODE} from './objects.js'

const MINOR = 20
const FLANNEL = {group: '', name: 'kube-flannel-cfg', namespace: 'kube-flannel', resource: 'configmaps', verb: 'get'}

let plane: ControlPlane
let node: Cluster
let joining: Cluster

const accessOf = ({group, namespace, onNode, own, resource, subresource, verb}: Permission): Access => ({
  ...(onNode && {
    fieldSelector: {requirements: [{key: 'spec.nodeName', operator: 'In', values: ['win-1'] as const}]},
  }),
  group,
  ...(own && {name: 'win-1'}),
  ...(namespace !== undefined && {namespace}),
  resource,
  ...(subresource !== undefined && {subresource}),
  verb,
})

const textOf = ({group, resource, subresource, verb}: Permission): string =>
  `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${group && `.${group}`}`

async function deniedTo(cluster: Cluster, permissions: readonly Permission[]): Promise<string[]> {
  const relevant = permissions.filter(({since = 0}) => since <= MINOR)
  const answers = await Promise.all(relevant.map(async (one) => ({isAllowed: await cluster.may(accessOf(one)), one})))
  return answers.filter(({isAllowed}) => !isAllowed).map(({one}) => textOf(one))
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
    expect(await deniedTo(node, all('kubelet'))).toEqual([])
  })

  test('kube-proxy misses the EndpointSlices', async () => {
    expect(await deniedTo(node, all('kube-proxy'))).toEqual([
      'list endpointslices.discovery.k8s.io',
      'watch endpointslices.discovery.k8s.io',
      'create events.events.k8s.io',
    ])
  })

  test('flanneld misses nothing on this release: its Node authorizer has no selectors', async () => {
    expect(await deniedTo(node, all('flanneld'))).toEqual([])
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
    expect(await deniedTo(node, all(who))).toEqual([])
  })

  test("the node and the token read flannel's ConfigMap, and no other of its namespace", async () => {
    expect([await node.may(FLANNEL), await joining.may(FLANNEL)]).toEqual([true, true])
    const other = {...FLANNEL, name: 'other'}
    expect([await node.may(other), await joining.may(other)]).toEqual([false, false])
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
