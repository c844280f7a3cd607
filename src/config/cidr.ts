// IPv4 addresses and networks as numbers. win-overlay supports IPv4 only, and so does k8s-win.

export interface Cidr {
  readonly address: number
  readonly prefix: number
}

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`
const ADDRESS = new RegExp(String.raw`^${OCTET}(?:\.${OCTET}){3}$`)

export function parseAddress(text: string): number | undefined {
  if (!ADDRESS.test(text)) return undefined
  return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}

/** Host bits may be set; `networkOf` clears them. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^([\d.]+)\/(\d{1,2})$/.exec(text)
  const address = parseAddress(match?.[1] ?? '')
  const prefix = Number(match?.[2])
  return address === undefined || prefix > 32 ? undefined : {address, prefix}
}

export function networkOf(cidr: Cidr): Cidr {
  return {address: Math.floor(cidr.address / size(cidr)) * size(cidr), prefix: cidr.prefix}
}

export function formatCidr(cidr: Cidr): string {
  return `${formatAddress(cidr.address)}/${cidr.prefix}`
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  const wide = a.prefix <= b.prefix ? a : b
  const narrow = wide === a ? b : a
  return contains(wide, narrow.address)
}

/** Both as text. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [parseCidr(one), parseCidr(other)]
  return a !== undefined && b !== undefined && overlaps(a, b)
}

export function contains(cidr: Cidr, address: number): boolean {
  const start = networkOf(cidr).address
  return address >= start && address < start + size(cidr)
}

/** A cluster can have several networks for its Services (ServiceCIDR, from 1.33 on); the first is that of the API server. */
export const cidrsOf = (networks: string): readonly string[] => networks.split(',')

/** Is the address inside one of the networks, all as text? False where either is none. */
export function isInside(networks: string, address: string): boolean {
  const number = parseAddress(address)
  const parsed = cidrsOf(networks).map((network) => parseCidr(network))
  return number !== undefined && parsed.some((cidr) => cidr !== undefined && contains(cidr, number))
}

/** The first address of the first network after its own; '' where the text is none. */
export function firstAddress(networks: string): string {
  const cidr = parseCidr(cidrsOf(networks)[0] ?? '')
  return cidr ? formatAddress(networkOf(cidr).address + 1) : ''
}

/** An address that Windows assigned itself because it got no other. */
export function isLinkLocal(address: string): boolean {
  return isInside('169.254.0.0/16', address)
}

const NEVER_A_NETWORK: readonly (readonly [cidr: string, what: string])[] = [
  ['0.0.0.0/8', 'stands for "this network"'],
  ['127.0.0.0/8', 'is loopback'],
  ['169.254.0.0/16', 'is link-local'],
  ['224.0.0.0/4', 'is multicast'],
  ['240.0.0.0/4', 'is reserved, and Windows does not use it'],
]

/** Why pods and services can have no addresses in it; undefined where they can. */
export function whyNoNetwork(network: Cidr): string | undefined {
  const found = NEVER_A_NETWORK.find(([text]) => {
    const special = parseCidr(text)
    return special !== undefined && overlaps(special, network)
  })
  return found && `${found[0]} ${found[1]}: neither pods nor services can have such addresses.`
}

/** 24 as 255.255.255.0. */
export function maskOf(prefix: number): string {
  return formatAddress(2 ** 32 - 2 ** (32 - prefix))
}

const size = (cidr: Cidr): number => 2 ** (32 - cidr.prefix)
