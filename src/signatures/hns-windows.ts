// Codes of Windows that the Host Networking Service hands on: seen with it, each means something of its own.
import {fromHns, type HnsFailure, win32FromHns} from './codes.js'
import {AGAIN, RESTART_FLANNELD, RESTART_HNS, RESTART_KUBE_PROXY, START_HNS} from './remedies.js'
import type {Signature} from './signature.js'

/** What it conflicts with is seen on the host. */
export const PARAMETER_INCORRECT = 'hns-parameter-incorrect'
/** The failure that only a restart of kube-proxy ends. */
export const RULE_EXISTS = 'hns-rule-exists'

const FAILURES: readonly HnsFailure[] = [
  {
    cause: 'The saved network state of HNS is not compatible with this Windows, as seen after an update.',
    code: 0x22,
    fix: `Restart hns and the services that depend on it: ${RESTART_HNS}. If it fails again, run "k8s-win reset", restart Windows, and run setup again.`,
    id: 'hns-stale-after-update',
    sources: ['flannel#1112'],
  },
  {
    cause:
      'This Windows, or the driver of the adapter, does not support the request; Wi-Fi adapters do not support overlay networks.',
    code: 0x32,
    fix: 'Pass a wired adapter to --interface-name, and install the newest cumulative update of Windows.',
    id: 'hns-not-supported',
    sources: ['Microsoft: system error codes', 'flannel#1628', 'hcsshim#1477'],
  },
  {
    cause:
      'HNS refuses the network: leftovers of a previous network conflict with it (after a restart of Windows), or its adapter is a vEthernet that another network uses.',
    code: 0x57,
    fix:
      'Check "hnsdiag list networks" and remove what is not Docker\'s nat ("hnsdiag delete networks <id>"). If there are none, a virtual switch without a network conflicts: restart Windows, or remove it with Get-VMSwitch and Remove-VMSwitch of PowerShell. ' +
      AGAIN,
    id: PARAMETER_INCORRECT,
    // The other callers create endpoints and load balancers: removing networks would cut off the pods of a node that works.
    seenIn: ['hns', 'flanneld', 'docker'],
    sources: [
      'flannel#1966',
      'microsoft/SDN#177',
      'sig-windows-tools#249',
      'antrea-io/antrea#2213',
      'contrail-windows-docs: HNS errors bestiary',
    ],
  },
  {
    cause: 'After a restart of hns, kube-proxy creates rules that HNS still has.',
    code: 0xb7,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}; it removes its old rules at start.`,
    id: RULE_EXISTS,
    sources: ['kubernetes#139519', 'kubernetes#139503'],
  },
  {
    cause:
      'The network of the endpoint no longer exists, as after a restart of Windows when pods start before flanneld.',
    code: 0x490,
    fix: `Restart flanneld and kube-proxy: ${RESTART_FLANNELD}.`,
    id: 'hns-element-not-found',
    sources: ['Azure/acs-engine#4352', 'Azure/azure-container-networking#283'],
  },
  {
    cause: 'The hns service is not running.',
    code: 0x426,
    fix: START_HNS,
    id: 'hns-not-started',
    sources: ['Microsoft: system error codes', 'docker/for-win#8226'],
  },
  {
    cause: 'The hns service is not running, or does not respond to requests yet.',
    code: 0x6b5,
    fix: START_HNS,
    id: 'hns-interface-unknown',
    sources: ['Microsoft: system error codes (RPC_S_UNKNOWN_IF)', 'kubernetes#139503'],
  },
  {
    cause: 'The hns service is not running.',
    code: 0x6ba,
    fix: START_HNS,
    id: 'hns-not-running',
    sources: ['Microsoft: system error codes', 'kubernetes#139503'],
  },
  {
    cause: 'The hns service, or the Windows Firewall (mpssvc) that it uses, is not running.',
    code: 0x6d9,
    fix: `Check that the firewall service is running ("net start mpssvc"). ${START_HNS}`,
    id: 'hns-not-listening',
    sources: ['Microsoft: system error codes', 'docker/for-win#6535'],
  },
  {
    cause: 'An endpoint with that address or name already exists: left by a removed pod, or from before a restart.',
    code: 0x1392,
    fix: 'Find it with "hnsdiag list endpoints" and remove it ("hnsdiag delete endpoints <id>").',
    id: 'hns-object-exists',
    sources: ['kubernetes#74766', 'sig-windows-tools#94', 'microsoft/SDN#298'],
  },
]

export const HNS_WINDOWS_SIGNATURES: readonly Signature[] = FAILURES.map((failure) => fromHns(failure, win32FromHns))
