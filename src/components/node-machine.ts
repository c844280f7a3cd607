// Is a node this machine? Its name alone says nothing: another one may have taken it, or a copy has it too.
import type {Decided} from '../config/model.js'
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

/** Some firmware has no number of its own: all digits are 0, or F. */
const isValid = (uuid: string): boolean =>
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(uuid) && !/^(?:0|-)+$|^(?:f|-)+$/i.test(uuid)

/**
 * The computer on which setup has run, in words, where this machine is a copy of it. A hypervisor that changes the version of
 * its firmware changes the order of the first eight bytes (DSP0134, 7.2.1), but not the machine.
 */
export function copiedFrom({madeOn}: Pick<Decided, 'madeOn'>, uuid = ''): string | undefined {
  if (!madeOn || !isValid(madeOn.uuid) || !isValid(uuid)) return undefined
  const [stored, now] = [madeOn.uuid.toLowerCase(), uuid.toLowerCase()]
  const reordered = now.replace(/^(..)(..)(..)(..)-(..)(..)-(..)(..)/, '$4$3$2$1-$6$5-$8$7')
  return [now, reordered].includes(stored) ? undefined : `the computer ${madeOn.computerName} with the UUID ${stored}`
}

/** Nothing is done in the name of the original, unless the user says that this is a restored backup. */
export const refusedCopy = (config: Pick<Decided, 'ignoreChecks' | 'madeOn'>, uuid?: string): string | undefined =>
  config.ignoreChecks.includes('node-copy') ? undefined : copiedFrom(config, uuid)
