// Does a node that joins with a token have an identity in its cluster already? Then it needs no token: the same command is
// run again after restarts, long after its token has expired.
import {KUBELET_CERTIFICATE_FILES, layoutOf} from '../../../config/layout.js'
import type {Decided, JoinOptions, Node} from '../../../config/model.js'
import {addressOf} from '../../../config/options/parse-join.js'
import {kubeconfigUnreadable} from '../../../errors/cluster.js'
import {joinHashWrong, joinOtherCluster} from '../../../errors/join.js'
import type {K8sWinError} from '../../../errors/k8s-win-error.js'
import {clusterOf} from '../../../host/cluster/cluster-info.js'
import {userOf, whyLapsed} from '../../../host/cluster/credential-validity.js'
import {kubeconfigAt, readUserFile} from '../../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../../host/cluster/kubeconfig.js'
import {pinnedKeysIn} from '../../../host/cluster/public-key-pin.js'
import type {Host} from '../../../host/host.js'
import {trustedFiles} from '../../../host/security/trust.js'

export interface Joining {
  readonly baseDir: string
  /** Whether a kubeconfig is for the cluster that is to be joined. */
  isCluster(kubeconfig: ClusterOf): boolean
  /** The node joined before, so that the kubeconfig in the base directory is its kubelet's, also where it is damaged. */
  readonly isOwn?: boolean
  /** Then its networks and its release are of the cluster it was set up in. */
  readonly isSetUp?: boolean
  readonly nodeName: string
  /** Of --server. */
  readonly server: string
}

type ClusterOf = Pick<Kubeconfig, 'ca' | 'server'>

export type JoinState =
  /** `given`: by a kubeconfig of the same cluster that was put there by hand, and is used as ever. */
  | {readonly kubeconfig: Kubeconfig; readonly state: 'given' | 'joined'}
  | {readonly state: 'unjoined'; readonly why: string}

const [CURRENT] = KUBELET_CERTIFICATE_FILES
export const RESET_FIRST = 'Run "k8s-win reset" first, then the same command again.'
const MOVE_AWAY = 'To join with a token, move away'

type Parts = Pick<Host, 'clock' | 'files' | 'trust'>

/**
 * Throws where the kubeconfig in the base directory is for another cluster: the kubelet would use it, and never ask for a
 * certificate.
 */
export async function joinStateOf(host: Parts, joining: Joining): Promise<JoinState> {
  const {baseDir, isCluster, isOwn = false, isSetUp = false, nodeName, server} = joining
  const path = layoutOf(baseDir).kubeconfig
  const text = await textOf(host, path)
  if (text === undefined) return {state: 'unjoined', why: `${path} does not exist`}
  const isKubelets = isWrittenByKubelet(text)
  let kubeconfig: Kubeconfig
  const demandCluster = (found: ClusterOf): void => {
    if (isCluster(found)) return
    if (addressOf(found.server) === server)
      throw joinHashWrong({found: hashesIn(found.ca ?? '').join(', ') || 'none', path})
    // The networks, the release and the daemons of a node are of its cluster, too.
    const isReset = isKubelets || isSetUp
    const fix = isReset ? RESET_FIRST : `${MOVE_AWAY} ${path}, or run setup without --server to use it as it is.`
    throw joinOtherCluster({fix, found: found.server, path, server})
  }
  try {
    kubeconfig = await kubeconfigAt(host, path)
  } catch (error) {
    // The kubelet writes its kubeconfig before it has the certificate that is named in it.
    const isNoneYet = kubeconfigUnreadable.is(error) || (await isDangling(host))
    const isDamaged = isOwn && !isKubelets && kubeconfigUnreadable.is(error)
    if (isPart(text) && !isDamaged && kubeconfigUnreadable.is(error))
      throw (error as K8sWinError).with({fix: deletePart(path)})
    if (!isDamaged && !(isKubelets && isNoneYet)) throw error
    const cluster = clusterOf(text)
    if (cluster) demandCluster(cluster)
    // The kubelet replaces one that it cannot read (bootstrap.go, isClientConfigStillValid).
    return {state: 'unjoined', why: isDamaged ? `${path} is damaged` : 'the node has no certificate yet'}
  }

  demandCluster(kubeconfig)
  if (!isKubelets) return {kubeconfig, state: 'given'}
  const lapsed = whyLapsed(kubeconfig, host.clock.now())
  if (lapsed !== undefined) return {state: 'unjoined', why: lapsed.replace(/\.$/, '')}
  const user = userOf(kubeconfig) ?? 'an unknown user'
  return user === `system:node:${nodeName}`
    ? {kubeconfig, state: 'joined'}
    : {state: 'unjoined', why: `${CURRENT} is the certificate of ${user}`}
}

