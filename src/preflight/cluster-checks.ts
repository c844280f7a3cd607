// Checks of what is needed to know the cluster: kubeconfigs, who may call the kubelet, its DNS.
import {clientCAUnknown, dnsUnknown} from '../errors/cluster.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {readAllAuthorities} from '../host/cluster/key-material.js'
import {isClusterAdministrator} from '../host/cluster/kubeconfig.js'
import {trustedFiles} from '../host/security/trust.js'
import {readUserFile} from '../host/cluster/user-file.js'
import {type Check, pass, warn} from './check.js'
import {type HostFacts, unlessForbidden} from './facts.js'
import {IDENTITIES} from './identity-checks.js'
import {ofCluster} from './server-checks.js'

export const kubeconfigs: Check = {
  id: 'kubeconfig',
  async run(facts) {
    const seen = await Promise.allSettled(IDENTITIES.map((identity) => facts.kubeconfig(identity)))
    const problems = seen.flatMap((entry) => (entry.status === 'rejected' ? [demandKnown(entry.reason)] : []))
    const unique = problems.filter(
      (problem, index) => problems.findIndex((other) => other.message === problem.message) === index,
    )
    if (unique.length > 0) throw new ProblemsError(unique)
    return pass(`for ${(await facts.kubeconfig('kubelet')).server}`)
  },
  title: 'Kubeconfig',
}

/** What is no error of ours is a bug, and must not pass as a problem of the host. */
function demandKnown(reason: unknown): K8sWinError {
  if (reason instanceof K8sWinError) return reason
  throw reason
}

/** Everybody on the node who reaches SYSTEM would own the cluster. */
export const clusterAdministrator: Check = {
  id: 'cluster-administrator',
  async run(facts) {
    const masters: string[] = []
    for (const identity of IDENTITIES) {
      if (isClusterAdministrator(await facts.kubeconfig(identity))) masters.push(identity)
    }

    if (masters.length === 0) return pass('no daemon has cluster administrator rights')
    return warn(
      `${masters.join(', ')} would have cluster administrator rights (system:masters)`,
      'Pass a separate identity for each daemon: --kubelet-kubeconfig, --kube-proxy-kubeconfig, --flanneld-kubeconfig.',
    )
  },
  title: 'Identities of the daemons',
}

export const clientCA: Check = {
  id: 'client-ca',
  async run(facts) {
    return pass((await readClientCA(facts)).origin)
  },
  title: 'Client CA of the kubelet',
}

/** PEM of the authorities whose certificates the kubelet accepts. */
export async function readClientCA(facts: HostFacts): Promise<{origin: string; pem: string}> {
  const file = facts.config.clientCAFile
  if (file === undefined) {
    const {ca} = await facts.kubeconfig('kubelet')
    if (ca === undefined) throw clientCAUnknown({path: 'The kubeconfig contains no certificate authority'})
    return {origin: 'the certificate authority of the kubeconfig', pem: ca}
  }

  const {files, trust} = facts.host
  await trust.demand(file)
  const pem = await readUserFile(trustedFiles(files, trust), file)
    .then((bytes) => bytes?.toString('utf8'))
    .catch(() => undefined)
  try {
    return {origin: file, pem: readAllAuthorities(pem ?? '')}
  } catch (error) {
    throw clientCAUnknown({path: `${file} ${(error as Error).message}`})
  }
}

export const clusterDNS: Check = ofCluster({
  id: 'cluster-dns',
  async run(facts) {
    const {server} = await facts.cluster()
    const address = await unlessForbidden(facts.clusterDNS())
    if (address === undefined) throw dnsUnknown({server})
    return pass(address)
  },
  title: 'Cluster DNS',
})
