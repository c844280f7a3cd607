// The kubelet's store of client certificates, read as the kubelet reads it at its start (client-go/util/certificate,
// certificate_store.go: recover and Current; the same from 1.21 to 1.23).
import {certificateRotation} from '../../components/kubelet.js'
import {KUBELET_CERTIFICATE_FILES} from '../../config/layout.js'
import {K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {userOf, whyLapsed} from '../../host/cluster/credential-validity.js'
import {type KeyPair, readKeyPair} from '../../host/cluster/key-material.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {trustedFiles} from '../../host/security/trust.js'
import {readUserFile} from '../../host/cluster/user-file.js'
import {FileError, type Files} from '../../machine/files.js'

export interface StoredCertificate {
  readonly content: string
  /** None where the kubelet does not start with it. */
  readonly pair?: KeyPair
  /** The files it is in; messages name the first. */
  readonly paths: readonly [string, ...string[]]
}

const [CURRENT, UPDATED, CERTIFICATE, KEY] = KUBELET_CERTIFICATE_FILES
/** `updated` is left by an update that was cut short: recover makes it `current`. */
const PLACES = [[CURRENT], [UPDATED], [CERTIFICATE, KEY]] as const

/**
 * The one that the kubelet loads; undefined where there is none, or it cannot be read or trusted: what is wrong with it is
 * reported by the check of the folders. `current` is the kubelet's link to its newest one (trust.ts, fileBeside).
 */
export async function storedCertificate({
  files,
  trust,
}: Pick<Host, 'files' | 'trust'>): Promise<StoredCertificate | undefined> {
  const trusted = trustedFiles(files, trust)
  try {
    for (const paths of PLACES) {
      const contents = await Promise.all(paths.map((path) => readStored(trusted, path)))
      if (contents.includes(undefined)) continue
      // With a line break: the first line of a file must not be joined to the last one of another.
      const content = contents.join('\n')
      // recover: "expected … to be a symlink but it is a file".
      const isRefused = paths[0] === UPDATED && (await files.status(UPDATED))?.kind !== 'link'
      const pair = isRefused ? undefined : pairIn(content)
      return {content, ...(pair && {pair}), paths}
    }
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
  }

  return undefined
}

/**
 * A kubeconfig as the kubelet uses it: while the certificate of its store is valid it never shows the kubeconfig's. Only
 * where the kubeconfig's own has ended does it matter which of the two is shown.
 */
export async function asKubelet(
  host: Pick<Host, 'clock' | 'files' | 'trust'>,
  kubeconfig: Kubeconfig,
  nodeName: () => Promise<string> | string,
): Promise<Kubeconfig> {
  const hasLapsed = (one: Kubeconfig): boolean => whyLapsed(one, host.clock.now()) !== undefined
  // Without rotation the kubelet has no store.
  if (!certificateRotation(kubeconfig).kubeletRotates || !hasLapsed(kubeconfig)) return kubeconfig
  const pair = (await storedCertificate(host))?.pair
  const own = pair && withPair(kubeconfig, pair)
  if (!own || hasLapsed(own)) return kubeconfig
  return userOf(own) === `system:node:${await nodeName()}` ? own : kubeconfig
}

export const withPair = (kubeconfig: Kubeconfig, pair: KeyPair): Kubeconfig => ({
  ...kubeconfig,
  certificate: pair.cert,
  tls: {...kubeconfig.tls, ...pair},
})

async function readStored(files: Files, path: string): Promise<string | undefined> {
  try {
    return (await readUserFile(files, path))?.toString('utf8')
  } catch (error) {
    if (error instanceof FileError) return undefined
    // Too large, or a folder: its reader says so in a sentence, and the kubelet does not start with it either.
    if (error instanceof UnusableFileError) return ''
    throw error
  }
}

function pairIn(pem: string): KeyPair | undefined {
  try {
    return readKeyPair(pem, pem)
  } catch {
    return undefined
  }
}
