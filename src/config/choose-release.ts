// The one rule for the release of a node that was not asked for one: of setup, of upgrade, and of a node that lost its record.
import type {Origin} from './options/layers.js'
import type {Asked, RuntimeName} from './model.js'
import {DOCKER_MINOR, isBelow, olderMinors, OLDEST_MINOR, type Version} from './version.js'

/** A release whose digest is in the catalogue. */
export interface KnownRelease extends Version {
  /** Whether it can run on this Windows. */
  readonly runsHere: boolean
}

/** What the host and the cluster report; what they do not report is absent. */
export interface ReleaseAnswers {
  /** Oldest first. */
  readonly catalogue?: readonly KnownRelease[]
  /** Docker responds on this host. */
  readonly isDockerRunning?: boolean
  /** "v1.36.4", as the API server reports it. */
  readonly serverVersion?: string
}

/** The documented default of the script that k8s-win replaces. Of the supported versions of Windows only Server 2019 runs it. */
export const DEFAULT_RELEASE: Version = {major: 1, minor: 21, patch: 5, text: '1.21.5'}

interface Choice {
  /** Absent where the host was not asked. */
  readonly origin?: Origin
  readonly release: Version
}

/** A new node with Docker on Server 2019, in a cluster that may have it: the documented default. Otherwise the newest that fits. */
export function chooseRelease(runtime: Asked['runtime'], answers: ReleaseAnswers): Choice {
  const {catalogue = [], serverVersion = ''} = answers
  const minor = serverMinor(serverVersion)
  const isDefault = catalogue.some(({runsHere, text}) => runsHere && text === DEFAULT_RELEASE.text)
  const isOfDocker = minor === undefined || (minor >= OLDEST_MINOR && minor <= DOCKER_MINOR)
  if (!isDefault || !isOfDocker || runtimeFor(runtime, answers) !== 'docker') return newestFitting(runtime, answers)
  const where = `the default with Docker on Windows Server 2019; ${ofServer(answers)}`
  return {origin: {source: 'default', value: DEFAULT_RELEASE.text, where}, release: DEFAULT_RELEASE}
}

/**
 * The newest known release that the API server accepts, the runtime can be used with and this Windows runs. Where there is
 * none, the one that misses least: the checks refuse it with the reason.
 */
export function newestFitting(runtime: Asked['runtime'], answers: ReleaseAnswers): Choice {
  const {catalogue = [], serverVersion = ''} = answers
  const minor = serverMinor(serverVersion)
  const used = runtimeFor(runtime, answers)
  const accepted = catalogue.filter((one) => minor === undefined || isAccepted(one, minor))
  const fitting = accepted.filter((one) => runtimeOf(one) === used)
  const newest = catalogue.at(-1)
  if (!newest) return {release: DEFAULT_RELEASE}
  const found =
    fitting.findLast(({runsHere}) => runsHere) ??
    accepted.findLast(({runsHere}) => runsHere) ??
    fitting.at(-1) ??
    accepted.at(-1) ??
    // Newer or older than all that are known.
    (minor !== undefined && minor > newest.minor ? newest : {...DEFAULT_RELEASE, runsHere: false})
  const {runsHere: _, ...release} = found
  const reason =
    release.minor === minor
      ? `the newest known patch of 1.${minor}`
      : found === newest
        ? 'the newest release this k8s-win knows'
        : `the newest known release for ${used === 'docker' ? 'Docker' : 'containerd'} on this Windows`
  const source = minor === undefined ? 'default' : 'cluster'
  return {origin: {source, value: release.text, where: `${reason}; ${ofServer(answers)}`}, release}
}

/** Version skew policy: never newer than the API server, and only so much older. */
const isAccepted = (release: Version, server: number): boolean =>
  release.minor <= server && server - release.minor <= olderMinors(release.minor)

const ofServer = ({serverVersion}: ReleaseAnswers): string =>
  serverVersion === undefined ? 'the API server was not asked' : `the API server is ${serverVersion}`

const runtimeFor = (runtime: Asked['runtime'], {isDockerRunning = false}: ReleaseAnswers): RuntimeName =>
  usedRuntime(runtime, isDockerRunning ? 'docker' : 'containerd')

/** The kubelet speaks to Docker up to 1.23, and k8s-win sets up containerd from 1.24 on. */
export const runtimeOf = (release: Version): RuntimeName =>
  isBelow(release, 1, DOCKER_MINOR + 1) ? 'docker' : 'containerd'

/** "auto" is the one that fits the release. */
export const usedRuntime = <Fitting>(runtime: Asked['runtime'], fitting: Fitting): Fitting | RuntimeName =>
  runtime === 'auto' ? fitting : runtime

/** The minor of a version of Kubernetes 1 as an API server reports it; undefined for another text. */
export function serverMinor(version: string): number | undefined {
  const minor = /^v?1\.(\d{1,4})(?:[.+]|$)/.exec(version)?.[1]
  return minor === undefined ? undefined : Number(minor)
}
