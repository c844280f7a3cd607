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
      "HNS has no such network. flanneld's does not outlive a restart of Windows or of the hns service, and flanneld makes it only when it starts.",
    code: 0x803b_0001,
    fix: `Start flanneld and kube-proxy again: ${RESTART_FLANNELD}.`,
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
      'The virtual switch under the network is gone: somebody removed it, or its adapter was taken out or renamed.',
    code: 0x803b_0004,
    fix: `Restart hns and the services that depend on it: ${RESTART_HNS}. If it stays, restart Windows.`,
    id: 'hns-switch-not-found',
    sources: [HCN_CODES],
  },
  {
    cause:
      'The address is in no subnet of the network: the node has another pod network than when the address was reserved.',
    code: 0x803b_0005,
    fix: AGAIN,
    id: 'hns-subnet-not-found',
    sources: [HCN_CODES, 'kubernetes website: debug-cluster/windows'],
  },
  {
    cause: 'HNS knows no adapter of that name, or another network is bound to it already.',
    code: 0x803b_0006,
    fix: 'Look at the names ("netsh interface show interface") and at the networks ("hnsdiag list networks"); remove the one that is in the way, or give --interface-name.',
    id: 'hns-adapter-not-found',
    sources: [HCN_CODES, 'microsoft/SDN#269', 'sig-windows-tools#291'],
  },
  {
    cause: "The endpoint has lost its port of the switch, so a service's rule cannot be applied to it.",
    code: 0x803b_0007,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}. If it stays, restart Windows.`,
    id: 'hns-port-not-found',
    sources: [HCN_CODES, 'hcsshim#1043'],
  },
  {
    cause: 'This Windows lacks what an overlay needs: Windows Server 2019 has it from KB4489899 (March 2019) on.',
    code: 0x803b_0008,
    fix: 'Install the newest cumulative update of Windows, and restart.',
    id: 'hns-policy-not-found',
    sources: [HCN_CODES, 'microsoft/SDN#273'],
  },
  {
    cause: 'HNS does not accept the network as it was asked for: a subnet, gateway or VSID is missing or wrong.',
    code: 0x803b_000a,
    fix: String.raw`Look at C:\etc\kube-flannel\net-conf.json. ` + AGAIN,
    id: 'hns-invalid-network',
    sources: [HCN_CODES],
  },
  {
    cause:
      'HNS does not accept a policy: an address in it belongs to no endpoint any more, or this Windows does not know a part of it.',
    code: 0x803b_000d,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}. If it stays, install the newest cumulative update of Windows.`,
    id: 'hns-invalid-policy',
    sources: [HCN_CODES, 'aws/containers-roadmap#240', 'projectcalico/calico#8465'],
  },
  {
    cause: 'HNS holds a network of that name that it does not list: what is left of one that was removed halfway.',
    code: 0x803b_0010,
    fix: `Restart hns and the services that depend on it: ${RESTART_HNS}.`,
    id: 'hns-network-exists',
    sources: [HCN_CODES, 'hcsshim#850'],
  },
  {
    cause:
      'A port that a service needs is taken: by another rule, by a program that listens on all addresses, or by a range that Windows keeps for others.',
    code: 0x803b_0013,
    fix: `Look at "netsh interface ipv4 show excludedportrange protocol=tcp" and "netstat -ano"; free the port, then ${RESTART_KUBE_PROXY}.`,
    id: 'hns-port-exists',
    sources: [HCN_CODES, 'hcsshim#1043', 'kubernetes/community#8883'],
  },
  {
    cause: 'The endpoint is still attached to a container that has ended.',
    code: 0x803b_0014,
    fix: 'Remove the endpoint ("hnsdiag list endpoints", "hnsdiag delete endpoints <id>"); the kubelet makes a new one.',
    id: 'hns-endpoint-attached',
    sources: [HCN_CODES, 'projectcalico/calico#4280'],
  },
  {
    cause: 'This Windows cannot do what was asked of HNS.',
    code: 0x803b_0015,
    fix: 'Install the newest cumulative update of Windows, and restart.',
    id: 'hns-request-unsupported',
    sources: [HCN_CODES, 'hcsshim#2155'],
  },
  {
    cause: 'Another network shares the virtual switch, so HNS cannot change it as was asked.',
    code: 0x803b_0018,
    fix: 'Find it with "hnsdiag list networks" and remove it, or give --interface-name another adapter.',
    id: 'hns-shared-switch',
    sources: [HCN_CODES],
  },
  {
    cause: 'The address is outside of the network: it was reserved when the node had another pod network.',
    code: 0x803b_001e,
    fix: AGAIN,
    id: 'hns-invalid-address',
    sources: [HCN_CODES, 'kubernetes website: debug-cluster/windows'],
  },
  {
    cause: 'The hns service was being stopped at that moment.',
    code: 0x803b_0020,
    fix: `Wait for it, then start the services that depend on it again: ${RESTART_FLANNELD}.`,
    id: 'hns-stopping',
    sources: [HCN_CODES],
  },
  {
    cause: 'Endpoints or rules are still on the network; Windows from 10.0.17763.1554 on removes it only without them.',
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
  {
    cause:
      'The VFP extension of the Windows virtual switch, which overlay networks require, is missing: the feature Containers is missing or not ready yet.',
    code: 0x803b_0037,
    fix: 'Install it ("dism /online /enable-feature /featurename:Containers /all"), and restart Windows.',
    id: 'hns-vfp-missing',
    sources: [HCN_CODES],
  },
]

export const HNS_SIGNATURES: readonly Signature[] = [
  ...FAILURES.map((failure) => fromHns(failure, hresult)),
  ...HNS_WINDOWS_SIGNATURES,
]
