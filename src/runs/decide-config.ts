// What the options leave open, asked of the host and the cluster. Reads only; for a node that was set up nothing is
// asked, because what was decided is stored.
import {win32} from 'node:path'
import {MICROSOFT_REGISTRY, MIRRORED} from '../components/containerd.js'
import {knownReleases} from '../preflight/known-releases.js'
import {DEFAULT_RELEASE, runtimeOf, usedRuntime} from '../config/choose-release.js'
import {type Answers, decide} from '../config/decide.js'
import {withOrigins} from '../config/options/layers.js'
import {layoutOf} from '../config/layout.js'
import type {Asked, Decided, JoinOptions} from '../config/model.js'
import {addressOf} from '../config/options/parse-join.js'
import {registryConfigUnusable} from '../errors/configuration.js'
import {joinOtherCluster, joinTokenMissing} from '../errors/join.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {detectCloud} from '../host/cloud.js'
import {discoverCluster} from '../host/cluster/discovery.js'
import {readToken, type TokenSource} from '../host/cluster/join-token.js'
import {isMisfit} from '../host/containerd/present.js'
import {readRegistries} from '../host/containerd/registry-config.js'
import {setOf} from '../host/security/known-paths.js'
import type {Host} from '../host/host.js'
import {orAborted, orGivenUp, within} from '../host/wait.js'
import {isToBeJoined, joinStateOf, RESET_FIRST, resumedJoin} from '../pipeline/desired/cluster/join-state.js'
import {nodeNameOf} from '../pipeline/desired/cluster/node-cluster.js'
import {rootOpenedBy} from '../pipeline/desired/containers/containerd-root.js'
import {demandProgram} from '../pipeline/desired/programs/service-program.js'
import {askCluster, ASKING_MS, isPassing, type Joined} from './ask-cluster.js'

/** Where a token is read from, and who must hide it. */
export type TokenFrom = Omit<TokenSource, 'host'>

/** Throws a ProblemsError where what was decided does not fit what was asked for. */
export const decideConfig = (
  requested: Asked,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom = {register() {}, warn() {}},
): Promise<Decided> => orAborted(askAndDecide(requested, host, signal, from), signal)

async function askAndDecide(requested: Asked, host: Host, signal: AbortSignal, from: TokenFrom): Promise<Decided> {
  const {asked, ...joined} = requested.kubeconfigFrom
    ? await fetchKubeconfig(requested, host, from)
    : await joinCluster(await resumeJoin(requested, host), host, signal, from)
  const isReleaseOpen = asked.release === undefined && !asked.isStored
  const [ofHost, ofContainerd, {unasked, ...ofCluster}, opened, ofCloud, ofProgram, ofRegistries] = await Promise.all([
    isReleaseOpen ? askHost(host) : {},
    !isReleaseOpen && hasDocker(asked) ? {} : askContainerd(host),
    within<Answers & Pick<Decided, 'unasked'>>(
      host.clock,
      ASKING_MS,
      askCluster(asked, joined, host, isReleaseOpen),
    ).catch((error: unknown) => (isPassing(error) ? {unasked: error} : {})),
    rootOpenedBy(host, asked.baseDir),
    askCloud(asked, host, signal),
    askProgram(asked, host, from),
    askRegistries(asked, host),
  ])
  const ofRoot = opened && {isUnstored: !asked.isStored, rootOpenedBy: opened}
  const decided = decide(asked, {
    ...ofHost,
    ...ofContainerd,
    ...ofCluster,
    ...ofRoot,
    ...ofCloud,
    ...ofProgram,
    ...ofRegistries,
  })
  return {...decided, ...joined, ...(unasked !== undefined && {unasked})}
}

const hasDocker = ({release, runtime}: Asked): boolean =>
  usedRuntime(runtime, runtimeOf(release ?? DEFAULT_RELEASE)) === 'docker'

/** The options of a setup that did not finish are not stored; without them the node would not know that it joined. */
async function resumeJoin(asked: Asked, host: Host): Promise<Asked> {
  const {isStored} = asked
  if (asked.join || asked.kubeconfig !== undefined || asked.identityFiles.kubelet !== undefined) return asked
  // A node that was set up with a kubeconfig, and is about to join with a token instead.
  const isBegun = isStored && (await host.files.status(layoutOf(asked.baseDir).bootstrapKubeconfig)) !== undefined
  if (isStored && !isBegun) return asked
  const join = await resumedJoin(host, asked.baseDir)
  if (!join) return asked
  const origin = {source: 'host', where: `${layoutOf(asked.baseDir).kubeconfig}, which the kubelet wrote`} as const
  const origins = {'ca-cert-hash': {...origin, value: join.caCertHashes}, server: {...origin, value: join.server}}
  return {...asked, join, origin: withOrigins(asked.origin, origins)}
}

/** A node that has joined is not asked where the cluster is: another address, which is not tried, is not stored. */
function keepServer(asked: Asked, join: JoinOptions, used: string, {warn}: TokenFrom): Asked {
  const own = addressOf(used)
  const stored = asked.storedJoin?.server
  if ([own, stored].includes(join.server)) return asked
  warn(`--server ${join.server} is not used: the node has joined already, and its API server is ${own}`)
  const server = stored ?? own
  const origin = {source: 'host', value: server, where: 'the node has joined already'} as const
  return {...asked, join: {...join, server}, origin: withOrigins(asked.origin, {server: origin})}
}

/** For another decision in the same run: standard input has the token only once, and a secret is fetched once. */
export function withSecrets(asked: Asked, {bootstrap, kubeconfig}: Decided): Asked {
  const own = {...asked, ...(kubeconfig !== undefined && {kubeconfig})}
  return asked.join && bootstrap ? {...own, join: {...asked.join, token: bootstrap.token}} : own
}

