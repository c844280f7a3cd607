// Names that compare without case, identifiers, and IPv4 arithmetic.
import {createHash} from 'node:crypto'
import {win32} from 'node:path'

export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** A GUID in upper case, always the same for the same seed, so that a simulation can be repeated. */
export function guidOf(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex').toUpperCase()
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

/** A MAC address from Hyper-V's range. */
export function macOf(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex').toUpperCase()
  return `00-15-5D-${hex.slice(0, 2)}-${hex.slice(2, 4)}-${hex.slice(4, 6)}`
}

/** Programs from Linux use paths without a drive: /etc/x is C:\etc\x (docs/facts.md#paths-and-environment). */
export function windowsPath(path: string): string {
  const normal = win32.normalize(path)
  return normal.startsWith('\\') && !normal.startsWith('\\\\') ? `C:${normal}` : normal
}

export function parseAddress(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const parts = match?.slice(1).map(Number)
  return parts?.every((part) => part <= 255) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined
}

export const formatAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

export interface Cidr {
  readonly base: number
  readonly bits: number
  readonly last: number
}

export function parseCidr(text: string): Cidr | undefined {
  const [address, length] = text.split('/')
  const value = parseAddress(address ?? '')
  const bits = /^\d{1,2}$/.test(length ?? '') ? Number(length) : 33
  if (value === undefined || bits > 32) return undefined
  const size = 2 ** (32 - bits)
  const base = Math.floor(value / size) * size
  return {base, bits, last: base + size - 1}
}

export function cidrContains(outer: string, inner: string): boolean {
  const [a, b] = [parseCidr(outer), parseCidr(inner.includes('/') ? inner : `${inner}/32`)]
  return a !== undefined && b !== undefined && a.base <= b.base && b.last <= a.last
}
