// The Kubernetes API model: who may ask what, and documents of the real shape.
import {beforeEach, describe, expect, it} from 'vitest'

import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import {ADMIN_CERTIFICATE, CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {ANONYMOUS, identify, type Identity, trustProblem} from '../../../src/simulator/cluster/identity.js'
import {nextPodCIDR} from '../../../src/simulator/daemons/kubelet/kubelet-node.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import {ask, jsonOf, makeStage, type Refusal, START} from '../fresh-model.js'

const ADMIN: Identity = {groups: ['system:masters'], user: 'kubernetes-admin'}
const NODE: Identity = {groups: ['system:nodes'], user: 'system:node:win-1'}

interface KubernetesNode {
  readonly metadata: {readonly labels: Record<string, string>}
  readonly status: {readonly conditions: readonly object[]}
}

interface KubernetesList {
  readonly items: readonly {readonly metadata: {readonly name: string}; readonly spec: Record<string, unknown>}[]
}

let stage: Stage
beforeEach(() => void (stage = makeStage()))

const send = (
  method: string,
  target: string,
  body = '',
  identity: Identity | undefined = NODE,
): Promise<ModelResponse> => answerCluster(stage, ask(method, target, body), identity)

describe('identities', () => {
  it('reads user and groups from a client certificate', () => {
    const {cluster} = stage.world
    expect(identify(cluster, NODE_CERTIFICATE, {}, START)).toEqual({
      groups: ['system:nodes', 'system:authenticated'],
      user: 'system:node:win-1',
    })
    expect(identify(cluster, ADMIN_CERTIFICATE, {}, START)?.groups).toContain('system:masters')
  })

  it('takes who shows nothing for the anonymous user', () => {
    expect(identify(stage.world.cluster, undefined, {}, START)).toBe(ANONYMOUS)
  })

  it('knows no user with another authority’s certificate, after its end, or with an unknown token', () => {
    const {cluster} = stage.world
    expect(identify(cluster, {cert: 'no certificate'}, {}, START)).toBeUndefined()
    expect(identify(cluster, {...NODE_CERTIFICATE}, {}, Date.UTC(2121, 0, 1))).toBeUndefined()
    expect(identify(cluster, undefined, {authorization: 'Bearer unknown'}, START)).toBeUndefined()
  })

  it('knows a bearer token that machine.json names', () => {
    stage.world.cluster.tokens = {'abc.def': 'system:serviceaccount:kube-system:join'}
    const found = identify(stage.world.cluster, undefined, {Authorization: 'Bearer abc.def'}, START)
    expect(found?.user).toBe('system:serviceaccount:kube-system:join')
  })

  it('is trusted only by who has its authority', () => {
    expect(trustProblem({ca: `other\n${CLUSTER_CA}`})).toBeUndefined()
    expect(trustProblem({ca: NODE_CERTIFICATE.cert})).toBe('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
    expect(trustProblem(undefined)).toBe('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
  })
})

describe('refusals', () => {
  it('shows its version to everyone, and nothing else', async () => {
    const version = await send('GET', '/version', '', ANONYMOUS)
    expect(await jsonOf(version)).toMatchObject({gitVersion: 'v1.23.17', major: '1', minor: '23'})
    const nodes = await send('GET', '/api/v1/nodes', '', ANONYMOUS)
    expect(nodes.status).toBe(403)
    expect(await jsonOf(nodes)).toMatchObject({kind: 'Status', reason: 'Forbidden', code: 403})
  })

  it.each(['/version', '/api/v1/nodes'])('reveals nothing to a caller with bad credentials: %s', async (path) => {
    const answer = await answerCluster(stage, ask('GET', path), undefined)
    expect(answer.status).toBe(401)
    expect(await jsonOf(answer)).toMatchObject({kind: 'Status', reason: 'Unauthorized', code: 401})
  })

  it('says who may not do what', async () => {
    stage.world.cluster.permissions = ['get nodes', 'list services']
    expect((await send('GET', '/api/v1/nodes/linux-1')).status).toBe(200)
    const list = await send('GET', '/api/v1/nodes')
    expect(list.status).toBe(403)
    expect(await jsonOf(list)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'nodes is forbidden: User "system:node:win-1" cannot list resource "nodes" in API group "" at the cluster scope',
      reason: 'Forbidden',
      details: {kind: 'nodes'},
      code: 403,
    })
    const map = await jsonOf<Refusal>(await send('GET', '/api/v1/namespaces/kube-system/configmaps/x'))
    expect(map.message).toBe(
      'configmaps "x" is forbidden: User "system:node:win-1" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
    )
    expect((await send('GET', '/api/v1/nodes', '', {groups: ['system:masters'], user: 'admin'})).status).toBe(200)
  })

  it('answers a question about rights', async () => {
    stage.world.cluster.permissions = ['patch nodes/status']
    const review = async (attributes: object): Promise<{status: {allowed: boolean}}> => {
      const body = JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {resourceAttributes: attributes},
      })
      const answer = await send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body)
      expect(answer.status).toBe(201)
      return jsonOf(answer)
    }

    const yes = await review({resource: 'nodes', subresource: 'status', verb: 'patch'})
    expect(yes).toMatchObject({kind: 'SelfSubjectAccessReview', status: {allowed: true}})
    expect((await review({resource: 'nodes', verb: 'delete'})).status).toEqual({allowed: false})
  })

  it('review K12: "*/status" is the status of every resource, and a list of one name needs the right to that name', async () => {
    const {cluster} = stage.world
    const SOMEBODY: Identity = {groups: ['system:authenticated'], user: 'somebody'}
    cluster.permissions = ['RBAC']
    cluster.clusterRoles = {
      named: [{resourceNames: ['linux-1'], resources: ['nodes'], verbs: ['list']}],
      statuses: [{resources: ['*/status'], verbs: ['get']}],
    }
    cluster.roleBindings = ['named', 'statuses'].map((role) => ({name: role, role, user: 'somebody'}))
    const statusOf = async (path: string): Promise<number> => (await send('GET', path, '', SOMEBODY)).status
    expect(await statusOf('/api/v1/nodes/linux-1/status')).toBe(200)
    expect(await statusOf('/api/v1/nodes/linux-1')).toBe(403)
    expect(await statusOf('/api/v1/nodes/linux-1/proxy')).toBe(403)
    expect(await statusOf('/api/v1/nodes?fieldSelector=metadata.name%3Dlinux-1')).toBe(200)
    expect(await statusOf('/api/v1/nodes?fieldSelector=metadata.name%3D%3Dlinux-1')).toBe(200)
    expect(await statusOf('/api/v1/nodes?fieldSelector=metadata.name%3Dother')).toBe(403)
    expect(await statusOf('/api/v1/nodes?fieldSelector=metadata.name%21%3Dlinux-1')).toBe(403)
    expect(await statusOf('/api/v1/nodes')).toBe(403)
  })

  it('allows one user what others may not', async () => {
    stage.world.cluster.permissions = []
    stage.world.cluster.permissionsOf = {[NODE.user]: ['get nodes']}
    expect((await send('GET', '/api/v1/nodes/linux-1')).status).toBe(200)
    const other = {groups: [], user: 'system:serviceaccount:kube-system:other'}
    expect((await send('GET', '/api/v1/nodes/linux-1', '', other)).status).toBe(403)
  })

  it('answers no anonymous question about rights, nor one that is none', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const refused = await jsonOf<Refusal>(await send('POST', path, '{}', ANONYMOUS))
    expect(refused.message).toContain('User "system:anonymous" cannot create resource "selfsubjectaccessreviews"')
    expect((await send('POST', path, '{')).status).toBe(400)
  })

  it('has a Status document for what is not there', async () => {
    const node = await send('GET', '/api/v1/nodes/win-1')
    expect(node.status).toBe(404)
    expect(await jsonOf(node)).toMatchObject({
      message: 'nodes "win-1" not found',
      reason: 'NotFound',
      details: {name: 'win-1', kind: 'nodes'},
      code: 404,
    })
    expect((await send('GET', '/api/v1/unicorns', '', ADMIN)).status).toBe(404)
    expect((await send('GET', '/api/v1/unicorns')).status).toBe(403)
    expect((await send('GET', '/nowhere')).status).toBe(403)
    expect(await jsonOf(await send('GET', '/nowhere', '', ADMIN))).toHaveProperty('paths')
  })
})

