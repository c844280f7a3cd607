// What the options leave open, asked of the host and the cluster. Reads only; for a node that was set up nothing is
// asked, because what was decided is stored.
import {newestRelease} from '../artifacts/digests.js'
import {decide, type Learned} from '../config/decide.js'
import {layoutOf} from '../config/layout.js'
import type {Decided, JoinOptions} from '../config/model.js'
import {addressOf} from '../config/parse-join.js'
import {NEWEST_MINOR} from '../config/version.js'
import {joinOtherCluster, joinTokenMissing} from '../errors/join.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {discoverCluster} from '../host/cluster/discovery.js'
import {readToken, type TokenSource} from '../host/cluster/join-token.js'
import {isMisfit} from '../host/containerd/present.js'
import type {Host} from '../host/host.js'
import {orAborted, orGivenUp, within} from '../host/wait.js'
import {isToBeJoined, joinStateOf, RESET_FIRST, resumedJoin} from '../pipeline/desired/cluster/join-state.js'
import {nodeNameOf} from '../pipeline/desired/cluster/node-cluster.js'
import {rootOpenedBy} from '../pipeline/desired/containers/containerd-root.js'
import {askCluster, ASKING_MS, isPassing, type Joined} from './ask-cluster.js'
import {type AskedConfiguration, type Configuration, decided} from './configuration.js'

/** Where a token is read from, and who must hide it. */
export type TokenFrom = Omit<TokenSource, 'host'>

interface Unlearned {
  /** Why the cluster could not be asked, where that may pass: then the rest are defaults. */
  readonly unlearned?: unknown
}

export type DecidedConfiguration = Configuration & Unlearned

/** Throws a ProblemsError where what was decided does not fit what was asked for. */
export async function decideConfig(
  requested: AskedConfiguration,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom = {register() {}, warn() {}},
): Promise<DecidedConfiguration> {
  const resumed = await orAborted(withResumedJoin(requested, host), signal)
  const {server, ...joined} = await orAborted(joinCluster(resumed, host, signal, from), signal)
  const asked = server === undefined ? resumed : withServer(resumed, server)
  const isReleaseOpen = asked.asked.release === undefined && !asked.isStored
  const asking = Promise.all([
    isReleaseOpen ? askHost(host) : {},
    !isReleaseOpen && decide(asked.asked).config.runtime === 'docker' ? {} : askContainerd(host),
    within<Learned & Unlearned>(host.clock, ASKING_MS, askCluster(asked, joined, host, isReleaseOpen)).catch(
      (error: unknown) => (isPassing(error) ? {unlearned: error} : {}),
    ),
    rootOpenedBy(host, asked.asked.baseDir),
  ])
  const [ofHost, ofContainerd, {unlearned, ...ofCluster}, opened] = await orAborted(asking, signal)
  const ofRoot = opened && {isUnstored: !asked.isStored, rootOpenedBy: opened}
  const learned = {...ofHost, ...ofContainerd, ...ofCluster, ...ofRoot}
  const decision = decided(asked, learned)
  return {...decision, config: {...decision.config, ...joined}, ...(unlearned !== undefined && {unlearned})}
}

/** The options of a setup that did not finish are not stored; without them the node would not know that it joined. */
async function withResumedJoin(requested: AskedConfiguration, host: Host): Promise<AskedConfiguration> {
  const {asked, given, isStored, sources, where} = requested
  if (asked.join || asked.kubeconfig !== undefined || asked.identityFiles.kubelet !== undefined) return requested
  // A node that was set up with a kubeconfig, and is about to join with a token instead.
  const isBegun = isStored && (await host.files.status(layoutOf(asked.baseDir).bootstrapKubeconfig)) !== undefined
  if (isStored && !isBegun) return requested
  const join = await resumedJoin(host, asked.baseDir)
  if (!join) return requested
  const origin = `${layoutOf(asked.baseDir).kubeconfig}, which the kubelet wrote`
  return {
    ...requested,
    asked: {...asked, join},
    given: {...given, 'ca-cert-hash': join.caCertHashes, server: join.server},
    sources: {...sources, 'ca-cert-hash': 'host', server: 'host'},
    where: {...where, 'ca-cert-hash': origin, server: origin},
  }
}

