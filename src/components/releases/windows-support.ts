// Which releases of Kubernetes run on which build of Windows Server: hard floors, what upstream documents, releases that do
// not run on Windows at all, and patches that a Windows node should have. Sources: "Windows containers in Kubernetes" of
// kubernetes/website at each release, and the CHANGELOG files of kubernetes/kubernetes.
import {isBelow, type Version} from '../../config/version.js'

interface WindowsSupport {
  /** The minors that kubernetes.io names for this build; outside of them upstream does not test it. */
  readonly documented: {readonly since: number; readonly until?: number}
  /** The first patch of each of these minors that runs there; older minors do not, later ones do. */
  readonly floors: readonly {readonly minor: number; readonly patch: number}[]
  /** Why a release below the floors does not run there. */
  readonly reason: string
}

const WINDOWS: Readonly<Record<number, WindowsSupport>> = {
  // Removed from the documentation with 1.35 (kubernetes/website eeca317646); nothing in the daemons refuses it.
  17_763: {
    documented: {since: 21, until: 34},
    floors: [{minor: 21, patch: 0}],
    reason: 'the first release that was tested on it is 1.21',
  },
  20_348: {
    documented: {since: 23},
    floors: [{minor: 23, patch: 0}],
    reason: 'the first release that was tested on it is 1.23',
  },
  // perfcounter_nodestats.go ran "wmic csproduct get UUID" at every start, and an error ended the kubelet (kubernetes#126012).
  26_100: {
    documented: {since: 35},
    floors: [
      {minor: 28, patch: 13},
      {minor: 29, patch: 8},
      {minor: 30, patch: 4},
      {minor: 31, patch: 1},
    ],
    reason: 'the kubelet before 1.28.13, 1.29.8, 1.30.4 and 1.31 runs wmic, which Windows Server 2025 does not have',
  },
}

/** Releases that do not run on any Windows, and why. */
const BROKEN_RELEASES: Readonly<Record<string, string>> = {
  '1.31.0':
    'on Windows its kubelet starts only once, because it does not remove its socket (kubernetes#126976, fixed in 1.31.1)',
}

/** Versions of flannel that do not run on any Windows, and why. */
const BROKEN_FLANNEL: Readonly<Record<string, string>> = {
  '0.26.0': 'it exits because it looks for /proc/sys/net/bridge (rke2#7215, fixed in 0.26.1)',
}

interface Fix {
  readonly bug: string
  readonly minor: number
  readonly patch: number
}

const LEAK = 'kube-proxy leaks rules when backends change'
const REMOTE = 'kube-proxy does not create endpoints whose address was a remote one'
const MODIFY = 'kube-proxy cannot update load balancers of HNS 15.4'
const STALE = 'kube-proxy keeps stale remote endpoints, and may delete load balancers of ClusterIPs'
const FAMILIES = 'kube-proxy mixes load balancers of IPv4 and IPv6'
const RECHECK = 'kube-proxy does not resync its rules while no Service changes'
const BINARY = 'the kubelet does not set environment variables from Secrets with binary data'
const REUSED = 'kube-proxy keeps remote endpoints whose address is used again'
const STORAGE = 'CVE-2023-5528: a user who can create pods can become administrator of the node'
const LOGS = 'CVE-2024-5321: every user of the node can read the logs of containers'
const QUERY = 'CVE-2024-9042: a user with access to node logs can run commands'

/** What a Windows node should have of the patches of a minor, up to 1.34.11, 1.35.8 and 1.36.4; an older one is a warning. */
const FIXES: readonly Fix[] = [
  {bug: LEAK, minor: 24, patch: 7},
  {
    bug: 'CVE-2023-3676 and CVE-2023-3955: a user who can create pods can become administrator of the node',
    minor: 24,
    patch: 17,
  },
  {bug: LEAK, minor: 25, patch: 3},
  {bug: STORAGE, minor: 25, patch: 16},
  {bug: STORAGE, minor: 26, patch: 11},
  {bug: LOGS, minor: 27, patch: 16},
  {bug: LOGS, minor: 28, patch: 12},
  {bug: 'the kubelet needs wmic', minor: 28, patch: 13},
  {bug: QUERY, minor: 29, patch: 13},
  {bug: QUERY, minor: 30, patch: 9},
  {bug: REMOTE, minor: 31, patch: 9},
  {bug: 'kube-proxy deletes load balancers of ClusterIPs', minor: 31, patch: 14},
  {bug: REMOTE, minor: 32, patch: 5},
  {bug: MODIFY, minor: 32, patch: 6},
  {bug: STALE, minor: 32, patch: 10},
  {bug: REMOTE, minor: 33, patch: 1},
  {bug: MODIFY, minor: 33, patch: 2},
  {bug: STALE, minor: 33, patch: 6},
  {bug: FAMILIES, minor: 33, patch: 8},
  {bug: STALE, minor: 34, patch: 2},
  {bug: RECHECK, minor: 34, patch: 4},
  {bug: FAMILIES, minor: 34, patch: 4},
  {bug: REUSED, minor: 34, patch: 8},
  {bug: BINARY, minor: 34, patch: 9},
  {bug: RECHECK, minor: 35, patch: 1},
  {bug: FAMILIES, minor: 35, patch: 1},
  {bug: REUSED, minor: 35, patch: 5},
  {bug: BINARY, minor: 35, patch: 6},
  {bug: REUSED, minor: 36, patch: 1},
  {bug: BINARY, minor: 36, patch: 2},
  // kubernetes#140066
  {bug: 'the kubelet leaks memory at every sync of a pod', minor: 36, patch: 3},
]

/** Whether any supported release runs on this build. */
export function isSupportedBuild(build: number): boolean {
  return WINDOWS[build] !== undefined
}

export interface ReleaseProblem {
  /** The first minor, from this release's on, with a release that runs there. */
  readonly minor: number
  readonly reason: string
}

/** Why this release cannot run on this build; undefined where it can. Builds without support have no answer here. */
export function releaseProblem(release: Version, build: number): ReleaseProblem | undefined {
  const broken = BROKEN_RELEASES[release.text]
  if (broken !== undefined) return {minor: release.minor, reason: broken}
  const {floors = [], reason = ''} = WINDOWS[build] ?? {}
  const floor = floors.find(({minor}) => minor >= release.minor)
  return floor && isBelow(release, 1, floor.minor, floor.patch) ? {minor: floor.minor, reason} : undefined
}

/** Why this version of flannel cannot run on Windows. */
export function flannelProblem(version: Version): string | undefined {
  return BROKEN_FLANNEL[version.text]
}

/** The minor nearest to this one that upstream tests on this build. */
export function testedMinor(minor: number, build: number): number {
  const {since = 0, until = Infinity} = WINDOWS[build]?.documented ?? {}
  return Math.min(Math.max(minor, since), until)
}

/** What speaks against a release that runs on this build: not tested upstream, or a newer patch has fixes for Windows. */
export function releaseWarnings(release: Version, build: number): string[] {
  const {since = 0, until = Infinity} = WINDOWS[build]?.documented ?? {}
  const {minor, patch, text} = release
  const missing = FIXES.filter((one) => one.minor === minor && one.patch > patch)
  return [
    ...(minor < since ? [`upstream tests this Windows only from 1.${since} on`] : []),
    ...(minor > until ? [`upstream tests this Windows only up to 1.${until}`] : []),
    ...missing.map(({bug, patch: first}) => `${text} has a bug that is fixed in 1.${minor}.${first}: ${bug}`),
  ]
}
