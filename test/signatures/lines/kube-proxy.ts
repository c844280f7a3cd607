// Lines of kube-proxy.
import {commandFailed, errorS, klog} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

/** From 1.23 on what ends it is the last line; then again from "command failed". */
const ends = (err: string): string => errorS('server.go:136', 'Error running ProxyServer', err)

export const KUBE_PROXY_LINES: readonly SignatureLine[] = [
  line(
    'kube-proxy',
    'kube-proxy-without-source-vip',
    'kube-proxy 1.36.4',
    ends('source-vip flag not set'),
    ends('vip flag not set'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-host-mac-not-found',
    'kube-proxy 1.36.4',
    ends('could not find host mac address for 10.0.0.5'),
    klog('I', 'proxier.go:1800', '"Record Host MAC address" addr="00:15:5d:00:00:01"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-network-not-found',
    'kube-proxy 1.36.4',
    errorS(
      'proxier.go:231',
      'Unable to find HNS Network specified, please check network name and CNI deployment',
      'Network name "vxlan0" not found',
    ),
    klog('I', 'proxier.go:728', '"Hns Network loaded" hnsNetworkInfo={}'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-without-network-name',
    'kube-proxy 1.36.4',
    ends('Environment variable KUBE_NETWORK and network-flag not initialized'),
    ends('network-flag initialized'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-overlay-gate-off',
    'kube-proxy 1.36.4',
    ends('WinOverlay feature gate not enabled'),
    ends('WinDSR feature gate not enabled'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-node-unknown',
    'kube-proxy 1.36.4',
    klog('E', 'node.go:121', '"Timed out waiting for node to exist" node="win-1"'),
    klog('E', 'node.go:123', '"Timed out waiting for node to be assigned IPs" node="win-1"'),
  ),
  // The verb stays as it is: the name is taken for a key without a value.
  line(
    'kube-proxy',
    'kube-proxy-node-unknown',
    'kube-proxy 1.35.8',
    klog('E', 'node.go:121', '"Timed out waiting for node %q to exist" win-1="(MISSING)"'),
    klog('E', 'node.go:123', '"Timed out waiting for node %q to be assigned IPs" win-1="(MISSING)"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-node-unknown',
    'kube-proxy 1.33.13',
    errorS('server.go:704', 'Failed to retrieve node info', 'nodes "win-1" not found'),
    klog('I', 'server.go:715', '"Successfully retrieved node IP(s)" IPs=["10.0.0.5"]'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-node-unknown',
    'kube-proxy 1.36.4',
    klog(
      'I',
      'server.go:700',
      `"Can't determine this node's IP, assuming loopback; if this is incorrect, please set the --bind-address flag"`,
    ),
    klog('I', 'server.go:228', '"Successfully retrieved NodeIPs" NodeIPs=["10.0.0.5"]'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-mode-refused',
    'kube-proxy 1.36.4',
    commandFailed(
      `failed validate: KubeProxyConfiguration.Mode.ProxyMode: Invalid value: "iptables": must be kernelspace or blank (blank means the most-available proxy [currently 'kernelspace'])`,
    ),
    commandFailed('failed validate: KubeProxyConfiguration.BindAddress: Invalid value: "x"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-without-source-vip',
    'kube-proxy 1.21.14',
    klog('F', 'server.go:495', 'unable to create proxier: source-vip flag not set'),
    klog('I', 'flags.go:59', 'FLAG: --source-vip="10.244.3.2"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-source-vip-refused',
    'kube-proxy 1.36.4',
    errorS('proxier.go:1003', 'Source Vip endpoint creation failed', 'unexpected answer'),
    klog('I', 'proxier.go:1003', '"Source VIP endpoint is 10.244.3.2"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-host-mac-not-found',
    'kube-proxy 1.21.14',
    klog('F', 'server.go:495', 'unable to create proxier: Could not find host mac address for 10.0.0.5'),
    klog('I', 'proxier.go:700', '"Host MAC address" addr="00:15:5d:00:00:01"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-network-not-found',
    'kube-proxy 1.21.14',
    errorS(
      'proxier.go:1023',
      'Unable to find HNS Network specified. Please check network name and CNI deployment',
      'Network vxlan0 not found',
    ),
    klog('I', 'proxier.go:640', '"HNS Network loaded" hnsNetworkInfo="vxlan0"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-without-network-name',
    'kube-proxy 1.21.14',
    klog(
      'F',
      'server.go:495',
      'unable to create proxier: Environment variable KUBE_NETWORK and network-flag not initialized',
    ),
    klog('I', 'flags.go:59', 'FLAG: --network-name="vxlan0"'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-overlay-gate-off',
    'kube-proxy 1.21.14',
    klog('F', 'server.go:495', 'unable to create proxier: WinOverlay feature gate not enabled'),
    klog('F', 'server.go:495', 'unable to create proxier: WinDSR feature gate not enabled'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-node-unknown',
    'kube-proxy 1.23.17',
    klog(
      'I',
      'server_windows.go:90',
      `"can't determine this node's IP, assuming 127.0.0.1; if this is incorrect, please set the --bind-address flag"`,
    ),
    klog('I', 'node.go:172', 'Successfully retrieved node IP: 10.0.0.5'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-mode-refused',
    'kube-proxy 1.21.14',
    klog(
      'F',
      'server.go:492',
      'failed validate: KubeProxyConfiguration.Mode.ProxyMode: Invalid value: "iptables": must be kernelspace',
    ),
    klog('I', 'server_windows.go:105', '"Using Kernelspace Proxier."'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-policy-refused',
    'kube-proxy 1.23.17',
    errorS('proxier.go:1202', 'Policy creation failed', 'unexpected answer'),
    klog('I', 'proxier.go:1210', '"Policy created" hnsID="abc"'),
    klog('I', 'proxier.go:1210', 'retrying after "Policy creation failed"'),
  ),
  ...['ClusterIP', 'Nodeport', 'ExternalIP', 'IngressIP', 'Healthcheck loadbalancer'].map((kind) =>
    line(
      'kube-proxy',
      'kube-proxy-policy-refused',
      'kube-proxy 1.36.4',
      errorS('proxier.go:1486', `${kind} policy creation failed`, 'unexpected answer'),
      klog('I', 'proxier.go:1490', `"Hns LoadBalancer resource created for ${kind} resources" hnsID="abc"`),
    ),
  ),
  line(
    'kube-proxy',
    'kube-proxy-policy-refused',
    'kube-proxy 1.36.4',
    errorS('proxier.go:1126', 'Update loadbalancer policy failed', 'unexpected answer'),
    klog('W', 'proxier.go:1123', 'Update loadbalancer policies is not implemented.'),
  ),
  line(
    'kube-proxy',
    'kube-proxy-local-endpoint-missing',
    'kube-proxy 1.36.4',
    klog('E', 'proxier.go:1324', '"Local endpoint not found: on network" ip="10.244.3.7" hnsNetworkName="vxlan0"'),
    klog('I', 'proxier.go:1380', '"Endpoint resource found" endpointInfo="10.244.3.7:80"'),
  ),
]
