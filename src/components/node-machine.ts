// Is a node of the cluster this machine? Its name alone says nothing: another one may have taken it.
import type {ClusterNode} from '../host/cluster/objects.js'

export interface ThisMachine {
  /** All that its adapters have. */
  readonly addresses: readonly string[]
  readonly computerName: string
  readonly kubeletRuns: boolean
}

/** What the node is, in words, where it is not this machine. */
export function otherMachine(
  {addresses, machineID, os, ready}: ClusterNode,
  {addresses: own, computerName, kubeletRuns}: ThisMachine,
): string | undefined {
  if (os !== '' && os !== 'windows') return `it runs ${os}`
  // It was created beforehand, and no kubelet has reported its machine yet.
  if (machineID === '' && addresses.length === 0) return undefined
  const isHere = addresses.some((address) => own.includes(address))
  const isNamed = machineID.toLowerCase() === computerName.toLowerCase()
  const description = `the computer ${machineID || 'without a name'} with ${addresses.join(', ') || 'no address'}`
  if (!isHere && !isNamed) return description
  // A copy of a virtual machine has its name, too; but two cannot be alive.
  return ready && !isHere && !kubeletRuns ? `${description}, which is Ready` : undefined
}
