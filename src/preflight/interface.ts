// Which adapter carries the overlay, and which of its addresses is the node's.
import {isLinkLocal} from '../config/cidr.js'
import type {Decided} from '../config/model.js'
import {OPTIONS} from '../config/options/options.js'
import {
  interfaceAmbiguous,
  interfaceDown,
  interfaceMissing,
  interfaceWithoutAddress,
  nodeAddressElsewhere,
} from '../errors/host.js'
import type {Adapter} from '../machine/win32.js'

export interface ChosenInterface {
  readonly address: string
  readonly name: string
  /** Why this one, where the user did not name it. */
  readonly reason?: string
}

const DEFAULT_NAME: string = OPTIONS.find((option) => option.flag === 'interface-name')?.default ?? ''

/**
 * Pure. A node stays at the address that it has (`kept`) while that is there, unless the user names another. Throws a
 * K8sWinError that lists the adapters where none or several would do.
 */
export function chooseInterface(
  adapters: readonly Adapter[],
  config: Pick<Decided, 'interfaceName' | 'nodeIP'>,
  kept = '',
): ChosenInterface {
  const name = config.interfaceName ?? DEFAULT_NAME
  const named = find(adapters, `vEthernet (${name})`) ?? find(adapters, name)
  const owner = adapters.find((adapter) => adapter.up && usable(adapter).includes(config.nodeIP ?? kept))
  if (owner && (owner === named || config.interfaceName === undefined) && config.nodeIP === undefined)
    return {address: kept, name: owner.name}
  if (named) return withAddress(adapters, named, config.nodeIP)
  if (config.interfaceName !== undefined) throw interfaceMissing({adapters: describe(adapters), name})
  return byGateway(adapters, config.nodeIP)
}

/** Windows compares adapter names without case. */
function find(adapters: readonly Adapter[], name: string): Adapter | undefined {
  return adapters.find((adapter) => adapter.name.toLowerCase() === name.toLowerCase())
}

function byGateway(adapters: readonly Adapter[], nodeIP: string | undefined): ChosenInterface {
  const suitable = adapters.filter((adapter) => adapter.up && adapter.gateways.length > 0 && usable(adapter).length > 0)
  const owners = nodeIP === undefined ? suitable : suitable.filter((adapter) => usable(adapter).includes(nodeIP))
  const [only, ...others] = owners
  // After a start of Windows DHCP has not answered yet: as with an adapter that is named, time cures that.
  const waiting = adapters.find((adapter) => adapter.up && usable(adapter).length === 0)
  if (suitable.length === 0 && waiting) throw withoutAddress(waiting)
  if (!only || others.length > 0) {
    const why = only ? 'Several adapters have a default gateway.' : 'No adapter has an address and a default gateway.'
    throw interfaceAmbiguous({adapters: describe(adapters), why: `There is no "${DEFAULT_NAME}". ${why}`})
  }

  const chosen = withAddress(adapters, only, nodeIP)
  return {...chosen, reason: `there is no "${DEFAULT_NAME}", and only "${only.name}" has a default gateway`}
}

function withAddress(adapters: readonly Adapter[], adapter: Adapter, nodeIP: string | undefined): ChosenInterface {
  if (!adapter.up) throw interfaceDown({name: adapter.name})
  const addresses = usable(adapter)
  const [first] = addresses
  if (first === undefined) throw withoutAddress(adapter)
  if (nodeIP !== undefined && !addresses.includes(nodeIP)) {
    throw nodeAddressElsewhere({adapters: describe(adapters), address: nodeIP, name: adapter.name})
  }

  return {address: nodeIP ?? first, name: adapter.name}
}

function withoutAddress({addresses, name}: Adapter): Error {
  const seen = addresses.map((entry) => entry.address).join(', ')
  return interfaceWithoutAddress({addresses: seen || 'none', name})
}

/** 169.254/16 is never chosen: flannel#1467. */
function usable(adapter: Adapter): string[] {
  return adapter.addresses.map((entry) => entry.address).filter((address) => !isLinkLocal(address))
}

function describe(adapters: readonly Adapter[]): string {
  const texts = adapters.map((adapter) => {
    const addresses = adapter.addresses.map((entry) => entry.address).join(', ') || 'no address'
    return `"${adapter.name}" (${addresses}${adapter.gateways.length > 0 ? `, gateway ${adapter.gateways.join(', ')}` : ''})`
  })
  return texts.length > 0 ? texts.join('; ') : 'none'
}