/** Only if there is no kubeconfig yet: at the next start of Windows the same command does not ask the secret store again. */
async function fetchKubeconfig(
  asked: Asked,
  host: Host,
  {fetch}: TokenFrom,
): Promise<Joined & {readonly asked: Asked}> {
  const {baseDir, kubeconfig, kubeconfigFrom: source} = asked
  const path = layoutOf(baseDir).kubeconfig
  if (!source || !fetch || kubeconfig !== undefined || (await host.files.status(path))) return {asked}
  try {
    return {asked: {...asked, kubeconfig: {path, source: source.text, text: await fetch(source)}}}
  } catch (error) {
    if (error instanceof K8sWinError) return {asked, joinProblem: error}
    throw error
  }
}

/** Neither where the node has its certificate already: then its token may have expired long ago. */
async function joinCluster(
  asked: Asked,
  host: Host,
  signal: AbortSignal,
  from: TokenFrom,
): Promise<Joined & {readonly asked: Asked}> {
  const {baseDir, isStored, join, storedJoin} = asked
  if (!join) return {asked}
  try {
    const nodeName = await nodeNameOf(host, asked)
    const {caCertHashes, server} = join
    const isCluster = isToBeJoined(join, storedJoin?.server)
    const isOwn = storedJoin !== undefined
    const state = await joinStateOf(host, {baseDir, isCluster, isOwn, isSetUp: isStored, nodeName, server})
    const hasToken = [join.token, join.tokenFile, from.fetch && join.tokenFrom].some((one) => one !== undefined)
    if (state.state === 'given' && hasToken) {
      const path = layoutOf(baseDir).kubeconfig
      from.warn(`${path} is there already and is used: the token is not. To join with the token, remove the file first`)
    }
    if (state.state === 'joined') return {asked: keepServer(asked, join, state.kubeconfig.server, from)}
    if (state.state !== 'unjoined') return {asked}
    // Its networks and its release are those of the cluster that it was set up in.
    const before = storedJoin?.caCertHashes ?? []
    if (before.length > 0 && caCertHashes.length > 0 && !caCertHashes.some((hash) => before.includes(hash))) {
      const path = layoutOf(baseDir).nodeConfig
      throw joinOtherCluster({fix: RESET_FIRST, found: storedJoin?.server ?? '', path, server})
    }
    if (!hasToken) {
      const hashes = caCertHashes.map((hash) => ` --ca-cert-hash ${hash}`).join('')
      // Of a setup that did not finish nothing is stored.
      throw joinTokenMissing({options: isStored ? '' : `--server ${server}${hashes}`, reason: state.why, server})
    }
    const token = await readToken({host, ...from}, join, signal)
    return {asked, bootstrap: await discoverCluster(host, {...join, token}, signal)}
  } catch (error) {
    if (error instanceof K8sWinError) return {asked, joinProblem: error}
    throw error
  }
}

export async function askHost({clock, docker, os}: Host): Promise<Answers> {
  const [version, windows] = await Promise.all([
    orGivenUp(clock, ASKING_MS, docker.version()),
    orGivenUp(clock, ASKING_MS, os.version()),
  ])
  return {catalogue: await knownReleases(windows?.build), isDockerRunning: version !== undefined}
}

/** Before the network is interrupted, and once: a node has the answer stored, and one without it is in no cloud. */
async function askCloud({cloud, isStored}: Asked, host: Host, signal: AbortSignal): Promise<Pick<Answers, 'cloud'>> {
  const isOpen = cloud === 'auto' || (cloud === undefined && !isStored)
  const found = isOpen ? await detectCloud(host, signal) : undefined
  if (found) return {cloud: found}
  // So that it is not asked again.
  return isOpen && cloud === 'auto' ? {cloud: {value: 'none', where: 'the firmware of this host names no cloud'}} : {}
}

/** The node is watched where the program can be a service, which is stored. Where it was asked for, a check demands it. */
async function askProgram(asked: Asked, host: Host, {warn}: TokenFrom): Promise<Pick<Answers, 'watch'>> {
  if (asked.watch !== undefined) return {}
  try {
    await demandProgram({config: asked, host}, true)
    return {watch: {value: 'true', where: 'k8s-win can run as a service'}}
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    const isHere = host.assets.program.command.every((path) => path.includes('\\'))
    if (isHere) warn(`the node is not watched: ${error.message} (${error.id}). --no-watch hides this warning`)
    return {}
  }
}

/** The files of one registry are written by one option. */
async function askRegistries(asked: Asked, host: Host): Promise<Pick<Answers, 'registries'>> {
  const registries = await readRegistries(host, asked)
  if (!registries) return {}
  const {imageRegistry, registryConfig = ''} = asked
  const own = setOf(registries.files.map(({path}) => win32.dirname(path)))
  const twice = imageRegistry === MICROSOFT_REGISTRY ? [] : MIRRORED.filter((registry) => own.has(registry))
  const problems = twice.map((registry) =>
    registryConfigUnusable({
      path: `${registryConfig}\\${registry}`,
      reason: `--image-registry ${imageRegistry} is a mirror of ${registry} as well: pass only one of them.`,
    }),
  )
  return {registries: {...registries, problems: [...registries.problems, ...problems]}}
}

/** Why one cannot be used is reported by the check of containerd. */
async function askContainerd(host: Host): Promise<Pick<Answers, 'containerd'>> {
  const found = await host.presentContainerd().catch(() => undefined)
  return found && !isMisfit(found) ? {containerd: {place: found.place, version: found.version}} : {}
}
