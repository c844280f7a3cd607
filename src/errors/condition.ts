// Exit 3: this Windows, its hardware or its settings do not carry a node. Nothing was changed.
import {defineError} from './define.js'

export const patchMissing = defineError('WINDOWS_PATCH_MISSING', 3, {
  cause: "flannel's overlay needs {update}, which is {build}.{needed} or newer.",
  fix: 'Install the newest cumulative update of Windows, restart, and run the same command again.',
  message: 'The patch level of this Windows, {build}.{seen}, is too old for the overlay network',
})

export const architectureUnsupported = defineError('ARCHITECTURE_UNSUPPORTED', 3, {
  cause: 'Kubernetes, flannel and the base images for Windows are made for AMD64.',
  fix: 'Use a host with a 64-bit Intel or AMD processor.',
  message: 'Unsupported processor architecture: {architecture}',
})

export const diskTooSmall = defineError('DISK_TOO_SMALL', 3, {
  cause: 'Windows, the base images and pods need at least {wanted}.',
  fix: 'Make drive {drive} larger: at least {wanted}, 50 GB or more is recommended.',
  message: 'Drive {drive} has {size} in total',
  wanted: 'a drive of at least {wanted}',
})

export const diskFull = defineError('DISK_FULL', 3, {
  cause: '{cause}',
  fix: 'Free space on drive {drive}, so that at least {wanted} are free, or make it larger, and run the same command again.',
  message: 'Drive {drive} has {free} free of {total}',
  wanted: 'at least {wanted} free',
})

export const driveUnsuitable = defineError('DRIVE_UNSUITABLE', 3, {
  cause: '{what} needs a fixed drive of this host with NTFS, which supports access control lists; this is {why}.',
  fix: 'Pass a folder on a local NTFS drive to --base-dir; Docker\'s folder is set as "data-root" in its daemon.json.',
  message: 'Drive {drive} cannot be used',
})

export const memoryTooSmall = defineError('MEMORY_TOO_SMALL', 3, {
  cause: 'Windows and the daemons need at least {wanted}.',
  fix: 'Increase the memory of the host to at least {wanted}.',
  message: 'This host has {total} of memory',
  wanted: 'at least {wanted} of memory',
})

export const hnsMissing = defineError('HNS_MISSING', 3, {
  cause: 'The service hns does not exist; it is part of the Windows feature Containers.',
  fix: 'Run "Install-WindowsFeature Containers" in PowerShell, restart Windows, and run the same command again.',
  message: 'The Host Network Service is not installed',
})

export const hnsStopped = defineError('HNS_STOPPED', 3, {
  cause: 'The service hns is {state}; pod networks require it.',
  fix: 'Start it ("sc.exe config hns start= demand", then "net start hns") and run the same command again.',
  message: 'The Host Network Service is not running',
})

export const hnsTooOld = defineError('HNS_TOO_OLD', 3, {
  cause: 'Overlay networks require version {wanted}.',
  fix: 'Install the newest cumulative update of Windows, restart, and run the same command again.',
  message: 'The Host Network Service is too old: version {seen}',
})

export const otherNetwork = defineError('OTHER_NETWORK', 3, {
  cause: "It is a {type} network on {adapter}, and flannel's overlay cannot share the adapter with it.",
  fix: 'If it is no longer needed, remove it ("hnsdiag delete networks {id:word}"), or pass another adapter to --interface-name. --adopt removes the network named External.',
  message: 'The HNS network "{network}" conflicts with the overlay network',
})

export const cidrInUse = defineError('CIDR_IN_USE', 3, {
  cause: 'This host already uses addresses of it: {seen}. Either these addresses or the pods would become unreachable.',
  fix: 'Check that --{flag} matches the cluster. If it does, change the addresses and routes of this host so that they do not overlap.',
  message: '--{flag} {cidr} overlaps with a network of this host',
})

export const firewallPolicy = defineError('FIREWALL_POLICY', 3, {
  cause:
    'In the profile {profiles} a group policy sets AllowLocalPolicyMerge to 0 or DoNotAllowExceptions to 1, so the firewall rules of setup have no effect.',
  fix: 'Allow local rules and exceptions in the policy, or, if it allows exceptions, allow {ports} inbound in the policy itself ("gpresult /h policy.html" names it).',
  message: 'A group policy ignores the firewall rules of this host',
})
