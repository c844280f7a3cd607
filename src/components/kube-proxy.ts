// kube-proxy: its service, by release.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import {KUBE_PROXY, NETWORK_NAME, type Node} from '../config/model.js'
import {isBelow} from '../config/version.js'
import type {ServiceSpec} from '../host/services/services.js'
import {configurationMark} from './configuration-mark.js'
import {kubeconfigOf} from './identity.js'
import {daemonCommand} from './log-runner.js'
import {flagsOf, gatesOf, gatesText, KUBE_PROXY_FLAGS, KUBE_PROXY_GATES} from './release-table.js'

/**
 * From 1.28 on /healthz is 503 also while the Node is about to be deleted, or unknown (pkg/proxy/healthcheck): it is there
 * for load balancers. /livez, which is new there, is about kube-proxy alone.
 */
export const kubeProxyHealth = ({release}: Pick<Node, 'release'>): string =>
  `http://127.0.0.1:10256/${isBelow(release, 1, 28) ? 'healthz' : 'livez'}`

export function kubeProxyLogs(config: Pick<Node, 'baseDir'>): string {
  return win32.join(layoutOf(config.baseDir).logs, KUBE_PROXY)
}

export function kubeProxyService(config: Node, sourceVip: string): ServiceSpec {
  const {enableDSR, release} = config
  const gates = {WinOverlay: true, ...(enableDSR && {WinDSR: true}), IPv6DualStack: false}
  return {
    command: daemonCommand(
      config,
      'kube-proxy',
      kubeProxyLogs(config),
      flagsOf(KUBE_PROXY_FLAGS, release, {
        'windows-service': true,
        'proxy-mode': 'kernelspace',
        kubeconfig: kubeconfigOf(config, 'kube-proxy'),
        'hostname-override': config.nodeName,
        'bind-address': config.nodeIP,
        'network-name': NETWORK_NAME,
        'source-vip': sourceVip,
        'cluster-cidr': config.clusterCIDR,
        'enable-dsr': enableDSR || undefined,
        'feature-gates':
          [gatesOf(KUBE_PROXY_GATES, release, gates), gatesText(config.featureGates)].filter(Boolean).join(',') ||
          undefined,
        'log-dir': kubeProxyLogs(config),
        logtostderr: 'false',
        v: '2',
      }),
    ),
    description: 'Kubernetes network proxy.',
    environment: configurationMark(release.text),
    name: KUBE_PROXY,
  }
}
