// Lines of the kubelet.
import {errorS, flannelSays, klog, sandbox} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

export const KUBELET_LINES: readonly SignatureLine[] = [
  line(
    'kubelet',
    'subnet-env-missing',
    errorS(
      'cni_windows.go:59',
      'error while adding to cni network',
      'open /run/flannel/subnet.env: Das System kann den Pfad nicht finden.',
    ),
    flannelSays('I', 'main.go:396', 'Wrote subnet file to /run/flannel/subnet.env'),
  ),
  line(
    'kubelet',
    'cni-plugin-missing',
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
    errorS('cni.go:239', 'Unable to update cni config', String.raw`no networks found in C:\k\cni\config`),
    klog('I', 'cni.go:239', '"Updated cni config"'),
  ),
  line(
    'kubelet',
    'cni-config-unusable',
    errorS('cni.go:239', 'Unable to update cni config', String.raw`no valid networks found in C:\k\cni\config`),
    errorS('cni.go:239', 'Unable to update cni config', String.raw`no networks found in C:\k\cni\config`),
    klog('E', 'kubelet.go:2337', '"Container runtime network not ready" networkReady="cni config uninitialized"'),
  ),
  line(
    'kubelet',
    'cni-network-not-found',
    sandbox(
      'networkPlugin cni failed to set up pod "web_default" network: error while GETHNSNewtorkByName(vxlan0): Network vxlan0 not found',
    ),
    sandbox('networkPlugin cni failed to set up pod "web_default" network: context deadline exceeded'),
  ),
  line(
    'kubelet',
    'pod-addresses-used-up',
    sandbox('failed to allocate for range 0: no IP addresses available in range set: 10.244.3.1-10.244.3.254'),
    sandbox('failed to allocate for range 0: requested IP address 10.244.3.9 is not available'),
  ),
  line(
    'kubelet',
    'kubelet-resolv-conf',
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
    errorS('server.go:204', 'Failed to load kubelet config file', 'yaml: line 3: did not find expected key'),
    klog('I', 'server.go:440', '"Kubelet version" kubeletVersion="v1.21.5"'),
  ),
  line(
    'kubelet',
    'kubelet-label-refused',
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
    sandbox('unable to pull sandbox image: Error response from daemon: No such image: kubeletwin/pause:latest'),
    sandbox('Error response from daemon: No such image: registry.example/app:1'),
  ),
  line(
    'kubelet',
    'pod-for-linux',
    sandbox(
      'failed to start sandbox container for pod "kube-flannel-ds-x": Error response from daemon: network host not found',
    ),
    sandbox('failed to start sandbox container for pod "web": Error response from daemon: network nat not found'),
  ),
  line(
    'kubelet',
    'performance-counters-broken',
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
    errorS(
      'server.go:294',
      'Failed to run kubelet',
      'failed to run Kubelet: unable to add process counter. Error code is c0000bb8',
    ),
    errorS('server.go:294', 'Failed to run kubelet', 'failed to run Kubelet: unable to read process counter'),
  ),
]
