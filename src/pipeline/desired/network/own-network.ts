// Which HNS network is this node's. HNS accepts several networks of one name (hcsshim finds one by its name by taking the first
// of a list), so a name proves nothing: all networks of the name are checked, and the recorded ID decides.
import {foreignTraits, subnetOf} from '../../../components/overlay.js'
import {SUBNET_ENV} from '../../../config/layout.js'
import {NETWORK_NAME} from '../../../config/model.js'
import type {Host} from '../../../host/host.js'
import {type HnsNetwork, sameId} from '../../../host/hns/objects.js'
import {readSubnetEnv} from '../../../host/ipam.js'
import type {Journal} from '../../ledger/journal.js'
import type {StepId} from '../../run/step.js'

export type NetworkStep = Extract<StepId, 'external-network' | 'overlay-network'>

export interface NamedNetworks {
  /** Those that may be this node's: more than one where nothing decides. Then none of them is removed. */
  readonly candidates: readonly HnsNetwork[]
  /** Those that are not this node's. */
  readonly others: readonly HnsNetwork[]
  /** Undefined if there is none, and if nothing decides which it is. */
  readonly own: HnsNetwork | undefined
}

interface Context {
  readonly host: Pick<Host, 'files' | 'hns'>
  readonly journal: Pick<Journal, 'entries'>
}

export async function networksNamed(context: Context, step: NetworkStep, name: string): Promise<NamedNetworks> {
  const {host, journal} = context
  const all = (await host.hns.networks()).filter(({Name}) => Name === name)
  const recorded = journal.entries(step, 'network').find((entry) => entry.name === name)?.id ?? ''
  // flanneld makes another one after each restart of Windows, so the recorded one may be gone.
  const isRecorded = all.some(({ID}) => sameId(ID, recorded))
  return judge(context, all, isRecorded ? ({ID}) => sameId(ID, recorded) : (network) => !isForeign(network))
}

/** Of several, this node's is the one on the subnet that its flanneld has leased. */
export async function judge(
  {host}: Pick<Context, 'host'>,
  all: readonly HnsNetwork[],
  mayBeOwn: (network: HnsNetwork) => boolean,
): Promise<NamedNetworks> {
  const possible = all.filter(mayBeOwn)
  const leased = possible.length > 1 ? await onLease(host, possible) : []
  const candidates = leased.length === 1 ? leased : possible
  const [own] = candidates.length === 1 ? candidates : []
  return {candidates, others: all.filter((network) => !candidates.includes(network)), own}
}

const isForeign = (network: HnsNetwork): boolean => foreignTraits(network).length > 0

async function onLease({files}: Context['host'], all: readonly HnsNetwork[]): Promise<HnsNetwork[]> {
  const lease = readSubnetEnv(await files.read(SUBNET_ENV))
  return all.filter((network) => network.Name === NETWORK_NAME && lease !== undefined && subnetOf(network) === lease)
}
