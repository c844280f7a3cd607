// Checks of the API server itself: does it answer, and do its version and its clock go with this node.
import {NEWEST_MINOR, OLDEST_MINOR} from '../config/version.js'
import {clockWrong, serverUnreachable, versionSkew} from '../errors/cluster.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {HttpError} from '../machine/http.js'
import {type Check, dependsOn, notChecked, pass, type Verdict, warn} from './check.js'
import type {HostFacts} from './facts.js'

const TCP_MS = 5000
const CLOCK_WARNING_MS = 30_000
const CLOCK_WRONG_MS = 5 * 60_000
/** The version skew policy of these releases: no newer than the API server, and so many minors older at most. */
const OLDER_MINORS = 2

export const apiServer: Check = {
  id: 'api-server',
  async run(facts) {
    try {
      const {version} = await facts.server()
      return pass(`${(await facts.cluster()).server} responds (${version})`)
    } catch (error) {
      throw await howFar(facts, error)
    }
  },
  title: 'API server',
}

/** A time-out does not tell how far the connection came. */
async function howFar(facts: HostFacts, error: unknown): Promise<unknown> {
  const {cause} = error as {cause?: unknown}
  if (!(error instanceof K8sWinError && cause instanceof HttpError && cause.code === 'ETIMEDOUT')) return error
  const {proxy, server} = await facts.kubeconfig('kubelet')
  if (proxy !== undefined) return error
  const {hostname, port} = new URL(server)
  const isOpen = await facts.host.net.canConnect(hostname, Number(port || 443), TCP_MS)
  const told = isOpen
    ? 'A TCP connection succeeds, but the server does not respond with TLS or HTTP in time.'
    : 'A TCP connection fails: packets are dropped.'
  return serverUnreachable({reason: `${error.reason} ${told}`, server: (await facts.cluster()).server}, {cause})
}

/** What an API server that does not answer cannot tell is no second problem: the check of the server says it once. */
export function ofCluster(check: Check): Check {
  return {
    ...check,
    async run(facts) {
      return (await whyUnasked(facts)) ?? check.run(facts)
    },
  }
}

async function whyUnasked(facts: HostFacts): Promise<undefined | Verdict> {
  try {
    await facts.server()
    return undefined
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    if (error.id.startsWith('KUBECONFIG_')) return dependsOn('kubeconfig', 'there is no usable kubeconfig')
    return dependsOn('api-server', 'the API server could not be reached')
  }
}

export const serverVersion: Check = ofCluster({
  id: 'version-skew',
  async run(facts) {
    const {release} = facts.config
    const {version} = await facts.server()
    const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
    if (major === undefined || minor === undefined) {
      return warn(
        `the API server reports the version "${version}"`,
        `Check that it is between 1.${release.minor} and 1.${release.minor + OLDER_MINORS}.`,
      )
    }

    const ahead = major === release.major ? minor - release.minor : major - release.major
    if (major === release.major && ahead >= 0 && ahead <= OLDER_MINORS) return pass(`${release.text} with ${version}`)
    throw versionSkew({
      advice: ahead < 0 ? forOlderServer(major, minor) : forNewerServer(major, minor),
      reason:
        ahead < 0
          ? 'The kubelet and kube-proxy must not be newer than the API server.'
          : `The kubelet and kube-proxy may be at most ${OLDER_MINORS} minor versions older than the API server.`,
      release: release.text,
      version,
    })
  },
  title: 'Version skew',
})

/** Only a release that --release takes is worth a word. */
function forOlderServer(major: number, minor: number): string {
  if (major < 1 || minor < OLDEST_MINOR) {
    return `Upgrade the control plane first, to 1.${OLDEST_MINOR} or newer: k8s-win does not support older versions.`
  }
  const releases = minor === OLDEST_MINOR ? '' : `1.${OLDEST_MINOR}.<patch> to `
  return `Pass --release ${releases}1.${minor}.<patch>, or upgrade the control plane first.`
}

function forNewerServer(major: number, minor: number): string {
  const oldest = minor - OLDER_MINORS
  if (major === 1 && oldest <= NEWEST_MINOR) {
    return `Pass a newer version to --release: at most ${OLDER_MINORS} minor versions below the API server's.`
  }
  return `Join a cluster of 1.${OLDEST_MINOR} to 1.${NEWEST_MINOR + OLDER_MINORS}: with Docker, k8s-win does not support Kubernetes newer than 1.${NEWEST_MINOR}.`
}

export const serverClock: Check = ofCluster({
  id: 'server-clock',
  async run(facts) {
    const [{server}, {clockAheadMs: ahead}] = await Promise.all([facts.cluster(), facts.server()])
    if (ahead === undefined) return notChecked('the API server does not report its time')
    const apart = Math.abs(ahead)
    const difference = `${amount(apart)} ${ahead > 0 ? 'ahead of' : 'behind'}`
    if (apart > CLOCK_WRONG_MS) throw clockWrong({difference, server})
    if (apart <= CLOCK_WARNING_MS) return pass(`within ${CLOCK_WARNING_MS / 1000} s of the API server's`)
    return warn(
      `the clock of this host is ${difference} the API server's`,
      'Set the clock ("w32tm /resync /force") before certificates and tokens are rejected.',
    )
  },
  title: 'Clock',
})

const amount = (ms: number): string =>
  ms < 120_000
    ? `${Math.round(ms / 1000)} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 3_600_000)} h`
