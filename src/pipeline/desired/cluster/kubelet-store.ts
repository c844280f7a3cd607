// The kubelet's store of client certificates: read as the kubelet reads it at its start (client-go/util/certificate,
// certificate_store.go: recover and Current; the same from 1.21 to 1.23), and the keys that the kubelet wrote since setup started it.
import {win32} from 'node:path'
import {certificateRotation} from '../../../components/kubelet.js'
import {KUBELET_CERTIFICATE_FILES, KUBELET_KEYS} from '../../../config/layout.js'
import {K8sWinError, UnusableFileError} from '../../../errors/k8s-win-error.js'
import {userOf, whyLapsed} from '../../../host/cluster/credential-validity.js'
import {type KeyPair, readKeyPair} from '../../../host/cluster/key-material.js'
import {readUserFile} from '../../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../../host/cluster/kubeconfig.js'
import type {Host} from '../../../host/host.js'
import {keyOf} from '../../../host/security/known-paths.js'
import {trustedFiles} from '../../../host/security/trust.js'
import {FileError, type Files} from '../../../machine/files.js'
import type {Journal} from '../../ledger/journal.js'
import type {StepContext} from '../../run/step.js'
import {removePath} from '../files/remove-path.js'
import {isText, listOf} from '../../../config/shape.js'
import type {Kind} from '../../ledger/kind.js'

export interface StoredCertificate {
  readonly content: string
  /** Undefined where the kubelet does not start with it. */
  readonly pair?: KeyPair
  /** Its files; messages name the first. */
  readonly paths: readonly [string, ...string[]]
}

const [CURRENT, UPDATED, CERTIFICATE, KEY] = KUBELET_CERTIFICATE_FILES
/** An interrupted update leaves `updated`, which recover turns into `current`. */
const PLACES = [[CURRENT], [UPDATED], [CERTIFICATE, KEY]] as const

/**
 * The certificate that the kubelet loads; undefined where there is none, or it cannot be read or trusted, which the
 * check of the folders reports. `current` is the kubelet's link to its newest one (trust.ts, fileBeside).
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
      // With a line break, so that the last line of a file is not joined to the first one of the next.
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
 * A kubeconfig as the kubelet uses it: while the certificate of its store is valid it never presents the kubeconfig's.
 * That matters only where the kubeconfig's own has expired.
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
    // Too large, or a folder: the kubelet does not start with it either.
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

const STEP = 'kubelet-service'
/** Names that only a kubelet gives (certificate_store.go, filename; app/server.go, InitializeTLS). */
const BY_KUBELET = /^kubelet(?:-client-(?:current|updated|\d{4}(?:-\d\d){5})\.pem|\.(?:crt|key))$/i

/** The kubelet created the folder of keys itself, with everything in it. */
const isInTree = (journal: Pick<Journal, 'entries'>): boolean =>
  journal.entries(STEP, 'tree').some(({path}) => keyOf(KUBELET_KEYS).startsWith(`${keyOf(path)}\\`))

/**
 * Records the names before the kubelet first starts: every other key that a reset finds was created by this node's
 * kubelet, because no other can run beside it.
 */
export async function noteKeys({host, journal}: Pick<StepContext, 'host' | 'journal'>): Promise<void> {
  if (isInTree(journal) || journal.entries(STEP, 'files-before').length > 0) return
  const names = (await host.files.list(KUBELET_KEYS)).filter((name) => BY_KUBELET.test(name))
  await journal.record(STEP, {kind: 'files-before', names, path: KUBELET_KEYS})
}

/** Paths of keys created since, and of a link that was there before and leads to one of them. */
export async function keysMadeSince(files: Files, journal: Pick<Journal, 'entries'>): Promise<string[]> {
  const [before = isInTree(journal) ? {names: [], path: KUBELET_KEYS} : undefined] = journal.entries(
    STEP,
    'files-before',
  )
  if (!before) return []
  const isKnown = new Set(before.names.map((name) => name.toLowerCase()))
  const names = (await files.list(before.path)).filter((name) => BY_KUBELET.test(name))
  const made = new Set(names.filter((name) => !isKnown.has(name.toLowerCase())))
  for (const name of names) {
    const {beside} = (await files.status(win32.join(before.path, name))) ?? {}
    if (beside !== undefined && made.has(beside)) made.add(name)
  }

  return [...made].map((name) => win32.join(before.path, name))
}

export async function removeKeys(context: StepContext): Promise<void> {
  for (const path of await keysMadeSince(context.host.files, context.journal)) await removePath(context, path)
}

export const filesBefore: Kind = {
  accepts: ({names, path}) => typeof path === 'string' && keyOf(path) === keyOf(KUBELET_KEYS) && listOf(isText)(names),
  async remove(context, step) {
    if (step === 'kubelet-service') await removeKeys(context)
  },
  steps: ['kubelet-service'],
}
