// The identity that the kubelet has now, to speak to the cluster with; and whether the kubelet renews it in time. Both read files only.
import {kubeconfigOf} from '../../components/identity.js'
import {certificateRotation} from '../../components/kubelet.js'
import {refusedCopy} from '../../components/node-machine.js'
import {KUBELET} from '../../config/model.js'
import {execPluginFailed} from '../../errors/cluster.js'
import {nodeIsACopy} from '../../errors/host.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {certificateUnrenewed} from '../../errors/unhealthy-node.js'
import type {Cluster} from '../../host/cluster/cluster.js'
import {day, userOf, whyLapsed} from '../../host/cluster/credential-validity.js'
import {certificateIn} from '../../host/cluster/key-material.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import {nodeKubeconfig, nodeNameOf} from '../../pipeline/desired/cluster/node-cluster.js'
import {storedCertificate, withPair} from '../../pipeline/desired/cluster/kubelet-store.js'
import type {Trouble} from './model.js'
import type {WatchedNode} from './observe.js'

export interface NodeIdentity {
  readonly cluster: Cluster
  readonly nodeName: string
}

export type NodeHost = Pick<WatchedNode, 'config' | 'host'>

/** Read anew each time, because the kubelet renews its certificate. Rejects for a plugin: watch starts no program. */
export async function nodeIdentity({config, host}: NodeHost): Promise<NodeIdentity> {
  const nodeName = await nodeNameOf(host, config)
  // Nothing is written in the name of the original.
  const uuid = await host.os.systemUuid()
  const original = refusedCopy(config, uuid)
  if (original !== undefined) throw nodeIsACopy({copy: `the UUID ${uuid}`, original})
  const kubeconfig = await nodeKubeconfig({config: {...config, nodeName}, host})
  const {exec, token} = kubeconfig
  if (exec && token === undefined)
    throw execPluginFailed({...exec, reason: 'The service k8s-win does not run plugins.'})
  return {cluster: host.cluster(kubeconfig), nodeName}
}

/** The kubelet requests a new one at 70 to 90 % (client-go, certificate_manager.go, nextRotationDeadline). */
const RENEWED_BY = 0.95

/** The certificate that the kubelet presents, past 95 % of its lifetime. None where it does not renew it, or cannot be read. */
export async function certificateTrouble({config, host}: NodeHost): Promise<Trouble | undefined> {
  try {
    const now = host.clock.now()
    const path = kubeconfigOf(config, KUBELET)
    const kubeconfig = await kubeconfigAt(host, path)
    if (!certificateRotation(kubeconfig).kubeletRotates) return undefined
    const stored = await storedCertificate(host)
    const own = stored?.pair && withPair(kubeconfig, stored.pair)
    const isOwn = own && !whyLapsed(own, now) && userOf(own) === `system:node:${await nodeNameOf(host, config)}`
    const {certificate} = isOwn ? own : kubeconfig
    if (certificate === undefined) return undefined
    const {validFrom, validTo} = certificateIn(certificate)
    const [from, until] = [Date.parse(validFrom), Date.parse(validTo)]
    if (!(now > from + (until - from) * RENEWED_BY)) return undefined
    const error = certificateUnrenewed({day: day(until), path: isOwn && stored ? stored.paths[0] : path})
    return {component: KUBELET, error, reason: 'CertificateNotRenewed', repairedBy: []}
  } catch (error) {
    // Of a kubeconfig that cannot be used, inspection reports more.
    if (error instanceof K8sWinError) return undefined
    throw error
  }
}
