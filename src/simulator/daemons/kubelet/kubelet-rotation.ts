// The kubelet renews its client certificate, and gets its first one, in the background
// (client-go/util/certificate/certificate_manager.go and pkg/kubelet/certificate/transport.go, the same from 1.21 to 1.36).
import {generateKeyPairSync, X509Certificate} from 'node:crypto'

import {createRequest, CSR_RESOURCE, KUBELET_CLIENT} from '../../cluster/signing-requests.js'
import type {SigningRequest} from '../../cluster/state.js'
import {makeRequest} from '../../cluster/x509.js'
import {remembered} from '../../../machine/remembered.js'
import type {CertificateRotation} from '../../world.js'
import type {DaemonProcess} from '../daemon.js'
import {type ClusterClient, openKubeconfig, readText} from '../kubeconfig.js'
import {CURRENT, isExpired, updateStore} from './kubelet-certificates.js'
import type {Kubelet} from './kubelet-start.js'

/** certificateWaitTimeout */
const WAIT_MS = 15 * 60_000
/** func run: five tries with growing pauses, then one every 32 s. */
const PAUSES_MS = [2000, 4000, 8000, 16_000]
const PAUSE_MS = 32_000
/** buildKubeletClientConfig: exitAfter. */
const EXIT_MS = 5 * 60_000

/** A certificate that stands in the kubeconfig itself stays as it is: the simulated kubelet does not replace it. */
export async function startRotation(self: Kubelet, {certificateFile}: ClusterClient): Promise<void> {
  const {process} = self.entry
  if (!process || certificateFile?.toLowerCase() !== CURRENT.toLowerCase()) return
  process.rotation = {...(await nextDeadline(self)), tries: 0}
}

export function isRotationDue({entry, stage}: DaemonProcess): boolean {
  const {rotation} = entry.process ?? {}
  if (rotation === undefined) return false
  const {at, endsAt = Infinity, pending} = rotation
  return pending !== undefined || stage.now() >= Math.min(at, endsAt)
}

/** True if something changed. */
export async function advanceRotation(self: Kubelet): Promise<boolean> {
  const {entry, stage} = self
  const {rotation} = entry.process ?? {}
  if (!rotation) return false
  if (await exitWithout(self, rotation)) return true
  if (rotation.pending) return await awaitCertificate(self, rotation, rotation.pending)
  if (stage.now() < rotation.at) return false
  const key = makeKey()
  const client = await openRequester(self)
  // The bootstrap token is in its memory: it has expired by the time that its file is gone.
  const problem = client.error === undefined ? client.problem('create', CSR_RESOURCE) : 'Unauthorized'
  if (problem !== undefined) {
    // updateServerError
    rotation.serverHealthy = problem === 'Unauthorized' || /is forbidden|not found/.test(problem)
    const err = `cannot create certificate signing request: ${problem}`
    return await failed(self, rotation, 'Failed while requesting a signed certificate from the control plane', err)
  }

  rotation.pending = {key, name: postRequest(self, client, key), until: stage.now() + WAIT_MS}
  return true
}

export const makeKey = (): string =>
  generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey.export({format: 'pem', type: 'sec1'}) as string

/** The name of the request. */
function postRequest({nodeName, stage, version}: Kubelet, client: ClusterClient, key: string): string {
  const {cluster} = stage.world
  const subject = {commonName: `system:node:${nodeName}`, organizations: ['system:nodes']}
  // Until 1.26 it asks for the usages of RSA keys, whatever its key (pkg/kubelet/certificate/kubelet.go).
  const usages = ['digital signature', ...(version.minor < 27 ? ['key encipherment'] : []), 'client auth']
  const wanted = {request: makeRequest(key, subject), signerName: KUBELET_CLIENT, usages}
  return createRequest(cluster, client.identity(), wanted, stage.now() + (cluster.clockAheadMs ?? 0)).name
}

