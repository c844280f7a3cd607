// This host's node, as the cluster has it; where the cluster cannot be asked, another check tells why.
import {K8sWinError} from '../errors/k8s-win-error.js'
import type {ClusterNode} from '../host/cluster-objects.js'
import type {HostFacts} from '../preflight/facts.js'

export async function ownNode(facts: HostFacts): Promise<ClusterNode | undefined> {
  try {
    const name = await facts.nodeName()
    return await (await facts.cluster()).node(name)
  } catch (error) {
    if (error instanceof K8sWinError) return undefined
    throw error
  }
}
