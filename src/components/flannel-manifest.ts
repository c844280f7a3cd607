// flannel for the Linux nodes of a cluster with Windows nodes: objects of the Kubernetes API, pure data.
import {VXLAN_ID, VXLAN_PORT} from '../config/model.js'
import {isBelow, type Version} from '../config/version.js'

export interface FlannelManifestOptions {
  readonly clusterCIDR: string
  readonly cniPlugin: Version
  readonly flannel: Version
}

export interface ClusterObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly name: string
    readonly namespace?: string
  }
  readonly [field: string]: unknown
}

const NAMESPACE = 'kube-flannel'
const NAME = 'flannel'
const CONFIG = 'kube-flannel-cfg'
/** A selector cannot be changed later: with the one of flannel's own manifest, that one can be replaced by this. */
const SELECTOR = {app: 'flannel'} as const
const LABELS = {...SELECTOR, 'app.kubernetes.io/name': 'flannel'} as const
/** Where flannel-io publishes what its releases are made of. */
const REGISTRY = 'ghcr.io/flannel-io'
/** As in flannel's own manifest. */
const HEALTH_PORT = 8081

/** The first whose images are there under these names. */
export const OLDEST_FLANNEL = {major: 0, minor: 26} as const

/** In the order they can be applied. */
export function flannelObjects(options: FlannelManifestOptions): readonly ClusterObject[] {
  return [namespace(), serviceAccount(), clusterRole(), clusterRoleBinding(), configMap(options), daemonSet(options)]
}

const namespaced = (name: string) => ({labels: LABELS, name, namespace: NAMESPACE})

const namespace = (): ClusterObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    // The host's network and folders of the host are open to it: what Pod Security calls privileged.
    labels: {...LABELS, 'pod-security.kubernetes.io/enforce': 'privileged'},
    name: NAMESPACE,
  },
})

const serviceAccount = (): ClusterObject => ({apiVersion: 'v1', kind: 'ServiceAccount', metadata: namespaced(NAME)})

/** All that flanneld asks for with --kube-subnet-mgr. */
const clusterRole = (): ClusterObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {labels: LABELS, name: NAME},
  rules: [
    {apiGroups: [''], resources: ['pods'], verbs: ['get']},
    {apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch']},
    {apiGroups: [''], resources: ['nodes/status'], verbs: ['patch']},
  ],
})

const clusterRoleBinding = (): ClusterObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: {labels: LABELS, name: NAME},
  roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME},
  subjects: [{kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE}],
})

