// Codes of Windows that the Host Networking Service hands on: seen with it, each means something of its own.
import {fromHns, type HnsFailure, win32FromHns} from './codes.js'
import {AGAIN, RESTART_FLANNELD, RESTART_HNS, RESTART_KUBE_PROXY, START_HNS} from './remedies.js'
import type {Signature} from './signature.js'

const FAILURES: readonly HnsFailure[] = [
  {
    cause: 'The caller is no administrator, or a policy keeps it from the Host Networking Service.',
    code: 0x5,
    fix: 'Run it as administrator (daemons: as LocalSystem, "sc qc flanneld").',
    id: 'hns-access-denied',
    sources: ['Microsoft: system error codes'],
  },
  {
    cause: 'What HNS remembers of its networks does not go with this Windows any more, as seen after an update.',
    code: 0x22,
    fix: `Restart hns and the services that depend on it: ${RESTART_HNS}. If it stays, "k8s-win reset", restart Windows, and set up again.`,
    id: 'hns-stale-after-update',
    sources: ['flannel#1112'],
  },
  {
    cause: 'This Windows, or the driver of the adapter, cannot do what was asked; a Wi-Fi adapter carries no overlay.',
    code: 0x32,
    fix: 'Give --interface-name a wired adapter, and install the newest cumulative update of Windows.',
    id: 'hns-not-supported',
    sources: ['Microsoft: system error codes', 'flannel#1628', 'hcsshim#1477'],
  },
  {
    cause:
      'HNS refuses the network: what is left of an older one is in the way (after a restart of Windows), or the adapter it names is a vEthernet, on which another network stands.',
    code: 0x57,
    fix:
      'Look at "hnsdiag list networks" and remove what is not Docker\'s nat ("hnsdiag delete networks <id>"). Where there is nothing else, a virtual switch without a network is in the way: restart Windows, or remove it with Get-VMSwitch and Remove-VMSwitch of PowerShell. ' +
      AGAIN,
    id: 'hns-parameter-incorrect',
    sources: [
      'flannel#1966',
      'microsoft/SDN#177',
      'sig-windows-tools#249',
      'antrea-io/antrea#2213',
      'contrail-windows-docs: HNS errors bestiary',
    ],
  },
  {
    cause: 'After a restart of hns kube-proxy makes rules again that HNS has kept.',
    code: 0xb7,
    fix: `Restart kube-proxy: ${RESTART_KUBE_PROXY}; it begins by removing its old rules.`,
    id: 'hns-rule-exists',
    sources: ['kubernetes#139519', 'kubernetes#139503'],
  },
  {
    cause: 'The network the endpoint is for is gone, as after a restart of Windows when pods start before flanneld.',
    code: 0x490,
    fix: `Start flanneld and kube-proxy again: ${RESTART_FLANNELD}.`,
    id: 'hns-element-not-found',
    sources: ['Azure/acs-engine#4352', 'Azure/azure-container-networking#283'],
  },
  {
    cause: 'The hns service does not run.',
    code: 0x426,
    fix: START_HNS,
    id: 'hns-not-started',
    sources: ['Microsoft: system error codes', 'docker/for-win#8226'],
  },
  {
    cause: 'The hns service does not run.',
    code: 0x6ba,
    fix: START_HNS,
    id: 'hns-not-running',
    sources: ['Microsoft: system error codes', 'kubernetes#139503'],
  },
  {
    cause: 'The hns service does not run, or one that it calls: the Windows Firewall (mpssvc).',
    code: 0x6d9,
    fix: `See that the firewall runs ("net start mpssvc"). ${START_HNS}`,
    id: 'hns-not-listening',
    sources: ['Microsoft: system error codes', 'docker/for-win#6535'],
  },
  {
    cause:
      'An endpoint with that address or name is there already: left by a pod that is gone, or from before a restart.',
    code: 0x1392,
    fix: 'Find it with "hnsdiag list endpoints" and remove it ("hnsdiag delete endpoints <id>").',
    id: 'hns-object-exists',
    sources: ['kubernetes#74766', 'sig-windows-tools#94', 'microsoft/SDN#298'],
  },
]

export const HNS_WINDOWS_SIGNATURES: readonly Signature[] = FAILURES.map((failure) => fromHns(failure, win32FromHns))
