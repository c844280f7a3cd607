// Lines of the kubelet.
import {commandFailed, errorS, flannelSays, klog, sandbox} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

const NETWORK =
  'failed to setup network for sandbox "1f": plugin type="flannel" name="vxlan0" failed (add): plugin type="win-overlay" failed (add): '
/** The longest name that a node can have (a DNS subdomain). */
const LONG = `win-${'x'.repeat(245)}.lan`

export const KUBELET_LINES: readonly SignatureLine[] = [
  line(
    'kubelet',
    'subnet-env-missing',
    'flannel-cni 1.9.1-flannel1',
    sandbox(
      `failed to setup network for sandbox "1f": plugin type="flannel" name="vxlan0" failed (add): failed to load flannel 'subnet.env' file: open /run/flannel/subnet.env: The system cannot find the path specified.. Check the flannel pod log for this node.`,
    ),
    sandbox(`${NETWORK}error while adding HostComputeEndpoint: context deadline exceeded`),
  ),
  line(
    'kubelet',
    'cni-plugin-missing',
    'containerd 2.3.4',
    sandbox(
      String.raw`failed to setup network for sandbox "1f": plugin type="flannel" failed (add): failed to find plugin "flannel" in path [C:\\k\\cni]`,
    ),
    sandbox(`${NETWORK}error while adding HostComputeEndpoint: context deadline exceeded`),
  ),
  // win-overlay with apiVersion 2, and without it.
  ...['hcn.GetNetworkByName', 'GETHNSNewtorkByName'].map((call) =>
    line(
      'kubelet',
      'cni-network-not-found',
      'cni 1.9.1',
      sandbox(`${NETWORK}error while ${call}(vxlan0): Network name "vxlan0" not found`),
      sandbox(`${NETWORK}error while executing IPAM addition: context deadline exceeded`),
    ),
  ),
  ...['win-1', LONG].map((name) =>
    line(
      'kubelet',
      'node-not-registered',
      'kubelet 1.36.4',
      errorS(
        'kubelet_node_status.go:479',
        'Error updating node status, will retry',
        `error getting node "${name}": nodes "${name}" not found`,
      ),
      // Every kubelet from 1.26 on says so until its node is registered.
      errorS('kubelet_node_status.go:396', 'Error getting the current node from lister', `node "${name}" not found`),
    ),
  ),
  line(
    'kubelet',
    'kubelet-cgroups',
    'kubelet 1.30.14',
    commandFailed(
      'failed to validate kubelet configuration, error: [invalid configuration: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows, invalid configuration: EnforceNodeAllocatable (--enforce-node-allocatable) [pods] is not supported on Windows], path: &TypeMeta{Kind:,APIVersion:,}',
    ),
    klog(
      'W',
      'validation_windows.go:36',
      'ignored configuration option: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows',
    ),
    klog(
      'W',
      'validation_windows.go:45',
      'ignored configuration option: EnforceNodeAllocatable (--enforce-node-allocatable) [pods] is not supported on Windows',
    ),
  ),
  line(
    'kubelet',
    'kubelet-config-unreadable',
    'kubelet 1.36.4',
    commandFailed(
      String.raw`failed to load kubelet config file, path: C:\k\kubelet-config.yaml, error: failed to load Kubelet config file C:\k\kubelet-config.yaml, error failed to decode: yaml: line 3: did not find expected key`,
    ),
    commandFailed('failed to validate kubelet flags: kubelet configuration'),
  ),
  line(
    'kubelet',
    'kubelet-config-unreadable',
    'kubelet 1.24.17',
    commandFailed(
      String.raw`failed to load kubelet config file, error: open C:\k\kubelet-config.yaml: The system cannot find the file specified., path: C:\k\kubelet-config.yaml`,
    ),
    commandFailed('failed to run Kubelet: no client provided, cannot use webhook authentication'),
  ),
  line(
    'kubelet',
    'kubelet-config-unreadable',
    'kubelet 1.36.4',
    commandFailed(
      'failed to validate kubelet configuration, error: invalid configuration: userNamespaces is not supported on Windows, path: &TypeMeta{Kind:,APIVersion:,}',
    ),
    commandFailed('failed to construct kubelet dependencies: error reading C:\\k\\pki\\tls.crt'),
  ),
  line(
    'kubelet',
    'kubelet-label-refused',
    'kubelet 1.36.4',
    commandFailed(
      `failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/worker]`,
    ),
    commandFailed('failed to validate kubelet flags: no labels'),
  ),
  line(
    'kubelet',
    'performance-counters-broken',
    'kubelet 1.36.4',
    errorS(
      'perfcounter_nodestats_windows.go:247',
      'Unable to get cpu perf counter data',
      'unable to collect data from counter. Error code is c0000bc6',
    ),
    errorS('kubelet.go:1804', 'Failed to start cAdvisor', 'x'),
  ),
  line(
    'kubelet',
    'performance-counters-missing',
    'kubelet 1.36.4',
    commandFailed(
      String.raw`failed to run Kubelet: unable to add process counter: \Processor(_Total)\% Processor Time. Error code is c0000bb8`,
    ),
    commandFailed('failed to run Kubelet: unable to load bootstrap kubeconfig'),
  ),
  line(
    'kubelet',
    'subnet-env-missing',
    'kubelet 1.23.17',
    errorS(
      'cni_windows.go:59',
      'Got error while adding to cni network',
      'open /run/flannel/subnet.env: Das System kann den Pfad nicht finden.',
    ),
    flannelSays('I', 'main.go:396', 'Wrote subnet file to /run/flannel/subnet.env'),
  ),
  line(
    'kubelet',
    'cni-plugin-missing',
    'kubelet 1.23.17',
    errorS(
      'cni.go:204',
      'Error validating CNI config list',
      String.raw`[failed to find plugin "flannel" in path [C:\k\cni]]`,
    ),
    klog('I', 'flags.go:59', String.raw`FLAG: --cni-bin-dir="C:\k\cni"`),
  ),
  line(
    'kubelet',
    'cni-config-missing',
    'kubelet 1.23.17',
    errorS('cni.go:239', 'Unable to update cni config', String.raw`no networks found in C:\k\cni\config`),
    klog('I', 'cni.go:239', '"Updated cni config"'),
  ),
  line(
    'kubelet',
    'cni-config-unusable',
    'kubelet 1.23.17',
    errorS('cni.go:239', 'Unable to update cni config', String.raw`no valid networks found in C:\k\cni\config`),
    errorS('cni.go:239', 'Unable to update cni config', String.raw`no networks found in C:\k\cni\config`),
    klog('E', 'kubelet.go:2337', '"Container runtime network not ready" networkReady="cni config uninitialized"'),
  ),
  line(
    'kubelet',
    'cni-network-not-found',
    'cni 0.8.2',
    sandbox(
      'networkPlugin cni failed to set up pod "web_default" network: error while GETHNSNewtorkByName(vxlan0): Network vxlan0 not found',
    ),
    sandbox('networkPlugin cni failed to set up pod "web_default" network: context deadline exceeded'),
  ),
  line(
    'kubelet',
    'pod-addresses-used-up',
    'cni 1.9.1',
    sandbox('failed to allocate for range 0: no IP addresses available in range set: 10.244.3.1-10.244.3.254'),
    sandbox('failed to allocate for range 0: requested IP address 10.244.3.9 is not available'),
  ),
  line(
    'kubelet',
    'kubelet-resolv-conf',
    'kubelet 1.36.4',
    errorS(
      'dns.go:362',
      'Could not open resolv conf file.',
      'open /etc/resolv.conf: Das System kann die Datei nicht finden.',
    ),
    errorS('docker_sandbox.go:731', 'ResolvConfPath is empty.', ''),
  ),
  line(
    'kubelet',
    'kubelet-other-nodes-identity',
    'kubelet 1.36.4',
    errorS(
      'kubelet_node_status.go:93',
      'Unable to register node with API server',
      'nodes "win-1" is forbidden: node "win-9" is not allowed to modify node "win-1"',
    ),
    klog('I', 'kubelet_node_status.go:71', '"Attempting to register node" node="win-1"'),
  ),
  line(
    'kubelet',
    'node-not-registered',
    'kubelet 1.23.17',
    errorS('kubelet.go:2291', 'Error getting node', 'node "win-1" not found'),
    errorS(
      'kubelet_node_status.go:470',
      'Error updating node status, will retry',
      'error getting node "win-1": context deadline exceeded',
    ),
  ),
  line(
    'kubelet',
    'kubelet-cgroups',
    'kubelet 1.23.17',
    errorS(
      'server.go:300',
      'Failed to run kubelet',
      'invalid configuration: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows',
    ),
    klog('I', 'flags.go:59', 'FLAG: --cgroups-per-qos="false"'),
  ),
  line(
    'kubelet',
    'kubelet-config-unreadable',
    'kubelet 1.23.17',
    errorS('server.go:204', 'Failed to load kubelet config file', 'yaml: line 3: did not find expected key'),
    klog('I', 'server.go:440', '"Kubelet version" kubeletVersion="v1.21.5"'),
  ),
  line(
    'kubelet',
    'kubelet-label-refused',
    'kubelet 1.23.17',
    errorS(
      'server.go:190',
      'Failed to validate kubelet flags',
      `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/worker]`,
    ),
    klog('I', 'flags.go:59', 'FLAG: --node-labels="disk=ssd"'),
  ),
  line(
    'kubelet',
    'pause-image-missing',
    'docker 28.5.2',
    sandbox('unable to pull sandbox image: Error response from daemon: No such image: kubeletwin/pause:latest'),
    sandbox('Error response from daemon: No such image: registry.example/app:1'),
  ),
  line(
    'kubelet',
    'pod-for-linux',
    'docker 28.5.2',
    sandbox(
      'failed to start sandbox container for pod "kube-flannel-ds-x": Error response from daemon: network host not found',
    ),
    sandbox('failed to start sandbox container for pod "web": Error response from daemon: network nat not found'),
  ),
  line(
    'kubelet',
    'performance-counters-broken',
    'kubelet 1.21.14',
    klog(
      'E',
      'perfcounter_nodestats.go:171',
      'Unable to get cpu perf counter data; err: unable to collect data from counter. Error code is 800007d6',
    ),
    klog('I', 'perfcounter_nodestats.go:90', 'Collected data from counter'),
  ),
  line(
    'kubelet',
    'performance-counters-missing',
    'kubelet 1.23.17',
    errorS(
      'server.go:294',
      'Failed to run kubelet',
      'failed to run Kubelet: unable to add process counter. Error code is c0000bb8',
    ),
    errorS('server.go:294', 'Failed to run kubelet', 'failed to run Kubelet: unable to read process counter'),
  ),
]
