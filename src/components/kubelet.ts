// The kubelet: its service and its configuration file, by release.
import {stringify} from 'yaml'
import {mergedFields, withArguments, withoutFlagsOf} from '../config/settings/daemon-settings.js'
import {DAEMON, logsOf} from '../config/daemons.js'
import {KUBELET_KEYS, layoutOf} from '../config/layout.js'
import {endpointOf, KUBELET, type Node} from '../config/model.js'
import {DEFAULT_DOCKER_PIPE} from '../config/options/parse-option.js'
import type {Kubeconfig} from '../host/cluster/kubeconfig.js'
import type {ServiceSpec} from '../host/services/services.js'
import {parseProxy} from '../machine/proxy.js'
import {sandboxImageOf} from './containerd.js'
import {configurationMark} from './configuration-mark.js'
import {kubeconfigOf} from './identity.js'
import {daemonCommand} from './log-runner.js'
import {proxiesOf} from './machine-proxy.js'
import {flagsOf, known, KUBELET_FIELDS, KUBELET_FLAGS} from './releases/release-table.js'

export function kubeletService(config: Node): ServiceSpec {
  const logs = logsOf(config, DAEMON.kubelet)
  const own = withoutFlagsOf(config.kubeletConfig, kubeletFlags(config, logs))
  return {
    command: daemonCommand(config, 'kubelet', logs, withArguments(own, config.args.kubelet)),
    description: 'Kubernetes node agent.',
    environment: {
      ...dockerEnvironment(config),
      ...proxiesOf(config),
      ...proxyEnvironment(config),
      ...configurationMark(kubeletConfiguration(config), config.clientCA, config.release.text),
    },
    name: KUBELET,
  }
}

/** Those of k8s-win. */
function kubeletFlags(config: Node, logs: string): string[] {
  const layout = layoutOf(config.baseDir)
  return flagsOf(KUBELET_FLAGS, config.release, {
    'windows-service': true,
    config: layout.kubeletConfig,
    kubeconfig: kubeconfigOf(config, KUBELET),
    ...certificateFlags(config),
    'hostname-override': config.nodeName,
    'node-ip': config.nodeIP,
    ...registrationFlags(config),
    'pod-infra-container-image': sandboxImageOf(config),
    'network-plugin': 'cni',
    'cni-bin-dir': layout.cniBinaries,
    'cni-conf-dir': layout.cniConfigFolder,
    'image-pull-progress-deadline': '20m',
    'container-runtime-endpoint': endpointOf(config.containerd),
    'cgroups-per-qos': 'false',
    'enforce-node-allocatable': '',
    'resolv-conf': '',
    'windows-priorityclass': 'ABOVE_NORMAL_PRIORITY_CLASS',
    'log-dir': logs,
    logtostderr: 'false',
    v: '2',
  })
}

/**
 * The folder is the default; it is named because the step that restricts it relies on it, and because the kubelet writes it
 * into its kubeconfig, for which a path without a drive is not enough. With Docker the documented command line has none.
 */
function certificateFlags({baseDir, join, runtime}: Node): Record<string, string> {
  return {
    // It stays when the file is gone, so that a second setup changes nothing: a valid kubeconfig comes first.
    ...(join && {'bootstrap-kubeconfig': layoutOf(baseDir).bootstrapKubeconfig}),
    ...((join ?? runtime === 'containerd') && {'cert-dir': KUBELET_KEYS}),
  }
}

/** Labels and taints the node has from its first moment: no pod lands on it before. Known nodes keep what they have. */
function registrationFlags(config: Node): Record<string, string> {
  const {labels, taints} = registrationMarks(config)
  return {
    ...(labels.length === 0 ? {} : {'node-labels': labels.join(',')}),
    ...(taints.length === 0 ? {} : {'register-with-taints': taints.join(',')}),
  }
}

/** As the kubelet and kubectl write them: key=value, key=value:effect. */
export function registrationMarks({nodeLabels, taints}: Pick<Node, 'nodeLabels' | 'taints'>): {
  readonly labels: readonly string[]
  readonly taints: readonly string[]
} {
  return {
    labels: Object.entries(nodeLabels).map(([key, value]) => `${key}=${value}`),
    taints: taints.map(({effect, key, value}) => `${key}${value === '' ? '' : `=${value}`}:${effect}`),
  }
}

/** The client reads it from here where --docker-endpoint is not given (libdocker, getDockerClient: FromEnv); the command line stays the same. */
function dockerEnvironment(config: Node): Record<string, string> {
  if (config.runtime !== 'docker' || config.dockerPipe === DEFAULT_DOCKER_PIPE) return {}
  return {DOCKER_HOST: `npipe:${config.dockerPipe.replaceAll('\\', '/').replace('//.', '////.')}`}
}

/** Without what this host has in its NO_PROXY: proxy-url knows no exceptions. Go asks this host itself without a proxy. */
function proxyEnvironment({kubeletProxy}: Node): ServiceSpec['environment'] {
  if (kubeletProxy === undefined) return {HTTPS_PROXY: undefined, NO_PROXY: undefined}
  return kubeletProxy === '' ? {} : {HTTPS_PROXY: kubeletProxy, NO_PROXY: '127.0.0.1,localhost'}
}

/**
 * What the kubeconfig means for the kubelet's certificate. A kubelet with a token has none to rotate, and would ask the
 * cluster for one it may not have. One that rotates leaves proxy-url aside and takes the proxy of its environment
 * (pkg/kubelet/certificate/transport.go, "Proxy: http.ProxyFromEnvironment"), which every user of the host can read in
 * the registry: with a password in it, it is not put there, and the kubelet goes by its kubeconfig alone.
 */
export function certificateRotation({certificate, proxy}: Pick<Kubeconfig, 'certificate' | 'proxy'>): {
  readonly kubeletProxy: string
  readonly kubeletRotates: boolean
} {
  if (certificate === undefined) return {kubeletProxy: '', kubeletRotates: false}
  if (proxy === undefined) return {kubeletProxy: '', kubeletRotates: true}
  const isPublic = parseProxy(proxy).secrets.length === 0
  return {kubeletProxy: isPublic ? proxy : '', kubeletRotates: isPublic}
}

/**
 * With --config the kubelet takes safe defaults, with flags alone it does not (applyLegacyDefaults); they are written
 * out all the same, so that no user has to know it.
 */
export function kubeletConfiguration(config: Node): string {
  const fields = known(KUBELET_FIELDS, config.release, {
    authentication: {
      anonymous: {enabled: false},
      webhook: {enabled: true},
      x509: {clientCAFile: layoutOf(config.baseDir).clientCA},
    },
    authorization: {mode: 'Webhook'},
    containerRuntimeEndpoint: endpointOf(config.containerd),
    readOnlyPort: 0,
    resolvConf: '',
    rotateCertificates: config.kubeletRotates,
    systemReserved: {memory: '2Gi'},
    tlsMinVersion: 'VersionTLS12',
    clusterDNS: [config.clusterDNS],
    clusterDomain: config.clusterDomain,
    ...(Object.keys(config.featureGates).length > 0 && {featureGates: config.featureGates}),
  })
  const head = {apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration'}
  return stringify({...head, ...mergedFields(fields, config.kubeletConfig)}, {lineWidth: 0})
}
