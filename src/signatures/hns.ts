// What the Host Networking Service answers with codes of its own, and with those of Windows that it hands on.
// Names and meanings: https://learn.microsoft.com/virtualization/api/hcn/reference/hcnhresult
import {fromHns, hresult, type HnsFailure} from './codes.js'
import {HNS_WINDOWS_SIGNATURES} from './hns-windows.js'
import {AGAIN, RESTART_FLANNELD, RESTART_HNS, RESTART_KUBE_PROXY} from './remedies.js'
import type {Signature} from './signature.js'

const HCN_CODES = 'Microsoft: HCN error codes'

const FAILURES: readonly HnsFailure[] = [
  {
    cause:
      "The network does not exist in HNS. flanneld's network does not survive a restart of Windows or of the hns service, and flanneld creates it only when it starts.",
    code: 0x803b_0001,
    fix: `Restart flanneld and kube-proxy: ${RESTART_FLANNELD}.`,
    id: 'hns-network-not-found',
    sources: [HCN_CODES, 'sig-windows-tools#89'],
  },
  {
    cause: 'Something still uses an endpoint that HNS no longer has, usually since the hns service was restarted.',
    code: 0x803b_0002,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}.`,
    id: 'hns-endpoint-not-found',
    sources: [HCN_CODES, 'kubernetes#130963'],
  },
  {
    cause:
      'The address is not in a subnet of the network: the node has another pod network than when the address was reserved.',
    code: 0x803b_0005,
    fix: AGAIN,
    id: 'hns-subnet-not-found',
    sources: [HCN_CODES, 'kubernetes website: debug-cluster/windows'],
  },
  {
    cause: 'HNS has no adapter with that name, or another network already uses it.',
    code: 0x803b_0006,
    fix: 'Check the names ("netsh interface show interface") and the networks ("hnsdiag list networks"); remove the conflicting one, or pass --interface-name.',
    id: 'hns-adapter-not-found',
    sources: [HCN_CODES, 'microsoft/SDN#269', 'sig-windows-tools#291'],
  },
  {
    cause: "The endpoint has lost its port of the switch, so a service's rule cannot be applied to it.",
    code: 0x803b_0007,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}. If it fails again, restart Windows.`,
    id: 'hns-port-not-found',
    sources: [HCN_CODES, 'hcsshim#1043'],
  },
  {
    cause: 'This Windows does not support overlay networks: Windows Server 2019 requires KB4489899 (March 2019).',
    code: 0x803b_0008,
    fix: 'Install the newest cumulative update of Windows, and restart.',
    id: 'hns-policy-not-found',
    sources: [HCN_CODES, 'microsoft/SDN#273'],
  },
  {
    cause:
      'HNS rejects a policy: an address in it no longer belongs to an endpoint, or this Windows does not support a part of it.',
    code: 0x803b_000d,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}. If it fails again, install the newest cumulative update of Windows.`,
    id: 'hns-invalid-policy',
    sources: [HCN_CODES, 'aws/containers-roadmap#240', 'projectcalico/calico#8465'],
  },
  {
    cause: 'HNS has a network with that name that it does not list: a leftover of an incomplete removal.',
    code: 0x803b_0010,
    fix: `Restart hns and the services that depend on it: ${RESTART_HNS}.`,
    id: 'hns-network-exists',
    sources: [HCN_CODES, 'hcsshim#850'],
  },
  {
    cause:
      'A port that a service needs is in use: by another rule, by a program that listens on all addresses, or by a range reserved by Windows.',
    code: 0x803b_0013,
    fix: `Check "netsh interface ipv4 show excludedportrange protocol=tcp" and "netstat -ano"; free the port, then ${RESTART_KUBE_PROXY}.`,
    id: 'hns-port-exists',
    sources: [HCN_CODES, 'hcsshim#1043', 'kubernetes/community#8883'],
  },
  {
    cause: 'The endpoint is still attached to a container that has exited.',
    code: 0x803b_0014,
    fix: 'Remove the endpoint ("hnsdiag list endpoints", "hnsdiag delete endpoints <id>"); the kubelet creates a new one.',
    id: 'hns-endpoint-attached',
    sources: [HCN_CODES, 'projectcalico/calico#4280'],
  },
  {
    cause:
      'The hns service has crashed, and no longer knows what the request names, such as the namespace of a pod that is removed. It is a bug of Windows without a known fix.',
    code: 0x803b_0015,
    fix: `No update is known to fix it. Windows restarts hns two minutes after a crash (event 7031); then restart the services that depend on it: ${RESTART_FLANNELD}. If pods stay in Terminating, drain the node and restart Windows.`,
    id: 'hns-request-unsupported',
    sources: [HCN_CODES, 'hcsshim#2155', 'microsoft/Windows-Containers#485'],
  },
  {
    cause: 'The address is outside the network: it was reserved when the node had another pod network.',
    code: 0x803b_001e,
    fix: AGAIN,
    id: 'hns-invalid-address',
    sources: [HCN_CODES, 'kubernetes website: debug-cluster/windows'],
  },
  {
    cause: 'The network still has endpoints or rules; Windows 10.0.17763.1554 and newer removes it only without them.',
    code: 0x803b_002c,
    fix: `Restart hns and the services that depend on it: ${RESTART_HNS}. Or run "k8s-win reset", which removes them in order.`,
    id: 'hns-has-references',
    sources: [HCN_CODES, 'Azure/AgentBaker: staging/cse/windows/provisioningscripts/cleanupnetwork.ps1'],
  },
  {
    cause:
      'HNS considers the address invalid or reserved: the endpoint of a removed container still uses it, or it is not in the network.',
    code: 0x803b_002f,
    fix: 'Find the endpoint with that address ("hnsdiag list endpoints") and remove it ("hnsdiag delete endpoints <id>").',
    id: 'hns-address-taken',
    sources: [HCN_CODES, 'kubernetes#100962', 'sig-windows-tools#71'],
  },
]

export const HNS_SIGNATURES: readonly Signature[] = [
  ...FAILURES.map((failure) => fromHns(failure, hresult)),
  ...HNS_WINDOWS_SIGNATURES,
]
