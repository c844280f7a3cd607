// Does a node that joins with a token have an identity in its cluster already? Then it needs no token: the same command is
// run again after restarts, long after its token has expired.
import {KUBELET_CERTIFICATE_FILES, layoutOf} from '../../config/layout.js'
import type {JoinOptions, NodeConfig, SetupConfig} from '../../config/model.js'
import {kubeconfigUnreadable} from '../../errors/cluster.js'
import {joinOtherCluster} from '../../errors/join.js'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {readClusterOf} from '../../host/cluster/cluster-info.js'
import {userOf, whyLapsed} from '../../host/cluster/credential-validity.js'
import {kubeconfigAt, readUserFile} from '../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {pinnedKeysIn} from '../../host/cluster/public-key-pin.js'
import type {Host} from '../../host/host.js'
import {trustedFiles} from '../../host/security/trust.js'

export interface Joining {
  readonly baseDir: string
  /** Whether a kubeconfig is for the cluster that is to be joined. */
  isCluster(kubeconfig: Kubeconfig): boolean
  readonly nodeName: string
  /** Of --server. */
  readonly server: string
}

export type JoinState =
  /** `given`: by a kubeconfig of the same cluster that was put there by hand, and is used as ever. */
  | {readonly kubeconfig: Kubeconfig; readonly state: 'given' | 'joined'}
  | {readonly state: 'unjoined'; readonly why: string}

const [CURRENT] = KUBELET_CERTIFICATE_FILES
const RESET_FIRST = 'Run "k8s-win reset" first, then the same command again.'
const MOVE_AWAY = 'To join with a token, move away'

type Parts = Pick<Host, 'clock' | 'files' | 'trust'>

/**
 * Throws where the kubeconfig in the base directory is for another cluster: the kubelet would use it, and never ask for a
 * certificate.
 */
export async function joinStateOf(host: Parts, {baseDir, isCluster, nodeName, server}: Joining): Promise<JoinState> {
  const path = layoutOf(baseDir).kubeconfig
  const text = await textOf(host, path)
  if (text === undefined) return {state: 'unjoined', why: `${path} does not exist`}
  const isKubelets = isWrittenByKubelet(text)
  let kubeconfig: Kubeconfig
  try {
    kubeconfig = await kubeconfigAt(host, path)
  } catch (error) {
    // The kubelet writes its kubeconfig before it has the certificate that is named in it.
    const isNoneYet = kubeconfigUnreadable.is(error) || (await isDangling(host))
    if (!isKubelets || !isNoneYet) throw error
    return {state: 'unjoined', why: 'the node has no certificate yet'}
  }

  if (!isCluster(kubeconfig)) {
    // The networks, the release and the daemons of a node are of its cluster, too.
    const fix = isKubelets ? RESET_FIRST : `${MOVE_AWAY} ${path}, or run setup without --server to use it as it is.`
    throw joinOtherCluster({fix, found: kubeconfig.server, path, server})
  }

  if (!isKubelets) return {kubeconfig, state: 'given'}
  const lapsed = whyLapsed(kubeconfig, host.clock.now())
  if (lapsed !== undefined) return {state: 'unjoined', why: lapsed.replace(/\.$/, '')}
  const user = userOf(kubeconfig) ?? 'an unknown user'
  return user === `system:node:${nodeName}`
    ? {kubeconfig, state: 'joined'}
    : {state: 'unjoined', why: `${CURRENT} is the certificate of ${user}`}
}

/** Of a node whose cluster is decided. */
export function nodeJoinState(host: Parts, config: SetupConfig & Pick<NodeConfig, 'nodeName'>): Promise<JoinState> {
  const {bootstrap} = config
  const isCluster = ({ca}: Kubeconfig): boolean => !bootstrap || isSameAuthority(ca, hashesIn(bootstrap.ca))
  return joinStateOf(host, {...config, isCluster, server: config.join?.server ?? ''})
}

/** Whether a node that joins has its certificate. */
export async function isJoined(host: Parts, config: NodeConfig): Promise<boolean> {
  return config.join !== undefined && (await nodeJoinState(host, config)).state !== 'unjoined'
}

/** By its authority where that is pinned. A server has several addresses, of which cluster-info names one. */
export const isToBeJoined =
  ({caCertHashes, server}: JoinOptions, storedServer: string | undefined) =>
  (kubeconfig: Kubeconfig): boolean =>
    caCertHashes.length === 0
      ? [new URL(kubeconfig.server).origin, storedServer].includes(server)
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
  if (text === undefined || !isWrittenByKubelet(text)) return undefined
  try {
    const {ca, server} = readClusterOf({kubeconfig: text})
    return {caCertHashes: hashesIn(ca), isVerificationSkipped: false, server: new URL(server).origin}
  } catch (error) {
    if (error instanceof UnusableFileError) return undefined
    throw error
  }
}

/** It names the link to the kubelet's newest certificate (bootstrap.go, writeKubeconfigFromBootstrapping). */
export const isWrittenByKubelet = (kubeconfig: string): boolean => {
  const [, name = ''] = /^\s*client-certificate:\s*(.*?)\s*$/m.exec(kubeconfig) ?? []
  const plain = name
    .replace(/^(["'])(.*)\1$/, '$2')
    .replaceAll('\\\\', '\\')
    .replaceAll('/', '\\')
  return plain.toLowerCase() === CURRENT.toLowerCase()
}
