// A certificate in the kubelet's store that would keep the kubelet out of the cluster. Until it expires it wins over
// the kubeconfig's (client-go/util/certificate, getCurrentCertificateOrBootstrap), also where it is for another cluster
// or node: the API server then answers 401 forever. It is presented to the API server, and moved aside if it is not
// accepted. It is not compared with the kubeconfig's certificate authority, because a cluster may sign client
// certificates with another one.
import type {X509Certificate} from 'node:crypto'
import {kubeconfigOf} from '../../../components/identity.js'
import {KUBELET, type Node} from '../../../config/model.js'
import {clusterRefused} from '../../../errors/cluster.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import {day, userOf} from '../../../host/cluster/credential-validity.js'
import {certificateIn, type KeyPair} from '../../../host/cluster/key-material.js'
import {kubeconfigAt} from '../../../host/cluster/kubeconfig-file.js'
import type {Host} from '../../../host/host.js'
import type {StepContext} from '../../run/step.js'
import {isBootstrapNeeded} from './bootstrap-file.js'
import {claimFile} from '../files/file.js'
import {nodeJoinState} from './join-state.js'
import {keysMadeSince, type StoredCertificate, storedCertificate, withPair} from './kubelet-store.js'
import {removePath} from '../files/remove-path.js'
import {restService} from '../services/stop-service.js'

const CLIENT_KEY = /\\kubelet-client-[^\\]+$/i

interface StaleCertificate extends Pick<StoredCertificate, 'paths'> {
  readonly why: string
}

type Context = Pick<StepContext, 'config' | 'host'>

/** Undefined where there is none, it is not used, or it is accepted. */
export async function staleCertificate(context: Context): Promise<StaleCertificate | undefined> {
  // Without rotation the kubelet does not read it.
  const stored = context.config.kubeletRotates ? await storedCertificate(context.host) : undefined
  if (!stored) return undefined
  const {pair, paths} = stored
  // A node that joins has none yet, or one under another name, which the kubelet would continue to use.
  if (context.config.bootstrap) {
    const state = await nodeJoinState(context.host, context.config)
    return state.state === 'unjoined' ? {paths, why: state.why} : undefined
  }

  const why = pair
    ? await whyRefused(context, pair)
    : 'the kubelet does not start with it: it does not contain a certificate with its key, or is not a link'
  return why === undefined ? undefined : {paths, why}
}

async function whyRefused({config, host}: {config: Node; host: Host}, pair: KeyPair): Promise<string | undefined> {
  const stored = certificateIn(pair.cert)
  try {
    const kubeconfig = await kubeconfigAt(host, kubeconfigOf(config, KUBELET))
    // The kubelet stores the kubeconfig's own certificate when it first starts (Update), and replaces it when the
    // cluster has signed another one: until then it is as good as the kubeconfig.
    if (isOf(kubeconfig.certificate, stored)) return undefined
    // The kubelet does not use it, and replaces it only where it is a link (updateSymlink).
    const until = Date.parse(stored.validTo)
    if (until < host.clock.now()) return `it expired on ${day(until)}`
    const own = withPair(kubeconfig, pair)
    const user = userOf(own)
    if (user !== `system:node:${config.nodeName}`) return `it is the certificate of ${user ?? 'no user'}`
    await host.cluster(own).may({group: '', name: config.nodeName, resource: 'nodes', verb: 'get'})
    return undefined
  } catch (error) {
    // Unreadable kubeconfigs and unreachable servers are reported elsewhere; an identity that is forbidden something is
    // known.
    if (!(error instanceof K8sWinError)) throw error
    return clusterRefused.is(error) ? 'the API server does not accept it (401)' : undefined
  }
}

export const isOf = (pem: string | undefined, certificate: X509Certificate): boolean =>
  pem !== undefined && certificateIn(pem).fingerprint256 === certificate.fingerprint256

/** Before the kubelet starts with it. Reset restores it. The kubelet may have another certificate in its place. */
export async function moveStaleCertificate(context: StepContext): Promise<void> {
  const {host, warn} = context
  for (let stale = await staleCertificate(context); stale; stale = await staleCertificate(context)) {
    const {paths, why} = stale
    warn(`the kubelet would use ${paths[0]} in place of its kubeconfig, but ${why}: it is moved aside`)
    await restService(context, KUBELET)
    const made = await keysMadeSince(host.files, context.journal)
    // The files that the link has led to hold keys too.
    for (const path of new Set([...paths, ...made.filter((one) => CLIENT_KEY.test(one))])) {
      if (!made.includes(path)) await claimFile(context, 'kubelet-service', path, 'user')
      // The kubelet created it since, also where one is aside already.
      await removePath(context, path)
    }
  }

  // A run that was killed in between has left keys without the link to them.
  if (!(await isBootstrapNeeded(context))) return
  const left = (await keysMadeSince(host.files, context.journal)).filter((path) => CLIENT_KEY.test(path))
  for (const path of left) await removePath(context, path)
}