async function awaitCertificate(
  self: Kubelet,
  rotation: CertificateRotation,
  {key, name, until}: NonNullable<CertificateRotation['pending']>,
): Promise<boolean> {
  const {log, stage} = self
  const isReached = (await openRequester(self)).problem('list', CSR_RESOURCE) === undefined
  const {certificateSigningRequests = []} = stage.world.cluster
  const request = isReached ? certificateSigningRequests.find((one) => one.name === name) : undefined
  const certificate = request?.certificate
  if (certificate !== undefined) {
    await log('I', 'csr.go:261', 'Certificate signing request is issued', {csr: name})
    await updateStore(stage, {cert: certificate, key})
    const {at, endsAt} = await nextDeadline(self)
    const {process} = self.entry
    // Where the new one seems to have ended already, because this host's clock is ahead, it asks once per second.
    const next = Math.max(at, stage.now() + 1000)
    if (process) process.rotation = {at: next, ...(endsAt && {endsAt}), serverHealthy: true, tries: 0}
    await log(
      'I',
      'transport.go:147',
      'Certificate rotation detected, shutting down client connections to start using new credentials',
      {},
    )
    return true
  }

  const ended = request ? endOf(request) : isReached ? `csr "${name}" was deleted` : undefined
  const isLate = stage.now() >= until
  if (ended === undefined && !isLate) return false
  const err = isLate
    ? 'timed out waiting for the condition'
    : `cannot watch on the certificate signing request: ${ended}`
  return failed(self, rotation, 'Certificate request was not signed', err)
}

/** csr.go, WaitForCertificate: why there will be no certificate, or undefined. */
function endOf({conditions = []}: SigningRequest): string | undefined {
  for (const {message, reason, type} of conditions) {
    if (type === 'Denied') return `certificate signing request is denied, reason: ${reason}, message: ${message}`
    if (type === 'Failed') return `certificate signing request failed, reason: ${reason}, message: ${message}`
  }

  return undefined
}

async function failed(self: Kubelet, rotation: CertificateRotation, message: string, err: string): Promise<boolean> {
  await self.log('E', 'certificate_manager.go:562', message, {err})
  delete rotation.pending
  rotation.at = self.stage.now() + (PAUSES_MS[rotation.tries] ?? PAUSE_MS)
  rotation.tries++
  return true
}

/** addCertRotation: the process ends where it cannot get a certificate, and the API server works. */
async function exitWithout(self: Kubelet, rotation: CertificateRotation): Promise<boolean> {
  const {log, stage} = self
  const pem = await readText(stage.files, CURRENT)
  if (pem !== undefined && !isExpired(pem, stage.now())) {
    delete rotation.withoutSince
    return false
  }

  rotation.withoutSince ??= stage.now()
  if (stage.now() <= rotation.withoutSince + EXIT_MS || rotation.serverHealthy !== true) return false
  const message = 'No valid client certificate is found and the server is responsive, exiting.'
  await log('E', 'transport.go:120', message, {shutdownThreshold: '5m0s'})
  await self.exit(1, stage.now())
  return true
}

/** buildClientCertificateManager: with its own certificate while that is valid, otherwise with the bootstrap identity. */
async function openRequester(self: Kubelet): Promise<ClusterClient> {
  const {bootstrapKubeconfig, kubeconfig, stage} = self
  const rotated = await readText(stage.files, CURRENT)
  if (rotated === undefined || isExpired(rotated, stage.now())) {
    return openKubeconfig(self, bootstrapKubeconfig === '' ? kubeconfig : bootstrapKubeconfig, {ignoresFiles: true})
  }

  return openKubeconfig(self, kubeconfig, {ignoresProxyUrl: true, rotated})
}

/** nextRotationDeadline: at 70 to 90 % of its life, or at once where it is missing, expired or of another name. */
async function nextDeadline({nodeName, stage}: Kubelet): Promise<Pick<CertificateRotation, 'at' | 'endsAt'>> {
  const pem = await readText(stage.files, CURRENT)
  const now = stage.now()
  if (pem === undefined || isExpired(pem, now)) return {at: now}
  const {begin, end, fraction, subject} = lifeOf(pem)
  const isOwn = subject.includes(`CN=system:node:${nodeName}`) && subject.includes('O=system:nodes')
  return {at: isOwn ? Math.round(begin + (end - begin) * (0.7 + 0.2 * fraction)) : now, endsAt: end}
}

/** The fraction stands for a random number. */
const lifeOf = remembered((pem) => {
  const {fingerprint256, subject, validFrom, validTo} = new X509Certificate(pem)
  const fraction = Number.parseInt(fingerprint256.slice(0, 2), 16) / 255
  return {begin: Date.parse(validFrom), end: Date.parse(validTo), fraction, subject: subject.split('\n')}
})
