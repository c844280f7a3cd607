// host-local's choice of an address (backend/allocator/allocator.go): round robin after the last one, never the gateway.
import {formatAddress, parseAddress} from '../windows/names.js'
import {type AddressRange, rangeText} from './host-local-config.js'
import type {HostLocalStore} from './host-local-store.js'

type Allocated =
  | {readonly error: string}
  | {readonly error?: undefined; readonly ip: {readonly address: string; readonly gateway: string}}

export async function allocate(
  store: HostLocalStore,
  set: readonly AddressRange[],
  index: number,
  id: string,
  ifname: string,
): Promise<Allocated> {
  const within = (address: number): AddressRange | undefined =>
    set.find(({end, start}) => start <= address && address <= end)
  for (const address of await store.find(id, ifname)) {
    // The specification allows no second ADD; host-local says so since 0.8.2.
    if (within(parseAddress(address) ?? -1))
      return {error: `${address} has been allocated to ${id}, duplicate allocation is not allowed`}
  }

  const all = set.flatMap((range) => Array.from({length: range.end - range.start + 1}, (_, at) => range.start + at))
  const last = all.indexOf(parseAddress((await store.last(index)) ?? '') ?? -1)
  for (const value of [...all.slice(last + 1), ...all.slice(0, last + 1)]) {
    const range = within(value)
    if (!range || value === range.gateway) continue
    if (await store.reserve(id, ifname, formatAddress(value), index)) {
      return {ip: {address: `${formatAddress(value)}/${range.bits}`, gateway: formatAddress(range.gateway)}}
    }
  }

  return {error: `no IP addresses available in range set: ${set.map(rangeText).join(',')}`}
}