function configMap({clusterCIDR}: FlannelManifestOptions): ClusterObject {
  const network = {Backend: {Port: VXLAN_PORT, Type: 'vxlan', VNI: VXLAN_ID}, Network: clusterCIDR}
  const cni = {
    cniVersion: '0.3.1',
    name: 'cbr0',
    plugins: [
      {delegate: {hairpinMode: true, isDefaultGateway: true}, type: 'flannel'},
      {capabilities: {portMappings: true}, type: 'portmap'},
    ],
  }
  const text = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`
  return {
    apiVersion: 'v1',
    data: {'cni-conf.json': text(cni), 'net-conf.json': text(network)},
    kind: 'ConfigMap',
    metadata: namespaced(CONFIG),
  }
}

/** A program of its own from 0.28.6 on, which replaces the file in one go: the image need have no shell tools. */
const installation = (flannel: Version, from: string, to: string): {args: string[]; command: string[]} =>
  isBelow(flannel, 0, 28, 6)
    ? {args: ['-f', from, to], command: ['cp']}
    : {args: [from, to], command: ['/opt/bin/install-conf']}

/** /readyz is there from 0.28.9 on. The port is the host's: the pod is on its network. */
function healthOf(flannel: Version): {args: string[]; fields: object} {
  if (isBelow(flannel, 0, 28, 9)) return {args: [], fields: {}}
  const probe = (path: string, initialDelaySeconds: number, periodSeconds: number): object => ({
    httpGet: {path, port: 'healthz'},
    initialDelaySeconds,
    periodSeconds,
  })
  return {
    args: [`--healthz-port=${HEALTH_PORT}`],
    fields: {
      livenessProbe: probe('/healthz', 10, 30),
      ports: [{containerPort: HEALTH_PORT, name: 'healthz', protocol: 'TCP'}],
      readinessProbe: probe('/readyz', 5, 10),
    },
  }
}

function daemonSet({cniPlugin, flannel}: FlannelManifestOptions): ClusterObject {
  const image = `${REGISTRY}/flannel:v${flannel.text}`
  const pluginImage = `${REGISTRY}/flannel-cni-plugin:v${cniPlugin.text}`
  const health = healthOf(flannel)
  const configuration = {mountPath: '/etc/kube-flannel', name: 'configuration', readOnly: true}
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: namespaced('kube-flannel-ds'),
    spec: {
      selector: {matchLabels: SELECTOR},
      template: {
        metadata: {labels: LABELS},
        spec: {
          containers: [
            {
              args: ['--ip-masq', '--kube-subnet-mgr', ...health.args],
              command: ['/opt/bin/flanneld'],
              // A fieldRef is one value for server-side apply: without the default of its apiVersion a second apply conflicts.
              env: [
                {name: 'POD_NAME', valueFrom: {fieldRef: {apiVersion: 'v1', fieldPath: 'metadata.name'}}},
                {name: 'POD_NAMESPACE', valueFrom: {fieldRef: {apiVersion: 'v1', fieldPath: 'metadata.namespace'}}},
                // Nodes of a large cluster come faster than they are worked off.
                {name: 'EVENT_QUEUE_DEPTH', value: '5000'},
                // It ends, and is started again, where it cannot read the cluster's nodes.
                {name: 'CONT_WHEN_CACHE_NOT_READY', value: 'false'},
              ],
              image,
              ...health.fields,
              name: 'kube-flannel',
              resources: {requests: {cpu: '100m', memory: '50Mi'}},
              securityContext: {capabilities: {add: ['NET_ADMIN', 'NET_RAW']}, privileged: false},
              volumeMounts: [
                {mountPath: '/run/flannel', name: 'run'},
                configuration,
                {mountPath: '/run/xtables.lock', name: 'xtables-lock'},
              ],
            },
          ],
          hostNetwork: true,
          initContainers: [
            {
              args: ['-f', '/flannel', '/opt/cni/bin/flannel'],
              command: ['cp'],
              image: pluginImage,
              name: 'install-cni-plugin',
              volumeMounts: [{mountPath: '/opt/cni/bin', name: 'cni-plugins'}],
            },
            {
              ...installation(flannel, '/etc/kube-flannel/cni-conf.json', '/etc/cni/net.d/10-flannel.conflist'),
              image,
              name: 'install-cni-configuration',
              volumeMounts: [{mountPath: '/etc/cni/net.d', name: 'cni-configuration'}, configuration],
            },
          ],
          nodeSelector: {'kubernetes.io/os': 'linux'},
          priorityClassName: 'system-node-critical',
          serviceAccountName: NAME,
          // Pods wait for the network, so this one waits for nothing: not for a node to be Ready, nor for a control plane's taint.
          tolerations: [
            {effect: 'NoSchedule', operator: 'Exists'},
            {effect: 'NoExecute', operator: 'Exists'},
          ],
          volumes: [
            {hostPath: {path: '/run/flannel', type: 'DirectoryOrCreate'}, name: 'run'},
            {hostPath: {path: '/opt/cni/bin', type: 'DirectoryOrCreate'}, name: 'cni-plugins'},
            {hostPath: {path: '/etc/cni/net.d', type: 'DirectoryOrCreate'}, name: 'cni-configuration'},
            {configMap: {name: CONFIG}, name: 'configuration'},
            {hostPath: {path: '/run/xtables.lock', type: 'FileOrCreate'}, name: 'xtables-lock'},
          ],
        },
      },
      // All at once would cut every pod of the cluster off at the same time.
      updateStrategy: {rollingUpdate: {maxUnavailable: 1}, type: 'RollingUpdate'},
    },
  }
}
