// kube-proxy: its service, for 1.21 to 1.23.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import {KUBE_PROXY, NETWORK_NAME, type NodeConfig} from '../config/model.js'
import type {ServiceSpec} from '../host/services/services.js'
import {configurationMark} from './configuration-mark.js'
import {kubeconfigOf} from './identity.js'
import {flagsOf, gatesOf, KUBE_PROXY_FLAGS, KUBE_PROXY_GATES} from './release-table.js'

export const KUBE_PROXY_HEALTH = 'http://127.0.0.1:10256/healthz'

export function kubeProxyLogs(config: NodeConfig): string {
  return win32.join(layoutOf(config.baseDir).logs, KUBE_PROXY)
}

export function kubeProxyService(config: NodeConfig, sourceVip: string): ServiceSpec {
  const {release} = config
  return {
    command: [
      win32.join(layoutOf(config.baseDir).binaries, 'kube-proxy.exe'),
      ...flagsOf(KUBE_PROXY_FLAGS, release, {
        'windows-service': true,
        'proxy-mode': 'kernelspace',
        kubeconfig: kubeconfigOf(config, 'kube-proxy'),
        'hostname-override': config.nodeName,
        'bind-address': config.nodeIP,
        'network-name': NETWORK_NAME,
        'source-vip': sourceVip,
        'cluster-cidr': config.clusterCIDR,
        'feature-gates': gatesOf(KUBE_PROXY_GATES, release, {WinOverlay: true, IPv6DualStack: false}) || undefined,
        'log-dir': kubeProxyLogs(config),
        logtostderr: 'false',
        v: '2',
      }),
    ],
    description: 'Kubernetes network proxy.',
    environment: configurationMark(release.text),
    name: KUBE_PROXY,
  }
}