describe('objects', () => {
  it('gives a node its pod CIDR, addresses, conditions and versions', async () => {
    const node = await jsonOf<KubernetesNode>(await send('GET', '/api/v1/nodes/linux-1'))
    expect(node).toMatchObject({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: {name: 'linux-1', labels: {'kubernetes.io/os': 'linux'}},
      spec: {podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24']},
      status: {nodeInfo: {kubeletVersion: 'v1.23.17', operatingSystem: 'linux'}},
    })
    expect(node.status.conditions.at(-1)).toMatchObject({
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
    })
  })

  it('calls a node that is not ready by its reason', async () => {
    Object.assign(stage.world.cluster.nodes[1] ?? {}, {
      ready: false,
      readyMessage: 'cni config uninitialized',
      readyReason: 'KubeletNotReady',
    })
    const node = await jsonOf<KubernetesNode>(await send('GET', '/api/v1/nodes/linux-1'))
    expect(node.status.conditions.at(-1)).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'cni config uninitialized',
    })
  })

  it('selects by label', async () => {
    const all = await jsonOf<KubernetesList>(await send('GET', '/api/v1/namespaces/kube-system/services'))
    expect(all).toMatchObject({kind: 'ServiceList', apiVersion: 'v1'})
    expect(all.items).toHaveLength(1)
    const dns = await jsonOf<KubernetesList>(await send('GET', '/api/v1/services?labelSelector=k8s-app%3Dkube-dns'))
    expect(dns.items.map(({metadata, spec}) => [metadata.name, spec['clusterIP']])).toEqual([
      ['kube-dns', '10.10.0.10'],
    ])
    const none = await jsonOf<KubernetesList>(await send('GET', '/api/v1/services?labelSelector=k8s-app%3Dother'))
    expect(none.items).toEqual([])
    const windows = await jsonOf<KubernetesList>(
      await send('GET', '/api/v1/nodes?labelSelector=kubernetes.io/os=windows'),
    )
    expect(windows.items).toEqual([])
  })

  it('has flannel’s configuration and its DaemonSet', async () => {
    const map = await jsonOf<{data: Record<string, string>}>(
      await send('GET', '/api/v1/namespaces/kube-flannel/configmaps/kube-flannel-cfg'),
    )
    expect(JSON.parse(map.data['net-conf.json'] ?? '')).toEqual({
      Network: '10.244.0.0/16',
      Backend: {Type: 'vxlan', VNI: 4096, Port: 4789},
    })
    const sets = await jsonOf<KubernetesList>(await send('GET', '/apis/apps/v1/daemonsets', '', ADMIN))
    expect(sets.items[0]).toMatchObject({spec: {template: {spec: {nodeSelector: {'kubernetes.io/os': 'linux'}}}}})
  })

  it('has the configuration of kubeadm, which every node may read', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/kubeadm-config'
    const map = await jsonOf<{data: Record<string, string>}>(await send('GET', path))
    expect(map.data['ClusterConfiguration']).toContain('  serviceSubnet: 10.10.0.0/16\n')
    expect((await send('PATCH', path, '{}')).status).toBe(403)
    // kubeadm lets only tokens read it; node-access adds nodes.
    const ofProxy = '/api/v1/namespaces/kube-system/configmaps/kube-proxy'
    expect((await send('GET', ofProxy)).status).toBe(200)
    const {cluster} = stage.world
    cluster.roleBindings = cluster.roleBindings?.filter(({name}) => !name.startsWith('k8s-win')) ?? []
    expect((await send('GET', ofProxy)).status).toBe(403)
  })

  it.each([
    ['v1.23.17', undefined],
    ['v1.30.14', undefined],
    ['v1.31.14', 'v1beta1'],
    ['v1.33.0', 'v1'],
    ['v1.36.4', 'v1'],
  ])('of %s has ServiceCIDRs in %s, which kube-proxy may list', async (version, served) => {
    stage.world.cluster.version = version
    for (const group of ['v1', 'v1beta1']) {
      const path = `/apis/networking.k8s.io/${group}/servicecidrs`
      const [asAdmin, asNode] = [await send('GET', path, '', ADMIN), await send('GET', path)]
      if (group !== served) {
        // What is not served is not found by an administrator; RBAC comes before that.
        expect([asAdmin.status, asNode.status]).toEqual([404, served === undefined ? 403 : 404])
        continue
      }
      const list = await jsonOf<KubernetesList & {apiVersion: string; kind: string}>(asNode)
      expect(list).toMatchObject({apiVersion: `networking.k8s.io/${group}`, kind: 'ServiceCIDRList'})
      expect(list.items.map(({metadata, spec}) => [metadata.name, spec['cidrs']])).toEqual([
        ['kubernetes', ['10.10.0.0/16']],
      ])
      // The right is to list and watch, not to get.
      expect((await send('GET', `${path}/kubernetes`)).status).toBe(403)
    }
  })

  it.each([
    ['v1.31.14', 200],
    ['v1.32.0', 403],
    ['v1.36.4', 403],
  ])('of %s answers a node that reads the nodes and pods of others with %i', async (version, status) => {
    const {cluster} = stage.world
    cluster.version = version
    cluster.roleBindings = []
    cluster.pods = [
      {name: 'own', namespace: 'default', node: 'win-1'},
      {name: 'other', namespace: 'default', node: 'linux-1'},
    ]
    const statusOf = async (path: string): Promise<number> => (await send('GET', path)).status
    expect(await statusOf('/api/v1/nodes')).toBe(status)
    expect(await statusOf('/api/v1/nodes/linux-1')).toBe(status)
    expect(await statusOf('/api/v1/nodes/win-1')).toBe(404)
    expect(await statusOf('/api/v1/nodes?fieldSelector=metadata.name%3Dwin-1')).toBe(200)
    expect(await statusOf('/api/v1/pods')).toBe(status)
    expect(await statusOf('/api/v1/namespaces/default/pods/other')).toBe(status)
    expect(await statusOf('/api/v1/namespaces/default/pods/own')).toBe(200)
    expect(await statusOf('/api/v1/pods?fieldSelector=spec.nodeName%3Dlinux-1')).toBe(status)
    expect(await statusOf('/api/v1/pods?fieldSelector=spec.nodeName%3Dwin-1')).toBe(200)
  })

  it.each([
    ['v1.34.4', false],
    ['v1.35.0', true],
  ])('review J14: of %s lets a node write events of events.k8s.io: %s', async (version, allowed) => {
    Object.assign(stage.world.cluster, {permissions: ['Node', 'RBAC'], roleBindings: [], version})
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    for (const group of ['', 'events.k8s.io']) {
      const spec = {resourceAttributes: {group, resource: 'events', verb: 'create'}}
      const answer = await send('POST', path, JSON.stringify({kind: 'SelfSubjectAccessReview', spec}))
      expect(await jsonOf(answer)).toMatchObject({status: {allowed: group === '' || allowed}})
    }
  })

  it('has DaemonSets of others, and flannel’s as machine.json has it', async () => {
    const set = {name: 'agent', namespace: 'monitoring', tolerations: [{operator: 'Exists'}]}
    stage.world.cluster.daemonSets = [set, {name: 'kube-flannel-ds', namespace: 'kube-flannel'}]
    const {items} = await jsonOf<KubernetesList>(await send('GET', '/apis/apps/v1/daemonsets', '', ADMIN))
    expect(items.map(({metadata}) => metadata.name)).toEqual(['agent', 'kube-flannel-ds'])
    expect(items[0]).toMatchObject({spec: {template: {spec: {tolerations: [{operator: 'Exists'}]}}}})
    expect(JSON.stringify(items)).not.toContain('nodeSelector')
  })

  it('gives a page of a list, and says how much is left', async () => {
    const page = await jsonOf<KubernetesList>(await send('GET', '/api/v1/nodes?limit=2'))
    expect(page).toMatchObject({metadata: {remainingItemCount: 1}})
    expect(page.items).toHaveLength(2)
    const whole = await jsonOf<KubernetesList>(await send('GET', '/api/v1/nodes?limit=100'))
    expect(whole).toMatchObject({metadata: {resourceVersion: '1000'}})
    expect(JSON.stringify(whole)).not.toContain('remainingItemCount')
  })

  it('changes and deletes nodes', async () => {
    const change = JSON.stringify({metadata: {labels: {a: 'b', 'beta.kubernetes.io/os': null}}, spec: {taints: []}})
    const patch = (body: string, type: string): Promise<ModelResponse> => {
      const request = {...ask('PATCH', '/api/v1/nodes/linux-1', body), headers: {'content-type': type}}
      return answerCluster(stage, request, ADMIN)
    }

    const node = await jsonOf<KubernetesNode>(await patch(change, 'application/merge-patch+json'))
    expect(node.metadata.labels['a']).toBe('b')
    expect(node.metadata.labels).not.toHaveProperty('beta.kubernetes.io/os')
    expect((await patch('{', 'application/merge-patch+json')).status).toBe(400)
    expect((await patch(change, 'application/json')).status).toBe(415)
    expect(await jsonOf(await send('DELETE', '/api/v1/nodes/linux-1', '', ADMIN))).toMatchObject({status: 'Success'})
    expect(stage.world.cluster.nodes.map(({name}) => name)).toEqual(['control-plane-1', 'linux-2'])
    expect((await send('DELETE', '/api/v1/services/kubernetes', '', ADMIN)).status).toBe(405)
  })
})

describe('pod CIDRs', () => {
  it('gives the next free one of the cluster', () => {
    expect(nextPodCIDR(stage.world)).toBe('10.244.3.0/24')
    stage.world.cluster.nodes.splice(1, 1)
    expect(nextPodCIDR(stage.world)).toBe('10.244.1.0/24')
  })

  it('gives none where nothing allocates them or none is left', () => {
    stage.world.cluster.clusterCIDR = '10.244.0.0/24'
    expect(nextPodCIDR(stage.world)).toBeUndefined()
    stage.world.cluster.clusterCIDR = '10.244.0.0/16'
    stage.world.cluster.allocateNodeCIDRs = false
    expect(nextPodCIDR(stage.world)).toBeUndefined()
  })
})
