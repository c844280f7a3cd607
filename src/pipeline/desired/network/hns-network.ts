// The HNS networks of a node. Removing one waits for the ports reserved on it and for the host's own network.
import {pasted} from '../../../errors/define.js'
import {EXTERNAL_NETWORK} from '../../../components/flanneld.js'
import {foreignTraits, isMadeByFlanneld} from '../../../components/overlay.js'
import {NETWORK_NAME} from '../../../config/model.js'
import type {StepContext, StepId} from '../../run/step.js'
import type {Kind, Search, Things} from '../../ledger/kind.js'
import {hnsRefused} from '../../../errors/windows.js'
import type {HnsNetwork} from '../../../host/hns/objects.js'
import {waitFor} from '../../../host/wait.js'
import {demandNetworkBack} from './network-guard.js'
import {recordNetwork} from './network-records.js'

const STEPS: readonly StepId[] = ['external-network', 'overlay-network']
const STEP_OF: Things = new Map([
  [EXTERNAL_NETWORK, 'external-network'],
  [NETWORK_NAME, 'overlay-network'],
])

export const network: Kind = {
  accepts: ({name}, step) => STEP_OF.get(name) === step,
  async remove(context, step) {
    if (STEPS.includes(step)) await removeNetworks(context, step)
  },
  steps: STEPS,
}

export async function findNetworks({claim, host, isNamed, leave}: Search, isFlannelOurs: boolean): Promise<void> {
  const overlay = await host.hns.network(NETWORK_NAME)
  // Rancher's agent creates a network of the same name in the same way.
  if (overlay && isMadeByFlanneld(overlay) && isFlannelOurs)
    claim('overlay-network', {kind: 'network', name: NETWORK_NAME})
  else if (overlay && !isNamed({kind: 'network', name: NETWORK_NAME}))
    leave(leftover(overlay, 'nothing proves that flanneld of this node created it'))
  const external = await host.hns.network(EXTERNAL_NETWORK)
  if (external && isFlannelOurs && !isNamed({kind: 'network', name: EXTERNAL_NETWORK}))
    leave(leftover(external, "the original script and Microsoft's create the same one"))
}

const leftover = ({ID: id, Name: name}: {readonly ID: string; readonly Name: string}, why: string): string =>
  `the HNS network ${name}, because ${why}. If it is not needed: hnsdiag delete networks ${pasted(id)}`

/** As long as AKS waits (docs/facts.md#hns). */
const PORTS_MS = 60_000

export async function removeNetworks(context: StepContext, step: StepId): Promise<void> {
  const {hns} = context.host
  for (const {name} of context.journal.entries(step, 'network')) {
    const network = await hns.network(name)
    if (!network) continue
    const left = whyNetworkStays(network)
    if (left !== undefined) {
      context.warn(left)
      continue
    }

    // Removing the last network removes the virtual switch, which cuts the host off once more.
    await recordNetwork(context, step)
    const pools = await portPools(context)
    const lists = await hns.removeNetwork(network.ID)
    context.changed(`remove the HNS network ${name}`)
    await awaitPorts(context, pools === undefined ? undefined : Math.max(0, pools - lists))
  }

  // Also where a killed run left the host cut off.
  await demandNetworkBack(context)
}

/** The journal has only its name, and another tool may have a network of that name by now. */
function whyNetworkStays(network: HnsNetwork): string | undefined {
  const traits = foreignTraits(network)
  if (traits.length === 0) return undefined
  const {ID: id, Name: name} = network
  return `the HNS network ${name} is kept because k8s-win did not create it: it has ${traits.join(' and ')}. If it is not needed: hnsdiag delete networks ${pasted(id)}`
}

/** A network that is created while ports of the last one are still reserved may get none. */
async function awaitPorts(context: StepContext, left: number | undefined): Promise<void> {
  if (left === undefined) return
  const {host, progress, signal, warn} = context
  progress({text: 'waiting for Windows to release the ports of its load balancers'})
  const options = {deadlineMs: PORTS_MS, everyMs: 1000, signal}
  const released = await waitFor(host.clock, options, async () =>
    ((await portPools(context)) ?? 0) <= left ? true : undefined,
  )
  if (released) return
  warn(
    `Windows has not released the ports of its load balancers within ${PORTS_MS / 1000} s; ` +
      'restart Windows if the next setup creates no network',
  )
}

/** Undefined where this version of HNS does not report them. */
async function portPools({host}: StepContext): Promise<number | undefined> {
  try {
    return await host.hns.portPools()
  } catch (error) {
    if (hnsRefused.is(error)) return undefined
    throw error
  }
}