/** A node that has joined is not asked where the cluster is: another address, which is not tried, is not stored. */
function keptServer(
  {server}: JoinOptions,
  used: string,
  stored: string | undefined,
  {warn}: TokenFrom,
): {readonly server?: string} {
  const own = addressOf(used)
  if ([own, stored].includes(server)) return {}
  warn(`--server ${server} is not used: the node has joined already, and its API server is ${own}`)
  return {server: stored ?? own}
}

function withServer(asked: AskedConfiguration, server: string): AskedConfiguration {
  const {join} = asked.asked
  return {
    ...asked,
    asked: {...asked.asked, ...(join && {join: {...join, server}})},
    given: {...asked.given, server},
    sources: {...asked.sources, server: 'host'},
    where: {...asked.where, server: 'the node has joined already'},
  }
}

/** For another decision in the same run. */
export function withToken(asked: AskedConfiguration, bootstrap: Decided['bootstrap']): AskedConfiguration {
  const {join} = asked.asked
  if (!join || !bootstrap) return asked
  return {...asked, asked: {...asked.asked, join: {...join, token: bootstrap.token}}}
}

/** Neither where the node has its certificate already: then its token may have expired long ago. */
async function joinCluster(
  {asked, isStored, storedJoin}: AskedConfiguration,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom,
): Promise<Joined & {readonly server?: string}> {
  const {baseDir, join} = asked
  if (!join) return {}
  try {
    const nodeName = await nodeNameOf(host, asked)
    const {caCertHashes, server} = join
    const isCluster = isToBeJoined(join, storedJoin?.server)
    const isOwn = storedJoin !== undefined
    const state = await joinStateOf(host, {baseDir, isCluster, isOwn, isSetUp: isStored, nodeName, server})
    if (state.state === 'given' && (join.token !== undefined || join.tokenFile !== undefined)) {
      const path = layoutOf(baseDir).kubeconfig
      from.warn(`${path} is there already and is used: the token is not. To join with the token, remove the file first`)
    }
    if (state.state === 'joined') return keptServer(join, state.kubeconfig.server, storedJoin?.server, from)
    if (state.state !== 'unjoined') return {}
    // Its networks and its release are those of the cluster that it was set up in.
    const before = storedJoin?.caCertHashes ?? []
    if (before.length > 0 && caCertHashes.length > 0 && !caCertHashes.some((hash) => before.includes(hash))) {
      const path = layoutOf(baseDir).nodeConfig
      throw joinOtherCluster({fix: RESET_FIRST, found: storedJoin?.server ?? '', path, server})
    }
    if (join.token === undefined && join.tokenFile === undefined) {
      const hashes = caCertHashes.map((hash) => ` --ca-cert-hash ${hash}`).join('')
      // Of a setup that did not finish nothing is stored.
      throw joinTokenMissing({options: isStored ? '' : `--server ${server}${hashes}`, reason: state.why, server})
    }
    const token = await readToken({host, ...from}, join, signal)
    return {bootstrap: await discoverCluster(host, {...join, token}, signal)}
  } catch (error) {
    if (error instanceof K8sWinError) return {joinProblem: error}
    throw error
  }
}

async function askHost({clock, docker}: Host): Promise<Learned> {
  const [version, newestPatch] = await Promise.all([
    orGivenUp(clock, ASKING_MS, docker.version()),
    newestRelease(NEWEST_MINOR),
  ])
  return {isDockerRunning: version !== undefined, ...(newestPatch !== undefined && {newestPatch})}
}

/** Why one cannot be used is reported by the check of containerd. */
async function askContainerd(host: Host): Promise<Pick<Learned, 'containerd'>> {
  const found = await host.presentContainerd().catch(() => undefined)
  return found && !isMisfit(found) ? {containerd: {place: found.place, version: found.version}} : {}
}
