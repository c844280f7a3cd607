// Notices of releases that are newer than the node's: of the catalogue, of the API server, and of upstream.
import {newestRelease} from '../artifacts/digests.js'
import {MICROSOFT_REGISTRY} from '../components/containerd.js'
import type {Decided} from '../config/model.js'
import {isOlder, NEWEST_MINOR, parseVersion, type Version} from '../config/version.js'
import {check, type Finding, notChecked, pass} from './check.js'

const known = async (minor: number): Promise<Version | undefined> =>
  parseVersion((await newestRelease(Math.min(minor, NEWEST_MINOR))) ?? '')

const upgradeTo = ({text}: Version): string => `Run "k8s-win upgrade --release ${text}" to install it.`

/** A release that setup stored stays until upgrade replaces it. */
export async function ofCatalogue({origin, release}: Decided): Promise<Pick<Finding, 'notice'>> {
  const newest = await known(release.minor)
  if (origin.sources.release !== 'stored' || !newest || !isOlder(release, newest)) return {}
  return {notice: `Kubernetes ${release.text}: a newer patch is known, ${newest.text}. Run "k8s-win upgrade".`}
}

/** As long as the version skew policy allows it, a cluster may be newer than all that is known. */
export async function ofServer(release: Version, version: string): Promise<Pick<Finding, 'notice'>> {
  const server = parseVersion(/^v?\d+\.\d+\.\d+/.exec(version)?.[0] ?? '')
  const newest = server && (await known(server.minor))
  if (!newest || !isOlder(newest, server) || !isOlder(release, server)) return {}
  if (server.minor === release.minor) {
    const about = `Kubernetes ${release.text}: the API server is ${version}, which this k8s-win does not know`
    return {notice: `${about}. ${upgradeTo(server)}`}
  }
  const reach = release.text === newest.text ? 'the newest release' : `${newest.text} is the newest release`
  return {notice: `Kubernetes ${release.text}: ${reach} this k8s-win knows; the API server is ${version}`}
}

/** A notice is not worth a longer wait. */
const LOOKUP_MS = 3000
const LARGEST = 64

/** Status does not run it: it asks only this host and the cluster. */
export const newerPatch = check(
  'newer-patch',
  {cost: 'cluster', on: 'host', title: 'Newer patches'},
  async ({config: {imageRegistry, release}, host, server, signal}) => {
    const url = `https://dl.k8s.io/release/stable-1.${release.minor}.txt`
    if (imageRegistry !== MICROSOFT_REGISTRY) return notChecked(`${url} is not asked where images come from a mirror`)
    const answer = await host.http
      .request({deadlineMs: LOOKUP_MS, effect: 'read', isProbe: true, maxBytes: LARGEST, method: 'GET', signal, url})
      .catch(() => undefined)
    // The text of another host: nothing else of it is used or shown.
    const said = answer?.status === 200 ? /^v(\d+\.\d+\.\d+)\s*$/.exec(answer.body.toString('latin1'))?.[1] : undefined
    const published = parseVersion(said ?? '')
    if (published?.major !== release.major || published.minor !== release.minor) {
      return notChecked(`${url} does not name a release`)
    }
    const newest = await known(release.minor)
    const isNew = newest && isOlder(newest, published) && isOlder(release, published)
    const found = pass(`upstream's newest patch of 1.${release.minor} is ${published.text}`)
    // What the API server runs is a notice of its own.
    const {version = ''} = isNew ? await server().catch(() => ({version: ''})) : {}
    if (!isNew || version.startsWith(`v${published.text}`)) return found
    return {
      ...found,
      notice: `Kubernetes ${release.text}: ${published.text} was published since. ${upgradeTo(published)}`,
    }
  },
)
