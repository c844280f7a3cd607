// flannel's manifest: valid by Kubernetes' schemas, and such that our own checks of the cluster pass on it.
import {stringify} from 'yaml'
import {describe, expect, it} from 'vitest'
import {flannelObjects, type ClusterObject} from '../../src/components/flannel-manifest.js'
import {parseVersion, type Version} from '../../src/config/version.js'
import {checkOne} from '../preflight/cluster-bench.js'
import {allowEverything} from '../fakes/administrator.js'
import {problemsOf} from './kubernetes-schema.js'

const version = (text: string): Version => parseVersion(text) as Version
const OPTIONS = {clusterCIDR: '10.244.0.0/16', cniPlugin: version('1.9.1-flannel3'), flannel: version('0.28.9')}
const objects = flannelObjects(OPTIONS)

function find(kind: string): ClusterObject & {data: Record<string, string>} {
  return objects.find((object) => object.kind === kind) as ClusterObject & {data: Record<string, string>}
}

interface Container {
  readonly image: string
  readonly name: string
  readonly securityContext?: {readonly capabilities: {readonly add: readonly string[]}; readonly privileged: boolean}
  readonly volumeMounts: readonly {readonly name: string}[]
}

interface PodSpec {
  readonly containers: readonly Container[]
  readonly hostNetwork: boolean
  readonly initContainers: readonly Container[]
  readonly nodeSelector: Record<string, string>
  readonly priorityClassName: string
  readonly serviceAccountName: string
  readonly tolerations: Record<string, unknown>[]
  readonly volumes: readonly {readonly configMap?: {readonly name: string}; readonly name: string}[]
}

const {selector, template} = find('DaemonSet')['spec'] as {
  selector: {matchLabels: Record<string, string>}
  template: {metadata: {labels: Record<string, string>}; spec: PodSpec}
}
const pod = template.spec

describe('the manifest', () => {
  it('is made of what is needed, in an order that can be applied', () => {
    expect(objects.map(({kind}) => kind)).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'ConfigMap',
      'DaemonSet',
    ])
  })

  it.each(objects.map((object) => [object.kind, object] as const))(
    '%s is valid by the schemas of Kubernetes',
    (_, object) => {
      expect(problemsOf(object)).toEqual([])
    },
  )

  it.each<[string, (spec: Record<string, unknown>) => void, RegExp]>([
    ['a field that there is not', (spec) => (spec['nodeSelektor'] = {}), /nodeSelektor is no field/],
    ['a field in the wrong place', (spec) => (spec['privileged'] = false), /privileged is no field/],
    ['a number for a text', (spec) => (spec['priorityClassName'] = 1), /priorityClassName/],
    ['a text for a list', (spec) => (spec['tolerations'] = 'all'), /tolerations/],
    ['no containers', (spec) => delete spec['containers'], /containers/],
  ])('with %s would not be', (_, change, problem) => {
    const broken = structuredClone(find('DaemonSet'))
    change((broken['spec'] as {template: {spec: Record<string, unknown>}}).template.spec)
    expect(problemsOf(broken).join('\n')).toMatch(problem)
  })

  it('sets flannel up as Windows needs it', () => {
    expect(JSON.parse(find('ConfigMap').data['net-conf.json'] ?? '')).toEqual({
      Backend: {Port: 4789, Type: 'vxlan', VNI: 4096},
      Network: '10.244.0.0/16',
    })
    expect(JSON.parse(find('ConfigMap').data['cni-conf.json'] ?? '')).toMatchObject({
      plugins: [{type: 'flannel'}, {type: 'portmap'}],
    })
  })

  it('keeps to Linux nodes, on their network, without being privileged', () => {
    expect(pod).toMatchObject({
      hostNetwork: true,
      nodeSelector: {'kubernetes.io/os': 'linux'},
      priorityClassName: 'system-node-critical',
    })
    expect(pod.containers.map(({securityContext}) => securityContext)).toEqual([
      {capabilities: {add: ['NET_ADMIN', 'NET_RAW']}, privileged: false},
    ])
  })

  it('has no rights beyond what flanneld asks for', () => {
    expect(find('ClusterRole')['rules']).toEqual([
      {apiGroups: [''], resources: ['pods'], verbs: ['get']},
      {apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch']},
      {apiGroups: [''], resources: ['nodes/status'], verbs: ['patch']},
    ])
  })

  it('holds together: names that are named are there', () => {
    const {name} = find('ServiceAccount').metadata
    const namespace = find('Namespace').metadata.name
    expect(pod.serviceAccountName).toBe(name)
    expect(find('ClusterRoleBinding')).toMatchObject({
      roleRef: {name: find('ClusterRole').metadata.name},
      subjects: [{kind: 'ServiceAccount', name, namespace}],
    })
    const volumes = pod.volumes.map((volume) => volume.name)
    for (const container of [...pod.containers, ...pod.initContainers]) {
      for (const mount of container.volumeMounts) expect(volumes).toContain(mount.name)
    }
    expect(pod.volumes.flatMap(({configMap}) => configMap?.name ?? [])).toEqual([find('ConfigMap').metadata.name])
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    for (const kind of ['ServiceAccount', 'ConfigMap', 'DaemonSet'])
      expect(find(kind).metadata.namespace).toBe(namespace)
  })

  it('names images by the versions asked for', () => {
    expect([...pod.initContainers, ...pod.containers].map(({image}) => image)).toEqual([
      'ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3',
      'ghcr.io/flannel-io/flannel:v0.28.9',
      'ghcr.io/flannel-io/flannel:v0.28.9',
    ])
    expect(stringify(flannelObjects({...OPTIONS, flannel: version('v0.27.4')}))).toContain('flannel:v0.27.4')
  })

  it.each(['flannel-config', 'flannel-daemonset', 'linux-daemonsets'] as const)(
    'in a cluster passes our own check %s',
    async (id) => {
      const {metadata} = find('DaemonSet')
      const {name, namespace = ''} = find('ConfigMap').metadata
      const verdict = await checkOne(id, {
        sicken({cluster}) {
          allowEverything({cluster})
          cluster.configMaps = [{data: find('ConfigMap').data, name, namespace}]
          cluster.daemonSets = [
            {
              name: metadata.name,
              namespace: metadata.namespace ?? '',
              nodeSelector: pod.nodeSelector,
              tolerations: pod.tolerations,
            },
          ]
        },
      })
      expect(verdict).toMatchObject({result: 'pass'})
    },
  )
})

