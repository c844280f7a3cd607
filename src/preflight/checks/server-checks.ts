// Checks of the API server: that it responds, and that its version and clock are compatible with this node.
import {NEWEST_MINOR, olderMinors, OLDEST_MINOR} from '../../config/version.js'
import {clockWrong, serverUnreachable, versionSkew} from '../../errors/cluster.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {Refusal} from '../../host/cluster/request.js'
import {HttpError} from '../../machine/http.js'
import {type Check, check, notChecked, pass, warn} from '../check.js'
import type {Facts} from '../facts.js'
import {unmetNeed} from '../needs.js'
import {ofServer} from '../newer-releases.js'

const TCP_MS = 5000
const CLOCK_WARNING_MS = 30_000
const CLOCK_WRONG_MS = 5 * 60_000

const apiServer = check('api-server', {area: 'cluster', cost: 'cluster', title: 'API server'}, async (facts) => {
  try {
    const {version} = await facts.server()
    return pass(`${(await facts.cluster()).server} responds (${version})`)
  } catch (error) {
    throw await howFar(facts, error)
  }
})

/** Adds to a timeout whether a TCP connection succeeds. */
async function howFar(facts: Facts, error: unknown): Promise<unknown> {
  const {cause} = error as {cause?: unknown}
  if (!(error instanceof K8sWinError && cause instanceof HttpError && cause.code === 'ETIMEDOUT')) return error
  const {proxy, server} = await facts.kubeconfig('kubelet')
  if (proxy !== undefined) return error
  const {hostname, port} = new URL(server)
  const isOpen = await facts.host.net.canConnect(hostname, Number(port || 443), TCP_MS)
  const detail = isOpen
    ? 'A TCP connection succeeds, but the server does not respond with TLS or HTTP in time.'
    : 'A TCP connection fails: packets are dropped.'
  return serverUnreachable({reason: `${error.reason} ${detail}`, server: (await facts.cluster()).server}, {cause})
}

const serverVersion = check('version-skew', {needs: ['cluster'], title: 'Version skew'}, async (facts) => {
  const {release} = facts.config
  const older = olderMinors(release.minor)
  const {version} = await facts.server()
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
  if (major === undefined || minor === undefined) {
    return warn(
      `the API server reports the version "${version}"`,
      `Check that it is between 1.${release.minor} and 1.${release.minor + older}.`,
    )
  }

  const ahead = major === release.major ? minor - release.minor : major - release.major
  if (major === release.major && ahead >= 0 && ahead <= older) {
    return {...pass(`${release.text} with ${version}`), ...(await ofServer(release, version))}
  }
  throw versionSkew({
    advice: ahead < 0 ? forOlderServer(major, minor) : forNewerServer(major, minor),
    reason:
      ahead < 0
        ? 'The kubelet and kube-proxy must not be newer than the API server.'
        : `The kubelet and kube-proxy may be at most ${older} minor versions older than the API server.`,
    release: release.text,
    version,
  })
})

/** Names only releases that --release accepts. */
function forOlderServer(major: number, minor: number): string {
  if (major < 1 || minor < OLDEST_MINOR) {
    return `Upgrade the control plane first, to 1.${OLDEST_MINOR} or newer: k8s-win does not support older versions.`
  }
  return `Pass --release ${releasesFor(minor, minor)}, or upgrade the control plane first.`
}

function forNewerServer(major: number, minor: number): string {
  const newest = NEWEST_MINOR + olderMinors(NEWEST_MINOR)
  if (major === 1 && minor <= newest) return `Pass --release ${releasesFor(minor, Math.min(minor, NEWEST_MINOR))}.`
  return `Join a cluster of 1.${OLDEST_MINOR} to 1.${newest}: this k8s-win does not support Kubernetes newer than 1.${NEWEST_MINOR}. Or update k8s-win.`
}

/** Those up to a minor that an API server accepts. */
function releasesFor(server: number, last: number): string {
  const minors = Array.from({length: last - OLDEST_MINOR + 1}, (_, index) => OLDEST_MINOR + index)
  const first = minors.find((one) => server - one <= olderMinors(one)) ?? last
  return first === last ? `1.${last}.<patch>` : `1.${first}.<patch> to 1.${last}.<patch>`
}

const serverClock = check('server-clock', {cost: 'cluster', title: 'Clock'}, async (facts) => {
  const refused = await facts.server().then(
    () => undefined,
    (error: Error) => error.cause,
  )
  const isWrong = refused instanceof Refusal && Math.abs(refused.clockAheadMs) > CLOCK_WRONG_MS
  const unasked = isWrong ? undefined : await unmetNeed(['cluster'], facts)
  if (unasked) return unasked
  const {server} = await facts.cluster()
  const {clockAheadMs: ahead} = isWrong ? refused : await facts.server()
  if (ahead === undefined) return notChecked('the API server does not report its time')
  const apart = Math.abs(ahead)
  const difference = `${amount(apart)} ${ahead > 0 ? 'ahead of' : 'behind'}`
  if (apart > CLOCK_WRONG_MS) throw clockWrong({difference, server})
  if (apart <= CLOCK_WARNING_MS) return pass(`within ${CLOCK_WARNING_MS / 1000} s of the API server's`)
  return warn(
    `the clock of this host is ${difference} the API server's`,
    'Set the clock ("w32tm /resync /force") before certificates and tokens are rejected.',
  )
})

const amount = (ms: number): string =>
  ms < 120_000
    ? `${Math.round(ms / 1000)} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 3_600_000)} h`

export const SERVER_CHECKS: readonly Check[] = [apiServer, serverVersion, serverClock]
