// kube-proxy: its service, by release.
import {gatesIn, withArguments} from '../config/settings/daemon-settings.js'
import {DAEMON, logsOf} from '../config/daemons.js'
import {KUBE_PROXY, NETWORK_NAME, type Node} from '../config/model.js'
import type {ServiceSpec} from '../host/services/services.js'
import {configurationMark} from './configuration-mark.js'
import {kubeconfigOf} from './identity.js'
import {daemonCommand} from './log-runner.js'
import {proxiesOf} from './machine-proxy.js'
import {gatesText} from '../config/decide.js'
import {flagsOf, gatesOf, KUBE_PROXY_FLAGS, KUBE_PROXY_GATES} from './releases/release-table.js'

export function kubeProxyService(config: Node, sourceVip: string): ServiceSpec {
  const {args, enableDSR, featureGates, release} = config
  const {'feature-gates': _, ...users} = args['kube-proxy']
  const logs = logsOf(config, DAEMON.kubeproxy)
  const gates = {WinOverlay: true, ...(enableDSR && {WinDSR: true}), IPv6DualStack: false}
  return {
    command: daemonCommand(
      config,
      'kube-proxy',
      logs,
      withArguments(
        flagsOf(KUBE_PROXY_FLAGS, release, {
          'windows-service': true,
          'proxy-mode': 'kernelspace',
          kubeconfig: kubeconfigOf(config, 'kube-proxy'),
          'hostname-override': config.nodeName,
          'bind-address': config.nodeIP,
          'network-name': NETWORK_NAME,
          'source-vip': sourceVip,
          'cluster-cidr': config.clusterCIDR,
          // Off by default in all releases, also where its gate is locked on.
          'enable-dsr': enableDSR || undefined,
          'feature-gates':
            [gatesOf(KUBE_PROXY_GATES, release, gates), gatesText({...featureGates, ...gatesIn(args['kube-proxy'])})]
              .filter(Boolean)
              .join(',') || undefined,
          'log-dir': logs,
          logtostderr: 'false',
          v: '2',
        }),
        users,
      ),
    ),
    description: 'Kubernetes network proxy.',
    environment: {...proxiesOf(config), ...configurationMark(release.text)},
    name: KUBE_PROXY,
  }
}
