// What flanneld says on Windows before it ends, or while it does not work (flannel-io/flannel: pkg/backend/vxlan, pkg/subnet/kube).
import {AGAIN, RESTART_FLANNELD} from './remedies.js'
import type {Signature} from './signature.js'

const BACKEND = '"Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}'
const VXLAN_WINDOWS = 'flannel: pkg/backend/vxlan/vxlan_windows.go'
const DEVICE_WINDOWS = 'flannel: pkg/backend/vxlan/device_windows.go'
const SUBNET_KUBE = 'flannel: pkg/subnet/kube/kube.go'

const ofFlanneld = (signature: Omit<Signature, 'seenIn'>): Signature => ({
  overOnceStarted: true,
  ...signature,
  seenIn: ['flanneld'],
})

export const FLANNELD_SIGNATURES: readonly Signature[] = [
  {
    cause: 'net-conf.json has a VNI below 4096, which Windows does not support.',
    fix: String.raw`C:\etc\kube-flannel\net-conf.json must have VNI 4096. ` + AGAIN,
    id: 'flannel-vni-too-small',
    pattern: /invalid VXLAN backend config\. VNI \[\d{1,10}\] must be greater than or equal to 4096/,
    sources: [VXLAN_WINDOWS],
  },
  {
    cause: 'net-conf.json has another port than 4789, and Windows Server supports no other for VXLAN.',
    fix: String.raw`C:\etc\kube-flannel\net-conf.json must have Port 4789. ` + AGAIN,
    id: 'flannel-port-not-4789',
    pattern: /invalid VXLAN backend config\. Port \[\d{1,10}\] is not supported on Windows/,
    sources: [VXLAN_WINDOWS],
  },
  {
    cause: 'net-conf.json uses an option that flannel supports on Linux only.',
    fix: String.raw`Remove DirectRouting and GBP from C:\etc\kube-flannel\net-conf.json. ` + AGAIN,
    id: 'flannel-linux-only-setting',
    pattern: /invalid VXLAN backend config\. (?:DirectRouting|GBP) is not supported on Windows/,
    sources: [VXLAN_WINDOWS],
  },
  {
    cause: 'Another node has a VNI below 4096, so flannel ignores it: pods on the two nodes cannot reach each other.',
    fix: `Set ${BACKEND} in the cluster's net-conf.json ("kubectl -n kube-flannel edit configmap kube-flannel-cfg") and restart flannel on all nodes.`,
    id: 'flannel-peer-vni-too-small',
    // Up to 0.23, and from 0.24.0 on.
    pattern: /^VNI is (?:required to|\d{1,10} but it is required to be) greater than or equal to 4096 on Windows/,
    sources: ['flannel: pkg/backend/vxlan/vxlan_network_windows.go', 'flannel: Documentation/backends.md'],
  },
  {
    cause:
      'Another node runs flannel with another backend, so flannel ignores it: pods on the two nodes cannot reach each other.',
    fix: `Use the same backend on all nodes: ${BACKEND} in the cluster's net-conf.json, then restart flannel on all nodes.`,
    id: 'flannel-peer-other-backend',
    pattern: /^ignoring non-vxlan (?:v6Subnet|subnet)\(/,
    sources: ['flannel: pkg/backend/vxlan/vxlan_network_windows.go'],
  },
  {
    cause: 'The cluster assigned no pod network to the node.',
    fix: 'Start kube-controller-manager with --allocate-node-cidrs=true and --cluster-cidr=<the pod network>.',
    id: 'flannel-no-pod-cidr',
    pattern: /node \\?"[^"\\]{1,253}\\?" pod cidr not assigned/,
    sources: [SUBNET_KUBE, 'flannel: Documentation/troubleshooting.md'],
  },
  {
    cause: 'The pod network of the node is outside "Network" of net-conf.json; flannel 0.18 and newer rejects that.',
    fix: `Pass the cluster's pod network to --cluster-cidr. ${AGAIN}`,
    id: 'flannel-pod-cidr-outside',
    pattern: /specified in the flannel net config doesn't contain \\?"[^"\\]{1,50}\\?" PodCIDR/,
    sources: [SUBNET_KUBE],
  },
  {
    cause:
      'The cluster has no node with the name in NODE_NAME: it was deleted, or the kubelet registered another name.',
    fix: `Check "kubectl get nodes". ${AGAIN}`,
    id: 'flannel-node-not-found',
    pattern:
      /(?:Error registering network|failed to acquire lease|Failed to get node for backend data): (?:failed to acquire lease: )?(?:nodes? )\\?"[^"\\]{1,253}\\?" not found/,
    sources: [SUBNET_KUBE],
  },
  {
    cause:
      'For 30 seconds flanneld did not find the node of the name in NODE_NAME, or could not patch its status: the node was deleted or has another name, or flanneld lacks the permission to patch nodes/status.',
    fix: `Check "kubectl get nodes", and "k8s-win doctor": its check "permissions" names what is missing. ${AGAIN}`,
    id: 'flannel-node-not-patched',
    // From 0.25.3 on; the reason is logged at -v=2 only.
    pattern: /timeout contacting kube-api, failed to patch node \\?"/,
    sources: [SUBNET_KUBE],
  },
  {
    cause: "NODE_NAME is missing from the service's environment, so flanneld assumes that it runs in a pod.",
    fix: AGAIN,
    id: 'flannel-without-node-name',
    pattern: /env variables POD_NAME and POD_NAMESPACE must be set/,
    sources: [SUBNET_KUBE],
  },
  {
    cause: 'flanneld cannot find net-conf.json.',
    fix: AGAIN,
    id: 'flannel-net-conf-missing',
    pattern: /failed to read net conf: /,
    sources: [SUBNET_KUBE],
  },
  {
    cause: 'flanneld cannot parse net-conf.json: it is damaged, was edited manually, or PowerShell saved it as UTF-16.',
    fix: AGAIN,
    id: 'flannel-net-conf-unreadable',
    pattern: /error (?:parsing subnet config|decoding VXLAN backend config): /,
    sources: [SUBNET_KUBE, VXLAN_WINDOWS],
  },
  {
    cause:
      'No adapter has the address of the node: it was lost when the virtual switch was created, or DHCP assigned another.',
    fix: `Check "ipconfig"; restore the address of the adapter from the host's own console, then ${RESTART_FLANNELD}. With a new address: "k8s-win setup --node-ip <address>".`,
    id: 'flannel-interface-not-found',
    pattern:
      /(?:Could not find valid interface matching |Failed to find any valid interface to use|[Ff]ailed to find interface to use that matches )/,
    sources: ['flannel: main.go', 'sig-windows-tools#13', 'sig-windows-tools#162'],
  },
  {
    cause:
      'flannel 0.11 and older does not create the first network itself: it requires one with the address of the node.',
    fix: 'Use a newer --flannel-version (0.12 and newer create it), or do not skip the step external-network.',
    id: 'flannel-needs-external-network',
    pattern: /Cannot find network with Management IP /,
    sources: ['flannel#1111', 'flannel#1109'],
  },
  {
    cause: 'flanneld created its network, but the adapter did not get its address back in time.',
    fix: `Check "ipconfig": the address must be on "vEthernet (...)". Then ${RESTART_FLANNELD}. If it is lost again, first set DeviceLessNicDisabled to 1 ("k8s-win doctor" shows how).`,
    id: 'flannel-adapter-not-back',
    pattern:
      /(?:took too long to get ready\. Please check your network|timeout, failed to get (?:management IP|net interface))/,
    sources: [DEVICE_WINDOWS, 'flannel#1857', 'flannel#1066'],
  },
  {
    cause: 'The network of a previous pod network cannot be removed: it still has endpoints.',
    fix: AGAIN,
    id: 'flannel-stale-network',
    pattern: /failed to delete existing HostComputeNetwork /,
    sources: [DEVICE_WINDOWS, 'Azure/AgentBaker: staging/cse/windows/provisioningscripts/cleanupnetwork.ps1'],
  },
  {
    cause: 'The overlay network was removed while flanneld was running: by a restart of hns, or by another tool.',
    fix: `Restart flanneld and kube-proxy: ${RESTART_FLANNELD}.`,
    id: 'flannel-network-gone',
    pattern: /^Unable to find network [^ ,]{1,80}, error: /,
    sources: ['flannel: pkg/backend/vxlan/vxlan_network_windows.go', 'sig-windows-tools#89'],
  },
  {
    cause: 'flannel 0.26.0 looks for a module of the Linux kernel, also on Windows, and exits.',
    fix: 'Use 0.26.1 or later: "k8s-win setup --flannel-version <version>".',
    id: 'flannel-br-netfilter',
    pattern: /^Failed to check br_netfilter: /,
    sources: ['rke2#7215', 'flannel#2082', 'flannel#2102'],
  },
  {
    cause: 'This Windows is too old for routes from the host to its own pods: probes of local pods may fail.',
    fix: 'Install the newest cumulative update of Windows, and restart.',
    id: 'flannel-no-host-route',
    // It runs on without it.
    overOnceStarted: false,
    pattern: /^Could not apply HostRoute policy /,
    sources: [DEVICE_WINDOWS],
  },
  {
    cause: 'flanneld cannot list the nodes of the cluster, and gives up after ten minutes.',
    fix: 'Run "k8s-win doctor": its checks "api-server" and "permissions" show why.',
    id: 'flannel-nodes-not-synced',
    pattern: /error waiting for nodeController to sync state/,
    sources: [SUBNET_KUBE],
  },
  {
    cause: 'flanneld is waiting for the list of nodes from the cluster.',
    fix: 'Run "k8s-win doctor": its checks "api-server" and "permissions" show why there is no response.',
    id: 'flannel-waits-for-nodes',
    onlyAtTheEnd: true,
    pattern: /^(?:Waiting \w{2,10} for node controller to sync|Starting kube subnet manager)/,
    sources: [SUBNET_KUBE],
  },
  {
    cause: 'flanneld created its network and waits for it forever: this happens occasionally at its first start.',
    fix: `Restart it: ${RESTART_FLANNELD}.`,
    id: 'flannel-waits-for-network',
    onlyAtTheEnd: true,
    pattern: /^(?:Waiting to get (?:ManagementIP from|net interface for)|Attempting to create) HostComputeNetwork /,
    sources: ['flannel#1066', 'sig-windows-tools#30', 'microsoft/SDN#371'],
  },
].map((signature) => ofFlanneld(signature as Omit<Signature, 'seenIn'>))
