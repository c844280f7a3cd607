// The cluster as its administrator sees it, from any machine: with a kubeconfig that is used once and never stored.
import {badValue} from '../../errors/input.js'
import {clusterForbids, kubeconfigMissing} from '../../errors/cluster.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {adminKubeconfigNotGiven, tokenForbidden} from '../../errors/token.js'
import {type Cluster, openCluster} from '../../host/cluster/cluster.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {openTrust} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'

const NO_SUCH_FILE =
  'Check the path that was passed to --kubeconfig or KUBECONFIG: it must be the kubeconfig of an administrator of the cluster.'

export interface TokenInput {
  /** --kubeconfig */
  readonly kubeconfig: string | undefined
  readonly machine: Machine
  /** Called with every secret before it leaves this process: those of the kubeconfig, and that of a new token. */
  readonly onSecret: (secret: string) => void
  /** The environment variable KUBECONFIG: as kubectl, files separated by ";" on Windows and by ":" elsewhere. */
  readonly variable: {readonly separator: string; readonly value: string | undefined}
}

export interface AdminCluster {
  readonly cluster: Cluster
  readonly kubeconfig: Kubeconfig
}

export async function openAdminCluster(input: TokenInput): Promise<AdminCluster> {
  const {machine} = input
  const path = pathOf(input)
  const kubeconfig = await kubeconfigAt({files: machine.files, trust: openTrust(machine.win32)}, path).catch(
    (error: unknown) => {
      throw kubeconfigMissing.is(error) ? (error as K8sWinError).with({fix: NO_SUCH_FILE}) : error
    },
  )
  for (const secret of kubeconfig.secrets) input.onSecret(secret)
  return {cluster: openCluster(machine, kubeconfig), kubeconfig}
}

function pathOf({kubeconfig, variable: {separator, value = ''}}: TokenInput): string {
  const given = kubeconfig === undefined ? value.split(separator) : [kubeconfig]
  const [path, ...others] = given.filter((one) => one.trim() !== '')
  if (path === undefined) throw adminKubeconfigNotGiven({})
  if (others.length === 0) return path
  const reason = 'It names several files, and k8s-win does not merge kubeconfigs.'
  throw badValue({flag: 'kubeconfig', reason, value, wanted: 'the one file to use', where: 'KUBECONFIG'})
}

/** A 403 says who may, not what a node would need. */
export async function asAdministrator<T>(verb: 'create' | 'delete' | 'list', request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    if (!clusterForbids.is(error)) throw error
    throw tokenForbidden({said: (error as K8sWinError).reason, verb}, {cause: error})
  }
}
