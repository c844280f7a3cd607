// What the kubelet of 1.21 to 1.23 says on Windows, dockershim and its CNI plugins included.
import {AGAIN, RESTART_KUBELET, RESTART_FLANNELD} from './remedies.js'
import type {Signature} from './signature.js'

const ofKubelet = (signature: Omit<Signature, 'seenIn'>): Signature => ({...signature, seenIn: ['kubelet']})

export const KUBELET_SIGNATURES: readonly Signature[] = [
  {
    absent: 'subnet.env' as const,
    cause: 'flanneld has not written subnet.env: it does not run, or has no network yet. So no pod gets an address.',
    fix: `See why ("k8s-win logs flanneld"), then ${RESTART_FLANNELD}.`,
    id: 'subnet-env-missing',
    pattern: /open \S{0,20}\/run\/flannel\/subnet\.env: /,
    sources: ['sig-windows-tools#76', 'microsoft/SDN#256'],
  },
  {
    cause: 'A CNI plugin that the configuration names is not in the folder of the plugins.',
    fix: AGAIN,
    id: 'cni-plugin-missing',
    pattern: /failed to find plugin \\{0,3}"[^"\\]{1,80}\\{0,3}" in path /,
    sources: ['containernetworking/cni: pkg/invoke', 'flannel#1437'],
  },
  {
    absent: 'cni.conf' as const,
    cause: 'There is no CNI configuration, so the node is not Ready. Setup writes it as its last step but one.',
    fix: AGAIN,
    id: 'cni-config-missing',
    pattern: /(?:cni config uninitialized|no networks found in )/,
    sources: ['kubernetes: pkg/kubelet/dockershim/network/cni'],
  },
  {
    cause:
      'The kubelet cannot use the CNI configuration that is there: the file is damaged, or a plugin it names is missing.',
    fix: AGAIN,
    id: 'cni-config-unusable',
    // In a log the second is said at every start; as the node's own condition it is of now.
    pattern:
      /(?:no valid networks found in |^\[?(?:container )?runtime network not ready: [^]{0,200}cni config uninitialized)/,
    sources: ['kubernetes: pkg/kubelet/dockershim/network/cni'],
  },
  {
    cause:
      'The CNI configuration names an HNS network that is not there: flanneld has not made it, or calls it otherwise.',
    fix: `"hnsdiag list networks" must show vxlan0. ${RESTART_FLANNELD}, or run "k8s-win setup" again.`,
    id: 'cni-network-not-found',
    pattern: /error while (?:GETHNSNewtorkByName|GETHNSNetworkByName|getting network by name)\(/i,
    sources: [
      'containernetworking/plugins: plugins/main/windows/win-overlay',
      'sig-windows-tools#88',
      'sig-windows-tools#61',
    ],
  },
  {
    cause: 'The pool of addresses of this node is used up: addresses of pods that are gone were never given back.',
    fix: String.raw`Check C:\var\lib\cni\networks\vxlan0: one file an address. Remove those of pods that are gone, or drain the node and restart Windows.`,
    id: 'pod-addresses-used-up',
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
    cause: "The kubelet's certificate is that of another node, and the cluster lets a node touch its own objects only.",
    fix: 'Give --node-name the name in the certificate, or the kubelet a certificate for this node.',
    id: 'kubelet-other-nodes-identity',
    pattern: /is not allowed to modify node \\?"/,
    sources: [
      'Kubernetes: NodeRestriction admission plugin',
      'kubernetes: plugin/pkg/admission/noderestriction/admission.go',
    ],
  },
  {
    cause:
      'The cluster has no node of this name: somebody deleted it, and a kubelet registers its node only when it starts.',
    fix: `Start the kubelet again: ${RESTART_KUBELET}.`,
    id: 'node-not-registered',
    pattern: /^"?Error (?:getting|updating) node[^=]{0,40} err="[^]{0,60}"[^"\\]{1,253}\\?" not found/,
    sources: ['kubernetes: pkg/kubelet/kubelet_node_status.go'],
  },
  {
    cause: 'The kubelet was told to use cgroups, which Windows does not have.',
    fix: AGAIN,
    id: 'kubelet-cgroups',
    pattern: /(?:CgroupsPerQOS|EnforceNodeAllocatable) \(--[a-z-]{5,40}\) [^ ]{1,40} is not supported on Windows/,
    sources: ['kubernetes: pkg/kubelet/apis/config/validation'],
  },
  {
    cause: 'kubelet-config.yaml is missing, damaged, or has something this release does not know.',
    fix: AGAIN,
    id: 'kubelet-config-unreadable',
    pattern: /^"?Failed to (?:load kubelet config file|validate kubelet configuration)/,
    sources: ['kubernetes: cmd/kubelet/app/server.go'],
  },
  {
    cause: 'A label of --node-label is one that a node may not give itself.',
    fix: 'Leave it out of --node-label and set it from the control plane: "kubectl label node <node> <key>=<value>".',
    id: 'kubelet-label-refused',
    pattern: /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels/,
    sources: ['kubernetes: cmd/kubelet/app/options', 'Kubernetes: NodeRestriction admission plugin'],
  },
  {
    cause: 'The pause image is gone: the image clean-up of Docker or of an administrator took it.',
    fix: AGAIN,
    id: 'pause-image-missing',
    pattern: /(?:No such image: |pull access denied for |repository )kubeletwin\/pause/,
    sources: ['microsoft/SDN: Kubernetes/windows', 'kubernetes#81756'],
  },
  {
    cause:
      'A pod with hostNetwork was sent to this node. Windows has none: it is a DaemonSet for Linux without a node selector.',
    fix: 'Keep it on Linux: give it the node selector kubernetes.io/os=linux ("k8s-win doctor" names it, and the command).',
    id: 'pod-for-linux',
    pattern: /network host not found/,
    sources: ['sig-windows-tools#88', 'kubernetes#71130', 'microsoft/SDN#396'],
  },
  {
    cause:
      'A counter of Windows gave the kubelet no value it can use. Once at its start 800007d6 means nothing; again and again the host may be overloaded, and with another code the counters may be damaged.',
    fix: `Look at CPU and memory of the host. With another code than 800007d6: "lodctr /R", then ${RESTART_KUBELET}.`,
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
    cause: 'Windows does not have the performance counters that the kubelet begins with: switched off, or damaged.',
    fix: `Rebuild them with "lodctr /R" in an elevated console, then ${RESTART_KUBELET}.`,
    id: 'performance-counters-missing',
    pattern: /unable to add process counter\b.{0,200}\bError code is [\da-f]{3,8}/i,
    sources: ['kubernetes#74173', 'kubernetes#106644', 'Microsoft: PDH error codes (c0000bb8, PDH_CSTATUS_NO_OBJECT)'],
  },
].map(ofKubelet)
