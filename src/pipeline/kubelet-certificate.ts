// The certificate that the kubelet got from a cluster by itself. While it has not expired it wins over the kubeconfig's
// (client-go/util/certificate, getCurrentCertificateOrBootstrap), also where it is of another cluster or another node:
// the API server then answers 401 for ever. It is presented to the API server, and moved aside where it is not accepted.
// Not held against the kubeconfig's authority: a cluster may sign certificates of clients with another one.
import {X509Certificate} from 'node:crypto'
import {kubeconfigOf} from '../components/identity.js'
import {KUBELET} from '../components/kubelet.js'
import {KUBELET_CERTIFICATE} from '../config/layout.js'
import type {NodeConfig} from '../config/model.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import type {Host} from '../host/host.js'
import {userOf} from '../host/identity-hint.js'
import {type KeyPair, readKeyPair} from '../host/key-material.js'
import {kubeconfigAt} from '../host/kubeconfig-file.js'
import {trustedFiles} from '../host/trust.js'
import {readUserFile} from '../host/user-file.js'
import {FileError} from '../machine/files.js'
import {claimFile} from './desired-file.js'
import {restService} from './service-attempt.js'
import type {StepContext} from './step.js'

/** Why the kubelet would not be let in with it; undefined where there is none, it is not used, or all is well. */
export async function staleCertificate({
  config,
  host,
}: {
  readonly config: NodeConfig
  readonly host: Host
}): Promise<string | undefined> {
  // Without rotation the kubelet does not look for it.
  const pem = config.kubeletRotates ? (await readKubeletCertificate(host))?.toString('utf8') : undefined
  if (pem === undefined) return undefined
  const pair = pairIn(pem)
  // The kubelet does not start with such a file.
  if (!pair) return 'it holds no certificate with its key'
  // An expired one is not used.
  if (Date.parse(new X509Certificate(pair.cert).validTo) < host.clock.now()) return undefined
  const {ca, proxy, server, tls, whole} = await kubeconfigAt(host, kubeconfigOf(config, KUBELET))
  const own = {
    ...(ca !== undefined && {ca}),
    certificate: pair.cert,
    ...(proxy !== undefined && {proxy}),
    server,
    tls: {...tls, ...pair},
    whole,
  }
  const user = userOf(own)
  if (user !== `system:node:${config.nodeName}`) return `it is that of ${user ?? 'nobody'}`
  try {
    // A review: answers to GET may be remembered from another identity (remembering.ts).
    await host.cluster(own).may({group: '', name: config.nodeName, resource: 'nodes', verb: 'get'})
    return undefined
  } catch (error) {
    // Whoever is forbidden something is known; and a server that does not answer is reported by others.
    if (!(error instanceof K8sWinError)) throw error
    return error.id === 'API_SERVER_REFUSES' ? 'the API server does not accept it (401)' : undefined
  }
}

/** Before the kubelet starts with it. Reset puts it back. */
export async function moveStaleCertificate(context: StepContext): Promise<void> {
  const why = await staleCertificate(context)
  if (why === undefined) return
  context.warn(`the kubelet would use ${KUBELET_CERTIFICATE} in place of its kubeconfig, but ${why}: it is moved aside`)
  await restService(context, KUBELET)
  await claimFile(context, 'kubelet-service', KUBELET_CERTIFICATE, 'user')
  // One is aside already: this one the kubelet got since, as ours.
  if (!(await context.host.files.status(KUBELET_CERTIFICATE))) return
  await context.host.files.remove(KUBELET_CERTIFICATE)
  context.changed(`remove ${KUBELET_CERTIFICATE}`)
}

/**
 * Undefined where there is none, or none that can be read or trusted: what is wrong with it is reported by the check of the
 * folders. On a node it is the kubelet's link to its newest one (trust.ts, fileBeside).
 */
export async function readKubeletCertificate({
  files,
  trust,
}: Pick<Host, 'files' | 'trust'>): Promise<Buffer | undefined> {
  try {
    return await readUserFile(trustedFiles(files, trust), KUBELET_CERTIFICATE)
  } catch (error) {
    if (error instanceof FileError || error instanceof K8sWinError) return undefined
    // Too large, or a folder: its reader says so in a sentence, and the kubelet does not start with it either.
    if (error instanceof Error && error.constructor === Error) return Buffer.alloc(0)
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
