// flanneld: its service, wrapped with shawl because it cannot speak to the service manager, and its net-conf.json.
import {withArguments} from '../config/settings/daemon-settings.js'
import {layoutOf} from '../config/layout.js'
import {type Decided, FLANNELD, NETWORK_NAME, type Node, VXLAN_ID, VXLAN_PORT} from '../config/model.js'
import {isBelow} from '../config/version.js'
import type {NewHnsNetwork} from '../host/hns/hns.js'
import type {ServiceSpec} from '../host/services/services.js'
import {configurationMark} from './configuration-mark.js'
import {kubeconfigOf} from './identity.js'
import {proxiesOf} from './machine-proxy.js'
import {underShawl} from './shawl.js'

export const EXTERNAL_NETWORK = 'External'

export function flanneldService(config: Node): ServiceSpec {
  const layout = layoutOf(config.baseDir)
  return {
    command: [
      ...underShawl(layout, FLANNELD),
      layout.flanneld,
      ...withArguments(
        [
          `--kubeconfig-file=${kubeconfigOf(config, FLANNELD)}`,
          `--iface=${config.nodeIP}`,
          '--kube-subnet-mgr',
          '--iptables-forward-rules=false',
        ],
        config.args.flanneld,
      ),
    ],
    description: 'flannel overlay network.',
    // Outside of a pod flanneld knows its node by this variable only.
    environment: {
      NODE_NAME: config.nodeName,
      ...proxiesOf(config),
      ...configurationMark(netConf(config), config.versions.flannel.text),
    },
    name: FLANNELD,
  }
}

export function netConf(config: Decided): string {
  const backend = {Name: NETWORK_NAME, Type: 'vxlan', VNI: VXLAN_ID, Port: VXLAN_PORT}
  return `${JSON.stringify({Network: config.clusterCIDR, Backend: backend})}\n`
}

/** flannel 0.11 looks for an overlay network that is already there; from 0.12 on it makes its own, and another one harms. */
export function needsExternalNetwork(config: Decided): boolean {
  return isBelow(config.versions.flannel, 0, 12)
}

export function externalNetwork(config: Node): NewHnsNetwork {
  return {
    Name: EXTERNAL_NETWORK,
    NetworkAdapterName: config.adapterName,
    Subnets: [
      {AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1', Policies: [{Type: 'VSID', VSID: 9999}]},
    ],
    Type: 'overlay',
  }
}
