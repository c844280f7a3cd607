// Checks of the kubeconfigs and the kubelet's client CA.
import {clientCAUnknown} from '../../errors/cluster.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {administratorsOf} from '../../host/cluster/credential-validity.js'
import {isIssuedBy, readAllAuthorities} from '../../host/cluster/key-material.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {trustedFiles} from '../../host/security/trust.js'
import {check, type Check, pass, warn} from '../check.js'
import type {Facts} from '../facts.js'
import {IDENTITIES} from '../../config/model.js'

const kubeconfigs = check('kubeconfig', 'Kubeconfig', async (facts) => {
  const seen = await Promise.allSettled(IDENTITIES.map((identity) => facts.kubeconfig(identity)))
  const problems = seen.flatMap((entry) => (entry.status === 'rejected' ? [demandKnown(entry.reason)] : []))
  const unique = problems.filter(
    (problem, index) => problems.findIndex((other) => other.message === problem.message) === index,
  )
  if (unique.length > 0) throw new ProblemsError(unique)
  return pass(`for ${(await facts.kubeconfig('kubelet')).server}`)
})

/** An unexpected error is a bug, and must not be reported as a problem of the host. */
function demandKnown(reason: unknown): K8sWinError {
  if (reason instanceof K8sWinError) return reason
  throw reason
}

/** Every process on the node with SYSTEM rights would be a cluster administrator. */
const clusterAdministrator = check(
  'cluster-administrator',
  {on: 'host', title: 'Identities of the daemons'},
  async (facts) => {
    const [masters, groups] = [[] as string[], new Set<string>()]
    for (const identity of IDENTITIES) {
      const group = administratorsOf(await facts.kubeconfig(identity))
      if (group === undefined) continue
      masters.push(identity)
      groups.add(group)
    }

    if (masters.length === 0) return pass('no daemon has cluster administrator rights')
    return warn(
      `${masters.join(', ')} would have cluster administrator rights (${[...groups].join(', ')})`,
      'Pass a separate identity for each daemon: --kubelet-kubeconfig, --kube-proxy-kubeconfig, --flanneld-kubeconfig.',
    )
  },
)

const clientCA = check('client-ca', 'Client CA of the kubelet', async (facts) => {
  const {origin, pem} = await readClientCA(facts)
  const {clientCAFile, join} = facts.config
  const {certificate} = await facts.kubeconfig('kubelet')
  // kubeadm's tokens get certificates of the CA that signs those of the API server.
  if (clientCAFile !== undefined || join || certificate === undefined || isIssuedBy(certificate, pem))
    return pass(origin)
  return warn(
    `${origin}, which has not signed its client certificate: the cluster has another one for clients, and the kubelet will probably reject the API server (kubectl logs, exec, port-forward and metrics)`,
    'Pass the CA of the cluster for clients (--client-ca-file of its kube-apiserver) to --client-ca-file.',
  )
})

/** The authorities whose certificates the kubelet accepts, as PEM. */
export async function readClientCA(facts: Facts): Promise<{origin: string; pem: string}> {
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

export const CLUSTER_CHECKS: readonly Check[] = [kubeconfigs, clusterAdministrator, clientCA]
