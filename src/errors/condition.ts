// Exit 3: this Windows, its hardware or its settings do not carry a node. Nothing was changed.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

export const patchMissing = defineError<{build: string; needed: string; seen: string; update: string}>(
  'WINDOWS_PATCH_MISSING',
  3,
  {
    cause: (p) => `flannel's overlay needs ${p.update}, which is ${p.build}.${p.needed} or newer.`,
    fix: 'Install the newest cumulative update of Windows, restart, and run the same command again.',
    message: (p) => `The patch level of this Windows, ${p.build}.${p.seen}, is too old for the overlay network`,
  },
)

export const architectureUnsupported = defineError<{architecture: string}>('ARCHITECTURE_UNSUPPORTED', 3, {
  cause: 'Kubernetes, flannel and the base images for Windows are made for AMD64.',
  fix: 'Use a host with a 64-bit Intel or AMD processor.',
  message: (p) => `Unsupported processor architecture: ${p.architecture}`,
})

export const diskTooSmall = defineError<{drive: string; size: string; wanted: string}>('DISK_TOO_SMALL', 3, {
  cause: (p) => `Windows, the base images and pods need at least ${p.wanted}.`,
  fix: (p) => `Make drive ${p.drive} larger: at least ${p.wanted}, 50 GB or more is recommended.`,
  message: (p) => `Drive ${p.drive} has ${p.size} in total`,
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
  cause: (p) =>
    `${p.what} needs a fixed drive of this host with NTFS, which supports access control lists; this is ${p.why}.`,
  fix: 'Pass a folder on a local NTFS drive to --base-dir; Docker\'s folder is set as "data-root" in its daemon.json.',
  message: (p) => `Drive ${p.drive} cannot be used`,
})

export const memoryTooSmall = defineError<{total: string; wanted: string}>('MEMORY_TOO_SMALL', 3, {
  cause: (p) => `Windows and the daemons need at least ${p.wanted}.`,
  fix: (p) => `Increase the memory of the host to at least ${p.wanted}.`,
  message: (p) => `This host has ${p.total} of memory`,
  wanted: (p) => `at least ${p.wanted} of memory`,
})

export const hnsMissing = defineError<Record<never, string>>('HNS_MISSING', 3, {
  cause: 'The service hns does not exist; it is part of the Windows feature Containers.',
  fix: 'Run "Install-WindowsFeature Containers", restart Windows, and run the same command again.',
  message: 'The Host Network Service is not installed',
})

export const hnsStopped = defineError<{state: string}>('HNS_STOPPED', 3, {
  cause: (p) => `The service hns is ${p.state}; pod networks require it.`,
  fix: 'Start it ("sc.exe config hns start= demand", then "net start hns") and run the same command again.',
  message: 'The Host Network Service is not running',
})

export const hnsTooOld = defineError<{seen: string; wanted: string}>('HNS_TOO_OLD', 3, {
  cause: (p) => `Overlay networks require version ${p.wanted}.`,
  fix: 'Install the newest cumulative update of Windows, restart, and run the same command again.',
  message: (p) => `The Host Network Service is too old: version ${p.seen}`,
})

export const otherNetwork = defineError<{adapter: string; id: string; network: string; type: string}>(
  'OTHER_NETWORK',
  3,
  {
    cause: (p) => `It is a ${p.type} network on ${p.adapter}, and flannel's overlay cannot share the adapter with it.`,
    fix: (p) =>
      `If it is no longer needed, remove it ("hnsdiag delete networks ${pasted(p.id)}"), or pass another adapter to --interface-name. --adopt removes the network named External.`,
    message: (p) => `The HNS network "${p.network}" conflicts with the overlay network`,
  },
)

export const cidrInUse = defineError<{cidr: string; flag: string; seen: string}>('CIDR_IN_USE', 3, {
  cause: (p) =>
    `This host already uses addresses of it: ${p.seen}. Either these addresses or the pods would become unreachable.`,
  fix: (p) =>
    `Check that --${p.flag} matches the cluster. If it does, change the addresses and routes of this host so that they do not overlap.`,
  message: (p) => `--${p.flag} ${p.cidr} overlaps with a network of this host`,
})

export const firewallPolicy = defineError<{ports: string; profiles: string}>('FIREWALL_POLICY', 3, {
  cause: (p) =>
    `In the profile ${p.profiles} a group policy sets AllowLocalPolicyMerge to 0, so the firewall rules of setup have no effect.`,
  fix: (p) =>
    `Allow local rules in the policy, or allow ${p.ports} inbound in the policy itself ("gpresult /h policy.html" names it).`,
  message: 'A group policy ignores the firewall rules of this host',
})
