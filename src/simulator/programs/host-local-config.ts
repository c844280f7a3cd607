// The configuration host-local gets on standard input (backend/allocator/config.go).
import type {Cidr} from '../windows/names.js'
import {parseAddress, parseCidr} from '../windows/names.js'

export interface AddressRange {
  readonly bits: number
  readonly end: number
  readonly gateway: number
  readonly start: number
  readonly text: string
}

export interface HostLocalConfig {
  readonly cniVersion: string
  readonly dataDir: string
  readonly name: string
  readonly ranges: readonly (readonly AddressRange[])[]
}

type Loaded =
  {readonly config: HostLocalConfig; readonly error?: undefined} | {readonly error: string; readonly isJson: boolean}

interface RawRange {
  gateway?: string
  rangeEnd?: string
  rangeStart?: string
  subnet?: string
}

export function hostLocalConfig(input: string): Loaded {
  let raw: {cniVersion?: string; ipam?: RawRange & {dataDir?: string; ranges?: RawRange[][]}; name?: string}
  try {
    raw = JSON.parse(input) as typeof raw
  } catch {
    return {error: 'error unmarshall network config: unexpected end of JSON input', isJson: false}
  }

  const refuse = (error: string): Loaded => ({error, isJson: true})
  if (!raw.name) return refuse('missing network name')
  if (!raw.ipam) return refuse("IPAM config missing 'ipam' key")
  const sets = raw.ipam.ranges ?? []
  const all = raw.ipam.subnet ? [[raw.ipam], ...sets] : sets
  if (all.length === 0) return refuse('no IP ranges specified')
  const ranges: AddressRange[][] = []
  for (const [index, set] of all.entries()) {
    const parsed = set.map(parseRange)
    const wrong = parsed.find((range) => typeof range === 'string')
    if (typeof wrong === 'string') return refuse(`invalid range set ${index}: ${wrong}`)
    ranges.push(parsed.filter((range) => typeof range !== 'string'))
  }

  // Without a version the specification's first one is meant.
  const config = {
    cniVersion: raw.cniVersion || '0.1.0',
    dataDir: raw.ipam.dataDir || '/var/lib/cni/networks',
    name: raw.name,
    ranges,
  }
  return {config}
}

/** range.go, Canonicalize: the first address is the gateway unless another is named; the last one is for broadcasts. */
function parseRange({gateway, rangeEnd, rangeStart, subnet}: RawRange): AddressRange | string {
  const cidr: Cidr | undefined = parseCidr(subnet ?? '')
  if (!cidr) return `invalid CIDR address: ${subnet ?? ''}`
  if (cidr.bits > 30) return `network ${subnet} too small to allocate from`
  if (subnet?.split('/')[0] !== undefined && parseAddress(subnet.split('/')[0] ?? '') !== cidr.base) {
    return `network has host bits set. For a subnet mask of length ${cidr.bits} the network address is ${subnet}`
  }

  const start = parseAddress(rangeStart ?? '') ?? cidr.base + 1
  const end = parseAddress(rangeEnd ?? '') ?? cidr.last - 1
  if (start < cidr.base || end > cidr.last || start > end)
    return `RangeStart ${rangeStart ?? ''} not in network ${subnet}`
  return {bits: cidr.bits, end, gateway: parseAddress(gateway ?? '') ?? cidr.base + 1, start, text: subnet ?? ''}
}
