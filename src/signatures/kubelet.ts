// What the kubelet says on Windows, dockershim (up to 1.23) and the CNI plugins included.
import {AGAIN, RESTART_KUBELET, RESTART_FLANNELD} from './remedies.js'
import type {Signature} from './signature.js'

const ofKubelet = (signature: Omit<Signature, 'seenIn'>): Signature => ({
  ...signature,
  overOnceStarted: true,
  seenIn: ['kubelet'],
})

export const KUBELET_SIGNATURES: readonly Signature[] = [
  {
    absent: 'subnet.env' as const,
    cause: 'flanneld has not written subnet.env: it is not running, or has no network yet. Pods get no address.',
    fix: `Find out why ("k8s-win logs flanneld"), then ${RESTART_FLANNELD}.`,
    id: 'subnet-env-missing',
    ofPods: true as const,
    pattern: /open \S{0,20}\/run\/flannel\/subnet\.env: /,
    sources: ['sig-windows-tools#76', 'microsoft/SDN#256'],
  },
  {
    cause: 'A CNI plugin of the configuration is missing in the plugin folder.',
    fix: AGAIN,
    id: 'cni-plugin-missing',
    ofPods: true as const,
    pattern: /failed to find plugin \\{0,3}"[^"\\]{1,80}\\{0,3}" in path /,
    sources: ['containernetworking/cni: pkg/invoke', 'flannel#1437'],
  },
  {
    absent: 'cni.conf' as const,
    cause: 'There is no CNI configuration, so the node is NotReady. Setup writes it in its second-to-last step.',
    fix: AGAIN,
    id: 'cni-config-missing',
    pattern: /(?:cni config uninitialized|no networks found in )/,
    sources: ['kubernetes: pkg/kubelet/dockershim/network/cni'],
  },
  {
    cause: 'The kubelet cannot use the CNI configuration: the file is damaged, or a plugin it names is missing.',
    fix: AGAIN,
    id: 'cni-config-unusable',
    // In a log the second is said at every start; as the node's own condition it is of now.
    pattern:
      /(?:no valid networks found in |^\[?(?:container )?runtime network not ready: [^]{0,200}cni (?:config uninit|plugin not init)ialized)/,
    sources: ['kubernetes: pkg/kubelet/dockershim/network/cni'],
  },
  {
    cause:
      'The CNI configuration refers to an HNS network that does not exist: flanneld has not created it, or uses another name.',
    fix: `"hnsdiag list networks" must show vxlan0. ${RESTART_FLANNELD}, or run "k8s-win setup" again.`,
    id: 'cni-network-not-found',
    ofPods: true as const,
    pattern: /error while (?:GETHNSNewtorkByName|hcn\.GetNetworkByName)\(/,
    sources: [
      'containernetworking/plugins: plugins/main/windows/win-overlay',
      'sig-windows-tools#88',
      'sig-windows-tools#61',
    ],
  },
  {
    cause: 'The address pool of this node is exhausted: addresses of removed pods were never released.',
    fix: String.raw`Check C:\var\lib\cni\networks\vxlan0: one file per address. Remove those of removed pods, or drain the node and restart Windows.`,
    id: 'pod-addresses-used-up',
    ofPods: true as const,
    pattern: /no IP addresses available in range set/,
    sources: ['containernetworking/plugins: plugins/ipam/host-local', 'containernetworking/plugins#697'],
  },
  {
    cause:
      'The kubelet looks for /etc/resolv.conf, which Windows does not have: it was started without --resolv-conf=.',
    fix: AGAIN,
    id: 'kubelet-resolv-conf',
    pattern: /open \S{0,20}\/etc\/resolv\.conf: /,
    sources: ['kubernetes#103110'],
  },
  {
    cause:
      "The kubelet's certificate belongs to another node, and the cluster allows a node to change only its own objects.",
    fix: 'Pass the name in the certificate to --node-name, or give the kubelet a certificate for this node.',
    id: 'kubelet-other-nodes-identity',
    pattern: /is not allowed to modify node \\?"/,
    sources: [
      'Kubernetes: NodeRestriction admission plugin',
      'kubernetes: plugin/pkg/admission/noderestriction/admission.go',
    ],
  },
  {
    cause:
      'The cluster has no node with this name: it was deleted, and the kubelet registers the node only when it starts.',
    fix: `Restart the kubelet: ${RESTART_KUBELET}.`,
    id: 'node-not-registered',
    // The name stands there twice: error getting node "<name>": nodes "<name>" not found.
    pattern: /^"?Error (?:getting|updating) node[^=]{0,40} err="[^]{0,320}"[^"\\]{1,253}\\?" not found/,
    sources: ['kubernetes: pkg/kubelet/kubelet_node_status.go'],
  },
  {
    cause: 'The kubelet is configured to use cgroups, which Windows does not have.',
    fix: AGAIN,
    id: 'kubelet-cgroups',
    // From 1.31 on "ignored configuration option: CgroupsPerQOS (--cgroups-per-qos) true …" is a warning of every start.
    pattern:
      /invalid configuration: (?:CgroupsPerQOS|EnforceNodeAllocatable) \(--[a-z-]{5,40}\) [^ ]{1,40} is not supported on Windows/,
    sources: ['kubernetes: pkg/kubelet/apis/config/validation'],
  },
  {
    cause: 'kubelet-config.yaml is missing, damaged, or contains a field that this release does not know.',
    fix: AGAIN,
    id: 'kubelet-config-unreadable',
    // Up to 1.23, and from 1.24 on.
    pattern: /^"?(?:F|command failed" err="f)ailed to (?:load kubelet config file|validate kubelet configuration)/,
    sources: ['kubernetes: cmd/kubelet/app/server.go'],
  },
  {
    cause: 'A node is not allowed to set a label of --node-label itself.',
    fix: 'Remove it from --node-label and set it from the control plane: "kubectl label node <node> <key>=<value>".',
    id: 'kubelet-label-refused',
    pattern: /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels/,
    sources: ['kubernetes: cmd/kubelet/app/options', 'Kubernetes: NodeRestriction admission plugin'],
  },
  {
    cause: 'The pause image is missing: it was removed by an image prune.',
    fix: AGAIN,
    id: 'pause-image-missing',
    ofPods: true as const,
    pattern: /(?:No such image: |pull access denied for |repository )kubeletwin\/pause/,
    sources: ['microsoft/SDN: Kubernetes/windows', 'kubernetes#81756'],
  },
  {
    cause:
      'A pod with hostNetwork was scheduled on this node, which Windows does not support: it belongs to a DaemonSet for Linux without a node selector.',
    fix: 'Restrict it to Linux nodes with the node selector kubernetes.io/os=linux ("k8s-win doctor" names it, and the command).',
    id: 'pod-for-linux',
    ofPods: true as const,
    pattern: /network host not found/,
    sources: ['sig-windows-tools#88', 'kubernetes#71130', 'microsoft/SDN#396'],
  },
  {
    cause:
      'A Windows performance counter returned no usable value. A single 800007d6 at start is harmless; if it repeats, the host may be overloaded; with another code the counters may be damaged.',
    fix: `Check CPU and memory of the host. With another code than 800007d6: "lodctr /R", then ${RESTART_KUBELET}.`,
    id: 'performance-counters-broken',
    pattern: /unable to collect data from counter\. Error code is [\da-f]{3,8}/i,
    sources: [
      'kubernetes#88942',
      'kubernetes#110143',
      'kubernetes: pkg/kubelet/winstats/perfcounters.go',
      'Microsoft: PDH error codes',
    ],
  },
  {
    cause:
      'Windows does not have the performance counters that the kubelet needs at start: they are disabled or damaged.',
    fix: `Rebuild them with "lodctr /R" in an elevated console, then ${RESTART_KUBELET}.`,
    id: 'performance-counters-missing',
    pattern: /unable to add process counter\b.{0,200}\bError code is [\da-f]{3,8}/i,
    sources: ['kubernetes#74173', 'kubernetes#106644', 'Microsoft: PDH error codes (c0000bb8, PDH_CSTATUS_NO_OBJECT)'],
  },
].map(ofKubelet)
