// A certificate in the kubelet's store that would keep it out of the cluster. While it has not expired it wins over the
// kubeconfig's (client-go/util/certificate, getCurrentCertificateOrBootstrap), also where it is of another cluster or
// another node: the API server then answers 401 for ever. It is presented to the API server, and moved aside where it is
// not accepted. Not held against the certificate authority of the kubeconfig: a cluster may sign certificates of clients with another one.
import {X509Certificate} from 'node:crypto'
import {kubeconfigOf} from '../../components/identity.js'
import {KUBELET} from '../../components/kubelet.js'
import type {NodeConfig} from '../../config/model.js'
import {clusterRefused} from '../../errors/cluster.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {day, userOf} from '../../host/cluster/credential-validity.js'
import type {KeyPair} from '../../host/cluster/key-material.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import {claimFile} from './file.js'
import {removePath} from './remove-path.js'
import {keysMadeSince} from './kubelet-keys.js'
import {type StoredCertificate, storedCertificate, withPair} from './kubelet-store.js'
import {restService} from './stop-service.js'
import type {StepContext} from '../run/step.js'

interface StaleCertificate extends Pick<StoredCertificate, 'paths'> {
  /** Why the kubelet would not be let in with it. */
  readonly why: string
}

type Context = Pick<StepContext, 'config' | 'host'>

/** Undefined where there is none, it is not used, or all is well. */
export async function staleCertificate(context: Context): Promise<StaleCertificate | undefined> {
  // Without rotation the kubelet does not look for it.
  const stored = context.config.kubeletRotates ? await storedCertificate(context.host) : undefined
  if (!stored) return undefined
  const {pair, paths} = stored
  const why = pair
    ? await whyRefused(context, pair)
    : 'the kubelet does not start with it: it holds no certificate with its key, or is not the link it should be'
  return why === undefined ? undefined : {paths, why}
}

async function whyRefused(
  {config, host}: {config: NodeConfig; host: Host},
  pair: KeyPair,
): Promise<string | undefined> {
  const stored = new X509Certificate(pair.cert)
  try {
    const kubeconfig = await kubeconfigAt(host, kubeconfigOf(config, KUBELET))
    // At its first start the kubelet puts the kubeconfig's own into its store (Update). Another one takes its place only
    // when the cluster has signed it; until then, and for whomever it is, it is as good as the kubeconfig.
    if (isOf(kubeconfig.certificate, stored)) return undefined
    // Not used; and the kubelet replaces it only where it is a link (updateSymlink).
    const until = Date.parse(stored.validTo)
    if (until < host.clock.now()) return `it expired on ${day(until)}`
    const own = withPair(kubeconfig, pair)
    const user = userOf(own)
    if (user !== `system:node:${config.nodeName}`) return `it is that of ${user ?? 'nobody'}`
    // A review: answers to GET may be remembered from another identity (remembering.ts).
    await host.cluster(own).may({group: '', name: config.nodeName, resource: 'nodes', verb: 'get'})
    return undefined
  } catch (error) {
    // A kubeconfig that cannot be read, and a server that does not answer, are reported by others; and whoever is
    // forbidden something is known.
    if (!(error instanceof K8sWinError)) throw error
    return clusterRefused.is(error) ? 'the API server does not accept it (401)' : undefined
  }
}

export const isOf = (pem: string | undefined, certificate: X509Certificate): boolean =>
  pem !== undefined && new X509Certificate(pem).fingerprint256 === certificate.fingerprint256

/** Before the kubelet starts with it. Reset puts it back. With one aside the kubelet may find another in its place. */
export async function moveStaleCertificate(context: StepContext): Promise<void> {
  const {host, warn} = context
  for (let stale = await staleCertificate(context); stale; stale = await staleCertificate(context)) {
    const {paths, why} = stale
    warn(`the kubelet would use ${paths[0]} in place of its kubeconfig, but ${why}: it is moved aside`)
    await restService(context, KUBELET)
    const made = await keysMadeSince(host.files, context.journal)
    for (const path of paths) {
      if (!made.includes(path)) await claimFile(context, 'kubelet-service', path, 'user')
      // The kubelet has made it since, as ours; so it has where one is aside already.
      await removePath(context, path)
    }
  }
}
