// Exit 3: this Windows, its hardware or its settings do not carry a node. Nothing was changed.
import {defineError} from './define.js'

export const patchMissing = defineError<{build: string; needed: string; seen: string; update: string}>(
  'WINDOWS_PATCH_MISSING',
  3,
  {
    cause: (p) => `flannel's overlay needs ${p.update}, which is ${p.build}.${p.needed} or newer.`,
    fix: 'Install the newest cumulative update of Windows, restart, and run the same command again.',
    message: (p) => `This Windows is at patch level ${p.build}.${p.seen}, too old for the overlay network`,
  },
)

export const architectureUnsupported = defineError<{architecture: string}>('ARCHITECTURE_UNSUPPORTED', 3, {
  cause: 'Kubernetes, flannel and the base images for Windows are made for AMD64.',
  fix: 'Use a host with a 64-bit Intel or AMD processor.',
  message: (p) => `This Windows runs on ${p.architecture}`,
})

export const diskTooSmall = defineError<{drive: string; size: string; wanted: string}>('DISK_TOO_SMALL', 3, {
  cause: (p) => `Windows, the base images and pods do not fit on less than ${p.wanted}.`,
  fix: (p) => `Make drive ${p.drive} larger: at least ${p.wanted}, better 50 GB and more.`,
  message: (p) => `Drive ${p.drive} has ${p.size} in all`,
  wanted: (p) => `a drive of at least ${p.wanted}`,
})

type DiskFull = Record<'cause' | 'drive' | 'free' | 'total' | 'wanted', string>

export const diskFull = defineError<DiskFull>('DISK_FULL', 3, {
  cause: (p) => p.cause,
  fix: (p) =>
    `Free space on drive ${p.drive}, so that at least ${p.wanted} are free, or make it larger, and run the same command again.`,
  message: (p) => `Drive ${p.drive} has ${p.free} free of ${p.total}`,
  wanted: (p) => `at least ${p.wanted} free`,
})

export const driveUnsuitable = defineError<{drive: string; what: string; why: string}>('DRIVE_UNSUITABLE', 3, {
  cause: (p) => `${p.what} needs a fixed drive of this host with NTFS, which keeps access lists; this is ${p.why}.`,
  fix: 'Give --base-dir a folder on a local NTFS drive; Docker\'s own folder is "data-root" in its daemon.json.',
  message: (p) => `Drive ${p.drive} cannot be used`,
})

export const memoryTooSmall = defineError<{total: string; wanted: string}>('MEMORY_TOO_SMALL', 3, {
  cause: (p) => `Windows and the daemons alone need ${p.wanted}.`,
  fix: (p) => `Give the host at least ${p.wanted} of memory.`,
  message: (p) => `This host has ${p.total} of memory`,
  wanted: (p) => `at least ${p.wanted} of memory`,
})

export const hnsMissing = defineError<Record<never, string>>('HNS_MISSING', 3, {
  cause: "There is no service named hns; it comes with Windows' feature Containers.",
  fix: 'Run "Install-WindowsFeature Containers", restart Windows, and run the same command again.',
  message: 'The Host Network Service is not installed',
})

export const hnsStopped = defineError<{state: string}>('HNS_STOPPED', 3, {
  cause: (p) => `The service hns is ${p.state}; nobody else makes networks for pods.`,
  fix: 'Start it ("sc config hns start= demand", then "net start hns") and run the same command again.',
  message: 'The Host Network Service does not run',
})

export const hnsTooOld = defineError<{seen: string; wanted: string}>('HNS_TOO_OLD', 3, {
  cause: (p) => `Overlay networks for pods need version ${p.wanted}.`,
  fix: 'Install the newest cumulative update of Windows, restart, and run the same command again.',
  message: (p) => `The Host Network Service is version ${p.seen}`,
})

export const otherNetwork = defineError<{adapter: string; id: string; network: string; type: string}>(
  'OTHER_NETWORK',
  3,
  {
    cause: (p) => `It is a ${p.type} network on ${p.adapter}, and flannel's overlay cannot share the adapter with it.`,
    fix: (p) =>
      `If nothing needs it any more, remove it ("hnsdiag delete networks ${p.id}"), or give --interface-name another adapter. --adopt removes the one named External.`,
    message: (p) => `There is an HNS network "${p.network}" that is in the way`,
  },
)

export const cidrInUse = defineError<{cidr: string; flag: string; seen: string}>('CIDR_IN_USE', 3, {
  cause: (p) =>
    `This host already uses addresses of it: ${p.seen}. They could not be reached any more, or pods could not.`,
  fix: (p) =>
    `Check that --${p.flag} is what the cluster has. If it is, give this host other addresses and routes; they must not overlap.`,
  message: (p) => `--${p.flag} ${p.cidr} overlaps with a network of this host`,
})

export const restartPending = defineError<{reasons: string}>('RESTART_PENDING', 3, {
  cause: (p) => `Until then this Windows is half of one kind and half of another: ${p.reasons}.`,
  fix: 'Restart Windows and run the same command again.',
  message: 'Windows waits for a restart',
})

export const firewallPolicy = defineError<{ports: string; profiles: string}>('FIREWALL_POLICY', 3, {
  cause: (p) =>
    `In the profile ${p.profiles} a group policy sets AllowLocalPolicyMerge to 0, so the rules that setup makes do nothing.`,
  fix: (p) =>
    `Let the policy merge local rules, or allow ${p.ports} inbound in the policy itself ("gpresult /h policy.html" names it).`,
  message: 'A group policy ignores the firewall rules of this host',
})