const deletePart = (path: string): string =>
  `Get the kubeconfig again, or delete ${path} if it is what a kubelet that was killed has left, and run the same command again.`

/** Of a node whose cluster is decided. */
export function nodeJoinState(host: Parts, config: Decided & Pick<Node, 'nodeName'>): Promise<JoinState> {
  const {bootstrap} = config
  const isCluster = ({ca}: ClusterOf): boolean => !bootstrap || isSameAuthority(ca, hashesIn(bootstrap.ca))
  return joinStateOf(host, {...config, isCluster, isOwn: bootstrap !== undefined, server: config.join?.server ?? ''})
}

/** Whether a node that joins has its certificate. */
export async function isJoined(host: Parts, config: Node): Promise<boolean> {
  return config.join !== undefined && (await nodeJoinState(host, config)).state !== 'unjoined'
}

/** By its authority where that is pinned. A server has several addresses, of which cluster-info names one. */
export const isToBeJoined =
  ({caCertHashes, server}: JoinOptions, storedServer: string | undefined) =>
  (kubeconfig: ClusterOf): boolean =>
    caCertHashes.length === 0
      ? [addressOf(kubeconfig.server), storedServer].includes(server)
      : isSameAuthority(kubeconfig.ca, caCertHashes)

const isSameAuthority = (ca: string | undefined, hashes: readonly string[]): boolean =>
  ca !== undefined && hashesIn(ca).some((hash) => hashes.includes(hash))

/** A kubeconfig has only authorities that can be read. */
const hashesIn = (pem: string): string[] => pinnedKeysIn(pem).map(({hash}) => hash)

/** A link to a certificate that is gone. */
async function isDangling({files}: Pick<Host, 'files'>): Promise<boolean> {
  const isLink = (await files.status(CURRENT))?.kind === 'link'
  return isLink && (await files.read(CURRENT).catch(() => undefined)) === undefined
}

async function textOf({files, trust}: Pick<Host, 'files' | 'trust'>, path: string): Promise<string | undefined> {
  const content = await readUserFile(trustedFiles(files, trust), path).catch(() => Buffer.alloc(0))
  return content?.toString('utf8')
}

/** How a node joined whose setup did not finish, and so stored nothing: as its kubelet wrote it. */
export async function resumedJoin(host: Parts, baseDir: string): Promise<JoinOptions | undefined> {
  const text = await textOf(host, layoutOf(baseDir).kubeconfig).catch(() => undefined)
  const cluster = text !== undefined && isWrittenByKubelet(text) ? clusterOf(text) : undefined
  if (!cluster) return undefined
  return {caCertHashes: hashesIn(cluster.ca), isVerificationSkipped: false, server: addressOf(cluster.server)}
}

/** The kubelet does not write it atomically (client-go, clientcmd/loader.go, WriteToFile), and its users come last. */
export const isPart = (kubeconfig: string): boolean => !/^[ \t]*"?users"?[ \t]*:/m.test(kubeconfig)

/** It names the link to the kubelet's newest certificate (bootstrap.go, writeKubeconfigFromBootstrapping). */
export const isWrittenByKubelet = (kubeconfig: string): boolean => {
  const [, name = ''] = /^[ \t]*client-certificate:(.*)$/m.exec(kubeconfig) ?? []
  const plain = name
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .replaceAll('\\\\', '\\')
    .replaceAll('/', '\\')
  return plain.toLowerCase() === CURRENT.toLowerCase()
}
