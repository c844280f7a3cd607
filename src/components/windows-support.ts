// Which releases of Kubernetes run on which build of Windows Server: hard floors, what upstream documents, releases that do
// not run on Windows at all, and patches that a Windows node should have. Sources: "Windows containers in Kubernetes" of
// kubernetes/website at each release, and the CHANGELOG files of kubernetes/kubernetes.
import {isBelow, type Version} from '../config/version.js'

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
  readonly fix: string
  readonly minor: number
  readonly patch: number
}

const LEAK = 'kube-proxy no longer leaks rules when backends change'
const REMOTE = 'kube-proxy creates endpoints whose address was a remote one'
const MODIFY = 'kube-proxy updates load balancers as HNS 15.4 has them'
const STALE = 'kube-proxy removes stale remote endpoints and keeps load balancers of ClusterIPs'
const FAMILIES = 'kube-proxy separates load balancers of IPv4 and IPv6'
const RECHECK = 'kube-proxy checks its rules regularly again'
const BINARY = 'the kubelet sets environment variables from Secrets with binary data again'
const REUSED = 'kube-proxy removes remote endpoints whose address is used again'
const STORAGE = 'CVE-2023-5528: a user who can create pods could become administrator of the node'
const LOGS = 'CVE-2024-5321: every user of the node could read the logs of containers'
const QUERY = 'CVE-2024-9042: a user with access to node logs could run commands'

/** What a Windows node should have of the patches of a minor, up to 1.34.11, 1.35.8 and 1.36.4; an older one is a warning. */
const FIXES: readonly Fix[] = [
  {fix: LEAK, minor: 24, patch: 7},
  {
    fix: 'CVE-2023-3676 and CVE-2023-3955: a user who can create pods could become administrator of the node',
    minor: 24,
    patch: 17,
  },
  {fix: LEAK, minor: 25, patch: 3},
  {fix: STORAGE, minor: 25, patch: 16},
  {fix: STORAGE, minor: 26, patch: 11},
  {fix: LOGS, minor: 27, patch: 16},
  {fix: LOGS, minor: 28, patch: 12},
  {fix: 'the kubelet no longer needs wmic', minor: 28, patch: 13},
  {fix: QUERY, minor: 29, patch: 13},
  {fix: QUERY, minor: 30, patch: 9},
  {fix: REMOTE, minor: 31, patch: 9},
  {fix: 'kube-proxy keeps load balancers of ClusterIPs', minor: 31, patch: 14},
  {fix: REMOTE, minor: 32, patch: 5},
  {fix: MODIFY, minor: 32, patch: 6},
  {fix: STALE, minor: 32, patch: 10},
  {fix: REMOTE, minor: 33, patch: 1},
  {fix: MODIFY, minor: 33, patch: 2},
  {fix: STALE, minor: 33, patch: 6},
  {fix: FAMILIES, minor: 33, patch: 8},
  {fix: STALE, minor: 34, patch: 2},
  {fix: RECHECK, minor: 34, patch: 4},
  {fix: FAMILIES, minor: 34, patch: 4},
  {fix: REUSED, minor: 34, patch: 8},
  {fix: BINARY, minor: 34, patch: 9},
  {fix: RECHECK, minor: 35, patch: 1},
  {fix: FAMILIES, minor: 35, patch: 1},
  {fix: REUSED, minor: 35, patch: 5},
  {fix: BINARY, minor: 35, patch: 6},
  {fix: REUSED, minor: 36, patch: 1},
  {fix: BINARY, minor: 36, patch: 2},
  // kubernetes#140066
  {fix: 'the kubelet no longer leaks memory at every sync of a pod', minor: 36, patch: 3},
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
    ...missing.map(({fix, patch: first}) => `${text} lacks a fix of 1.${minor}.${first}: ${fix}`),
  ]
}