describe('review W8: what upstream 0.28.9 has', () => {
  const podOf = (flannel: string): PodSpec =>
    (flannelObjects({...OPTIONS, flannel: version(flannel)}).at(-1)!['spec'] as {template: {spec: PodSpec}}).template
      .spec

  it('is a health port with probes', () => {
    expect(podOf('0.28.9').containers).toMatchObject([
      {
        args: ['--ip-masq', '--kube-subnet-mgr', '--healthz-port=8081'],
        livenessProbe: {httpGet: {path: '/healthz', port: 'healthz'}},
        ports: [{containerPort: 8081, name: 'healthz'}],
        readinessProbe: {httpGet: {path: '/readyz', port: 'healthz'}},
      },
    ])
  })

  it('is install-conf', () => {
    expect(podOf('0.28.9').initContainers.at(-1)).toMatchObject({
      args: ['/etc/kube-flannel/cni-conf.json', '/etc/cni/net.d/10-flannel.conflist'],
      command: ['/opt/bin/install-conf'],
    })
  })

  it('is not asked of older ones, which do not have it', () => {
    const old = podOf('0.28.5')
    expect(old.initContainers.at(-1)).toMatchObject({command: ['cp']})
    expect(old.containers[0]).not.toHaveProperty('readinessProbe')
    expect(old.containers).toMatchObject([{args: ['--ip-masq', '--kube-subnet-mgr']}])
    expect(podOf('0.28.6').initContainers.at(-1)).toMatchObject({command: ['/opt/bin/install-conf']})
    expect(podOf('0.28.6').containers[0]).not.toHaveProperty('livenessProbe')
  })
})

it('review J10: a fieldRef has the apiVersion that the API server would add, so that a second apply has no conflict', () => {
  const refs = (pod.containers as unknown as {env?: {valueFrom?: {fieldRef?: object}}[]}[])
    .flatMap(({env = []}) => env)
    .flatMap(({valueFrom}) => valueFrom?.fieldRef ?? [])
  expect(refs).toEqual([
    {apiVersion: 'v1', fieldPath: 'metadata.name'},
    {apiVersion: 'v1', fieldPath: 'metadata.namespace'},
  ])
})
