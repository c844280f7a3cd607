// The options of joining with a bootstrap token, from text to values.
import {parseAddress} from '../cidr.js'
import {isDomain, type OptionParser} from './parse-option.js'

const USUAL_PORT = 6443
const A_SERVER = `the address of an API server, such as https://10.0.0.1:${USUAL_PORT}`

/** A password before the @ must not be shown. */
function withoutLogin(given: string): string {
  const at = given.lastIndexOf('@')
  const slashes = given.slice(0, at).lastIndexOf('//')
  return `${slashes < 0 ? '' : given.slice(0, slashes + 2)}***${given.slice(at)}`
}

/** https://<host>:<port>, in lower case. The host is a name or an IPv4 address: Windows nodes have IPv4 only. */
export const server: OptionParser<string> = (text) => {
  const given = text.trim()
  const [, scheme, authority = '', rest = ''] = /^(?:([a-z][\d+.a-z-]*):\/\/)?([^/?#]*)(.*)$/is.exec(given) ?? []
  const refused = (reason: string, wanted = A_SERVER) => ({
    reason,
    ...(given.includes('@') && {shown: withoutLogin(given)}),
    wanted,
  })
  if (given === '') return refused('It is empty.')
  if (authority.includes('@')) return refused('It contains a user name; only the token authenticates the node.')
  if (/^\[|^[\d%.a-f]*:[\d%.a-f]*:/i.test(authority))
    return refused('It is an IPv6 address; k8s-win supports only IPv4.')
  const [, name = '', digits] = /^([^:]*)(?::(\d*))?$/.exec(authority) ?? []
  const host = name.toLowerCase()
  if (!isHost(host)) return refused('Its host is neither an IPv4 address nor a DNS name.')
  const port = Number(digits || USUAL_PORT)
  if (port < 1 || port > 65_535) return refused('Its port must be from 1 to 65535.')
  const whole = `https://${host}:${port}`
  if (scheme === undefined) return refused('It is not a URL: https:// is missing.', whole)
  if (scheme.toLowerCase() !== 'https') return refused('The API server is reached with https only.', whole)
  if (rest !== '' && rest !== '/') return refused('It has a path or a query.', whole)
  return digits ? {value: whole} : refused(`Its port is missing; API servers usually listen on ${USUAL_PORT}.`, whole)
}

/** The server of a kubeconfig in the form that --server has: a URL does not show the port 443. */
export function addressOf(url: string): string {
  const {hostname, port} = new URL(url)
  return `https://${hostname}:${port || '443'}`
}

/** A number as the last label is meant as an address: URL parsers take 10.1 for 10.0.0.1. */
const isHost = (host: string): boolean =>
  parseAddress(host) !== undefined || (isDomain(host) && !/(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(host))

const ID_LENGTH = 6
const SECRET_LENGTH = 16

/** <id>.<secret> (kubernetes: staging/src/k8s.io/cluster-bootstrap/token/api/types.go). No reason contains any of it. */
export const token: OptionParser<string> = (text) => {
  const reason = whyNoToken(text)
  if (reason === undefined) return {value: text}
  const wanted = `a bootstrap token of ${ID_LENGTH} characters, a dot and ${SECRET_LENGTH} characters, all lower-case letters or digits`
  return {reason, shown: '***', wanted}
}

/** Undefined for a valid one. */
export function whyNoToken(text: string): string | undefined {
  if (text === '') return 'It is empty.'
  const [id = '', secret, ...more] = text.split('.')
  if (secret === undefined || more.length > 0) return 'It must have two parts with a dot between them.'
  if (id.length !== ID_LENGTH) return `The part before the dot has ${id.length} characters instead of ${ID_LENGTH}.`
  if (secret.length !== SECRET_LENGTH)
    return `The part after the dot has ${secret.length} characters instead of ${SECRET_LENGTH}.`
  return /^[\d.a-z]*$/.test(text) ? undefined : 'It contains characters other than lower-case letters and digits.'
}

/** The id is public: it is in the names of objects that everybody may read. */
export function partsOf(valid: string): {readonly id: string; readonly secret: string} {
  return {id: valid.slice(0, ID_LENGTH), secret: valid.slice(ID_LENGTH + 1)}
}

/** What must be hidden of a text that is or should be a token: the whole, and its half without the public id. */
export function secretsOf(text: string): string[] {
  const whole = text.trim()
  return [whole, whole.slice(whole.indexOf('.') + 1)].filter((secret) => secret !== '')
}

/** sha256:<hex> in lower case, as kubeadm accepts it in any case (cmd/kubeadm/app/util/pubkeypin). */
export const caCertHash: OptionParser<string> = (text) => {
  const hash = text.toLowerCase()
  if (/^sha256:[\da-f]{64}$/.test(hash)) return {value: hash}
  const wanted = "sha256:<hex>, the hash of the public key of the cluster's CA"
  if (/^[\da-f]{64}$/.test(hash)) return {reason: 'The name of the algorithm is missing.', wanted: `sha256:${hash}`}
  return {reason: 'It is not sha256: followed by 64 hexadecimal digits.', wanted}
}
