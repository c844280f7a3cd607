// The HNS networks of a node. Removing one waits for the ports reserved on it and for the host's own network.
import {pasted} from '../../../errors/define.js'
import {EXTERNAL_NETWORK} from '../../../components/flanneld.js'
import {foreignTraits, isMadeByFlanneld, subnetOf} from '../../../components/overlay.js'
import {NETWORK_NAME} from '../../../config/model.js'
import type {StepContext} from '../../run/step.js'
import type {Kind, Search, Things} from '../../ledger/kind.js'
import {networkUnclear} from '../../../errors/reset.js'
import {hnsRefused} from '../../../errors/windows.js'
import type {HnsNetwork} from '../../../host/hns/objects.js'
import {waitFor} from '../../../host/wait.js'
import {demandNetworkBack} from './network-guard.js'
import {recordNetwork} from './network-records.js'
import {judge, networksNamed, type NetworkStep} from './own-network.js'

const STEPS: readonly NetworkStep[] = ['external-network', 'overlay-network']
const STEP_OF: Things = new Map([
  [EXTERNAL_NETWORK, 'external-network'],
  [NETWORK_NAME, 'overlay-network'],
])

export const network: Kind = {
  accepts: ({id, name}, step) => STEP_OF.get(name) === step && (id === undefined || typeof id === 'string'),
  async remove(context, step) {
    const own = STEPS.find((one) => one === step)
    if (own) await removeNetworks(context, own)
  },
  steps: STEPS,
}

export async function findNetworks(search: Search, isFlannelOurs: boolean): Promise<void> {
  const {claim, host, isNamed, leave} = search
  const all = await host.hns.networks()
  const overlays = all.filter(({Name}) => Name === NETWORK_NAME)
  // Rancher's agent creates a network of the same name in the same way.
  const {own} = await judge(search, overlays, (network) => isMadeByFlanneld(network) && isFlannelOurs)
  if (own) claim('overlay-network', {id: own.ID, kind: 'network', name: NETWORK_NAME})
  if (own || !isNamed({kind: 'network', name: NETWORK_NAME})) {
    for (const one of overlays) {
      if (one !== own) leave(leftover(one, 'nothing proves that flanneld of this node created it'))
    }
  }
  if (!isFlannelOurs || isNamed({kind: 'network', name: EXTERNAL_NETWORK})) return
  for (const one of all.filter(({Name}) => Name === EXTERNAL_NETWORK)) {
    leave(leftover(one, "the original script and Microsoft's create the same one"))
  }
}

const leftover = (network: HnsNetwork, why: string): string =>
  `the HNS network ${network.Name}, because ${why}. ${ifNotNeeded(network)}`

const ifNotNeeded = ({ID: id}: HnsNetwork): string => `If it is not needed: hnsdiag delete networks ${pasted(id)}`

/** Recorded once flanneld, or k8s-win, has made it. */
export async function recordNetworkId(context: StepContext, step: NetworkStep, name: string): Promise<void> {
  const isOurs = context.journal.entries(step, 'network').some((entry) => entry.name === name)
  const {own} = await networksNamed(context, step, name)
  if (isOurs && own) await context.journal.record(step, {id: own.ID, kind: 'network', name})
}

/** As long as AKS waits (docs/facts.md#hns). */
const PORTS_MS = 60_000

export async function removeNetworks(context: StepContext, step: NetworkStep): Promise<void> {
  const {hns} = context.host
  const names = new Set(context.journal.entries(step, 'network').map(({name}) => name))
  const unclear: string[] = []
  for (const name of names) {
    const {candidates, others, own} = await networksNamed(context, step, name)
    for (const other of others) context.warn(whyNetworkStays(other))
    if (candidates.length > 1) unclear.push(...candidates.map(inWords))
    if (!own) continue
    const left = foreignTraits(own)
    if (left.length > 0) {
      context.warn(whyNetworkStays(own))
      continue
    }

    // Removing the last network removes the virtual switch, which cuts the host off once more.
    await recordNetwork(context, step)
    const pools = await portPools(context)
    const lists = await hns.removeNetwork(own.ID)
    context.changed(`remove the HNS network ${name}`)
    await awaitPorts(context, pools === undefined ? undefined : Math.max(0, pools - lists))
  }

  // Also where a killed run left the host cut off.
  await demandNetworkBack(context)
  if (unclear.length > 0) throw networkUnclear({networks: unclear.join('; ')})
}

const inWords = (network: HnsNetwork): string =>
  `${network.Name} (${network.ID}, ${subnetOf(network) ?? 'subnet unknown'})`

function whyNetworkStays(network: HnsNetwork): string {
  const traits = foreignTraits(network)
  const why = traits.length > 0 ? `it has ${traits.join(' and ')}` : 'another network of this name is that of this node'
  return `the HNS network ${network.Name} is kept because k8s-win did not create it: ${why}. ${ifNotNeeded(network)}`
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
