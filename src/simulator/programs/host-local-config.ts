// host-local's configuration and its validation (backend/allocator/config.go, range.go, range_set.go).
import {isAtLeast} from '../versions.js'
import {formatAddress, parseAddress, parseCidr} from '../windows/names.js'

export interface AddressRange {
  readonly bits: number
  readonly end: number
  readonly gateway: number
  readonly start: number
}

export interface HostLocalConfig {
  readonly dataDir: string
  readonly name: string
  readonly ranges: readonly (readonly AddressRange[])[]
}

export interface NetworkDocument {
  readonly cniVersion?: string
  readonly ipam?: RawRange & {readonly dataDir?: string; readonly ranges?: readonly (readonly RawRange[])[] | null}
  readonly name?: string
}

interface RawRange {
  readonly gateway?: string
  readonly rangeEnd?: string
  readonly rangeStart?: string
  readonly subnet?: string
}

/** Throws an Error with host-local's own text. */
export function hostLocalConfig({cniVersion = '', ipam, name = ''}: NetworkDocument): HostLocalConfig {
  if (!ipam) throw new Error("IPAM config missing 'ipam' key")
  if (typeof ipam !== 'object') throw new Error(goTypeError(ipam, 'struct field Net.ipam of type allocator.IPAMConfig'))
  const sets = ipam.ranges ?? []
  for (const range of [ipam, ...sets.flat()]) demandTexts(range)
  const all = ipam.subnet === undefined ? sets : [[ipam], ...sets]
  if (all.length === 0) throw new Error('no IP ranges specified')
  const ranges = all.map((set, index) => {
    try {
      return canonicalSet(set)
    } catch (error) {
      throw new Error(`invalid range set ${index}: ${(error as Error).message}`, {cause: error})
    }
  })
  if (ranges.length > 1 && !isAtLeast(cniVersion || '0.1.0', '0.3.0')) {
    throw new Error(`CNI version ${cniVersion} does not support more than 1 address per family`)
  }

  const pair = overlapping(ranges, (one, other) => one.some((a) => other.some((b) => overlaps(a, b))))
  if (pair) throw new Error(`range set ${pair[0]} overlaps with ${pair[1]}`)
  return {dataDir: ipam.dataDir || '/var/lib/cni/networks', name, ranges}
}

/** The error of Go's decoder for a value of a wrong type. */
export function goTypeError(value: unknown, place: string): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${type} into Go ${place}`
}

export const rangeText = ({end, start}: AddressRange): string => `${formatAddress(start)}-${formatAddress(end)}`

/** What fails while the JSON is decoded. */
function demandTexts({gateway, rangeEnd, rangeStart, subnet}: RawRange): void {
  if (subnet !== undefined && typeof subnet !== 'string')
    throw new Error(goTypeError(subnet, 'struct field Range.ipam.ranges.subnet of type string'))
  if (subnet !== undefined && !parseCidr(subnet)) throw new Error(`invalid CIDR address: ${subnet}`)
  const wrong = [rangeStart, rangeEnd, gateway].find((text) => text && parseAddress(text) === undefined)
  if (wrong !== undefined) throw new Error(`invalid IP address: ${wrong}`)
}

function canonicalSet(set: readonly RawRange[]): AddressRange[] {
  if (set.length === 0) throw new Error('empty range set')
  const ranges = set.map(canonicalRange)
  const pair = overlapping(ranges, overlaps)?.map((index) => ranges[index] as AddressRange)
  if (pair) throw new Error(`subnets ${pair.map(rangeText).join(' and ')} overlap`)
  return ranges
}

/** The first address is the gateway by default; the last one is for broadcasts. */
function canonicalRange({gateway, rangeEnd, rangeStart, subnet}: RawRange): AddressRange {
  const cidr = parseCidr(subnet ?? '')
  if (!cidr) throw new Error('IP <nil> not v4 nor v6')
  const {base, bits, last} = cidr
  if (bits > 30) throw new Error(`Network ${subnet} too small to allocate from`)
  if (parseAddress(subnet?.split('/')[0] ?? '') !== base) {
    const network = formatAddress(base)
    throw new Error(`Network has host bits set. For a subnet mask of length ${bits} the network address is ${network}`)
  }

  const [givenStart, givenEnd] = [parseAddress(rangeStart ?? ''), parseAddress(rangeEnd ?? '')]
  const start = givenStart ?? base + 1
  const end = givenEnd ?? last - 1
  if (givenStart !== undefined && (start < base || start > last || (givenEnd !== undefined && start > givenEnd))) {
    throw new Error(`RangeStart ${rangeStart} not in network ${subnet}`)
  }

  if (givenEnd !== undefined && (end < start || end > last)) {
    throw new Error(`RangeEnd ${rangeEnd} not in network ${subnet}`)
  }

  return {bits, end, gateway: parseAddress(gateway ?? '') ?? base + 1, start}
}

const overlaps = (a: AddressRange, b: AddressRange): boolean => a.start <= b.end && b.start <= a.end

function overlapping<T>(all: readonly T[], touches: (a: T, b: T) => boolean): [number, number] | undefined {
  for (const [one, a] of all.entries()) {
    const other = all.findIndex((b, index) => index > one && touches(a, b))
    if (other !== -1) return [one, other]
  }

  return undefined
}
