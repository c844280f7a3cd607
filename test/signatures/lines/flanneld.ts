// Lines of flanneld.
import {errorS, flannelBegins, flannelEnds, flannelSays} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

export const FLANNELD_LINES: readonly SignatureLine[] = [
  line(
    'flanneld',
    'flannel-peer-vni-too-small',
    'flanneld 0.28.9',
    flannelSays(
      'E',
      'vxlan_network_windows.go:106',
      'VNI is 1 but it is required to be greater than or equal to 4096 on Windows.',
    ),
    flannelSays('I', 'vxlan_windows.go:127', 'VXLAN config: Name=vxlan0 MacPrefix=0E-2A VNI=1 Port=4789'),
  ),
  line(
    'flanneld',
    'flannel-node-not-found',
    'flanneld 0.28.9',
    flannelSays('E', 'kube.go:738', 'Failed to get node for backend data: nodes "win-1" not found'),
    flannelSays('E', 'kube.go:738', 'Failed to get node for backend data: context deadline exceeded'),
  ),
  line(
    'flanneld',
    'flannel-node-not-patched',
    'flanneld 0.28.9',
    flannelEnds(
      'failed to acquire lease: timeout contacting kube-api, failed to patch node "win-1". Error: context deadline exceeded',
    ),
    flannelEnds('failed to acquire lease: failed to create patch for node "win-1": x'),
  ),
  line(
    'flanneld',
    'flannel-br-netfilter',
    'flanneld 0.26.0',
    flannelSays(
      'E',
      'main.go:268',
      'Failed to check br_netfilter: CreateFile /proc/sys/net/bridge/bridge-nf-call-iptables: The system cannot find the path specified.',
    ),
    flannelSays('I', 'main.go:523', 'Found network config - Backend type: vxlan'),
  ),
  line(
    'flanneld',
    'flannel-vni-too-small',
    'flanneld 0.28.9',
    flannelEnds('invalid VXLAN backend config. VNI [1] must be greater than or equal to 4096 on Windows'),
    flannelSays('I', 'vxlan_windows.go:127', 'VXLAN config: Name=vxlan0 MacPrefix=0E-2A VNI=1 Port=4789'),
  ),
  line(
    'flanneld',
    'flannel-port-not-4789',
    'flanneld 0.28.9',
    flannelEnds(
      'invalid VXLAN backend config. Port [8472] is not supported on Windows. Omit the setting to default to port 4789',
    ),
    flannelSays('I', 'vxlan_windows.go:127', 'VXLAN config: Name=vxlan0 MacPrefix=0E-2A VNI=4096 Port=8472'),
  ),
  line(
    'flanneld',
    'flannel-linux-only-setting',
    'flanneld 0.28.9',
    flannelEnds('invalid VXLAN backend config. DirectRouting is not supported on Windows'),
    flannelSays('I', 'vxlan_windows.go:127', 'VXLAN config: VNI=4096 Port=4789 GBP=false DirectRouting=false'),
    flannelSays('I', 'ipip_windows.go:23', 'ipip is not supported on this platform'),
  ),
  line(
    'flanneld',
    'flannel-peer-vni-too-small',
    'flanneld 0.23.0',
    flannelSays('E', 'vxlan_network_windows.go:109', 'VNI is required to greater than or equal to 4096 on Windows.'),
    flannelEnds('invalid VXLAN backend config. VNI [1] must be greater than or equal to 4096 on Windows'),
  ),
  line(
    'flanneld',
    'flannel-peer-other-backend',
    'flanneld 0.28.9',
    flannelSays('W', 'vxlan_network_windows.go:99', 'ignoring non-vxlan subnet(10.244.1.0/24): type=host-gw'),
    flannelSays('I', 'vxlan_network_windows.go:70', 'Watching for new subnet leases'),
  ),
  line(
    'flanneld',
    'flannel-no-pod-cidr',
    'flanneld 0.28.9',
    flannelEnds('failed to acquire lease: node "win-1" pod cidr not assigned'),
    flannelEnds('failed to acquire lease: node "win-1" pod cidrs should be IPv4/IPv6 only or dualstack'),
  ),
  line(
    'flanneld',
    'flannel-pod-cidr-outside',
    'flanneld 0.28.9',
    flannelEnds(
      `failed to acquire lease: subnet "192.168.0.0/16" specified in the flannel net config doesn't contain "10.244.3.0/24" PodCIDR of the "win-1" node`,
    ),
    flannelEnds(
      `failed to acquire lease: subnet "fd00::/64" specified in the PodCIDR, but doesn't exist in the flannel net config`,
    ),
  ),
  line(
    'flanneld',
    'flannel-node-not-found',
    'flanneld 0.25.2',
    flannelEnds('failed to acquire lease: node "win-1" not found'),
    flannelEnds('failed to acquire lease: node "win-1" pod cidr not assigned'),
    errorS('kubelet.go:2291', 'Error getting node', 'node "win-1" not found'),
  ),
  line(
    'flanneld',
    'flannel-without-node-name',
    'flanneld 0.28.9',
    flannelBegins('env variables POD_NAME and POD_NAMESPACE must be set'),
    flannelBegins("error retrieving pod spec for 'kube-flannel/kube-flannel-ds-x': Unauthorized"),
  ),
  line(
    'flanneld',
    'flannel-net-conf-missing',
    'flanneld 0.28.9',
    flannelBegins(
      'failed to read net conf: open /etc/kube-flannel/net-conf.json: Das System kann die Datei nicht finden.',
    ),
    flannelBegins("error parsing subnet config: invalid character 'x' looking for beginning of value"),
  ),
  line(
    'flanneld',
    'flannel-net-conf-unreadable',
    'flanneld 0.28.9',
    flannelBegins("error parsing subnet config: invalid character 'x' looking for beginning of value"),
    flannelBegins('failed to read net conf: open /etc/kube-flannel/net-conf.json: Access is denied.'),
  ),
  line(
    'flanneld',
    'flannel-interface-not-found',
    'flanneld 0.28.9',
    flannelSays(
      'E',
      'main.go:243',
      'Failed to find interface to use that matches the interfaces and/or regexes provided',
    ),
    flannelSays('I', 'match.go:73', 'Searching for interface using 10.0.0.5'),
  ),
  line(
    'flanneld',
    'flannel-needs-external-network',
    'flanneld 0.11.0',
    flannelEnds('Cannot find network with Management IP 10.0.0.5'),
    flannelSays('I', 'device_windows.go:116', 'Waiting to get ManagementIP from HostComputeNetwork vxlan0'),
  ),
  line(
    'flanneld',
    'flannel-adapter-not-back',
    'flanneld 0.28.9',
    flannelEnds('interface bound to vxlan0 took too long to get ready. Please check your network host configuration'),
    flannelSays('I', 'device_windows.go:200', 'Host interface bound by vxlan0 not ready'),
  ),
  line(
    'flanneld',
    'flannel-stale-network',
    'flanneld 0.28.9',
    flannelEnds('failed to delete existing HostComputeNetwork vxlan0: unexpected answer'),
    flannelSays('I', 'device_windows.go:116', 'Deleted stale HostComputeNetwork vxlan0'),
  ),
  line(
    'flanneld',
    'flannel-network-gone',
    'flanneld 0.28.9',
    flannelSays(
      'E',
      'vxlan_network_windows.go:115',
      'Unable to find network vxlan0, error: Network name "vxlan0" not found',
    ),
    flannelSays('I', 'device_windows.go:90', 'Found existing HostComputeNetwork vxlan0'),
  ),
  line(
    'flanneld',
    'flannel-no-host-route',
    'flanneld 0.28.9',
    flannelSays(
      'I',
      'device_windows.go:150',
      'Could not apply HostRoute policy for local host to local pod connectivity.',
    ),
    flannelSays('I', 'device_windows.go:150', 'Applied HostRoute policy'),
  ),
  line(
    'flanneld',
    'flannel-nodes-not-synced',
    'flanneld 0.28.9',
    flannelBegins('error waiting for nodeController to sync state: timed out waiting for the condition'),
    flannelSays('I', 'kube.go:146', 'Node controller sync successful'),
  ),
  line(
    'flanneld',
    'flannel-waits-for-nodes',
    'flanneld 0.28.9',
    flannelSays('I', 'kube.go:139', 'Waiting 10m0s for node controller to sync'),
    [
      flannelSays('I', 'kube.go:139', 'Waiting 10m0s for node controller to sync'),
      flannelSays('I', 'kube.go:146', 'Node controller sync successful'),
    ].join('\n'),
  ),
  line(
    'flanneld',
    'flannel-waits-for-network',
    'flanneld 0.28.9',
    flannelSays('I', 'device_windows.go:116', 'Waiting to get ManagementIP from HostComputeNetwork vxlan0'),
    [
      flannelSays('I', 'device_windows.go:116', 'Waiting to get ManagementIP from HostComputeNetwork vxlan0'),
      flannelSays('I', 'main.go:400', 'Running backend.'),
    ].join('\r\n'),
  ),
]
