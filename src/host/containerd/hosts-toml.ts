// hosts.toml of a registry, judged as containerd decodes it (core/remotes/docker/config/hosts.go, 1.7.29 and 2.3.4): of a
// file that it cannot decode it only writes to its log, and then pulls without the mirrors, certificates and headers in it.
// The parser here reads more than the two of containerd, so the file is written anew from what was parsed.
import {parse as parseToml, TomlError} from 'smol-toml'
import {goDuration} from '../../config/go-duration.js'
import {nearest} from '../../config/nearest.js'
import {isBoolean, isRecord, isText, listOf} from '../../config/shape.js'
import {tomlValue} from './toml-text.js'

export interface HostsFile {
  /** Paths of certificate authorities, as they are written. */
  readonly authorities: readonly string[]
  /** Paths of client certificates and their keys, which may be the same file. */
  readonly clients: readonly (readonly [certificate: string, key: string])[]
  /** Values of headers: secrets. */
  readonly headers: readonly string[]
  /** What is wrong with it, in sentences without a value of a header. */
  readonly problems: readonly string[]
  /** Addresses whose certificates are not verified (skip_verify); '' is the registry itself. */
  readonly unverified: readonly string[]
  /** The same, in a form that every containerd reads; empty where there are problems. */
  readonly written: string
}

const CAPABILITIES = ['pull', 'push', 'referrers', 'resolve']
/**
 * An address that Go and Node.js take for the same one: Node.js reads broken escapes, white space and backslashes, too.
 * containerd before 2.0 reads no [ in the header of a table, and so no address of IPv6.
 */
const ADDRESS = /^https?:\/\/[\dA-Za-z][\w.-]*(?::\d{1,5})?(?:\/(?:[\w!$&'()*+,./:;=@~-]|%[\dA-Fa-f]{2})*)?$/
/** Go sends no request with another (net/http, validHeaders). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
// eslint-disable-next-line no-control-regex -- Go sends no request with one
const HEADER_VALUE = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/

const isTexts = listOf(isText)
const isHeader = (value: unknown): boolean => textsOf(value)?.every((text) => HEADER_VALUE.test(text)) === true
const isClient = (value: unknown): boolean => isText(value) || (isTexts(value) && value.length === 2)

/** The fields of a registry and of each of its hosts: what is valid, and in words. */
const FIELDS: Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, wanted: string]>> = {
  ca: [(value) => textsOf(value) !== undefined, 'a path or a list of paths'],
  capabilities: [
    (value) => isTexts(value) && value.every((one) => CAPABILITIES.includes(one.toLowerCase())),
    `a list of ${CAPABILITIES.join(', ')}`,
  ],
  client: [
    (value) => isText(value) || (Array.isArray(value) && value.every(isClient)),
    'a path, or a list of paths or of pairs of paths',
  ],
  dial_timeout: [
    (value) => isText(value) && !value.startsWith('-') && goDuration(value) !== undefined,
    'a duration such as "5s"',
  ],
  header: [
    (value) => isRecord(value) && Object.entries(value).every(([name, one]) => HEADER_NAME.test(name) && isHeader(one)),
    'a table of headers, each with a text or a list of texts',
  ],
  override_path: [isBoolean, 'true or false'],
  skip_verify: [isBoolean, 'true or false'],
}

export function readHostsFile(text: string): HostsFile {
  let document: Record<string, unknown>
  try {
    document = parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its message quotes the line, which may hold a secret.
    return {...NOTHING, problems: [`Line ${error.line} is not valid TOML.`]}
  }
  const {host = {}, server, ...root} = document
  const problems = [
    ...(server === undefined ? [] : addressProblems('server', server)),
    ...fieldProblems('', root, ['host', 'server']),
  ]
  if (!isRecord(host)) return {...NOTHING, problems: [...problems, 'host must be a table of tables.']}
  const tables = [root]
  for (const [address, fields] of Object.entries(host)) {
    const name = `host."${withoutLogin(address)}"`
    problems.push(...addressProblems(name, address))
    if (isRecord(fields)) {
      problems.push(...fieldProblems(`${name}.`, fields))
      tables.push(fields)
    } else problems.push(`${name} must be a table.`)
  }

  return {
    authorities: tables.flatMap(({ca}) => textsOf(ca) ?? []),
    clients: tables.flatMap(({client}) => clientsIn(client)),
    headers: tables.flatMap(({header}) =>
      isRecord(header) ? Object.values(header).flatMap((one) => textsOf(one) ?? []) : [],
    ),
    problems,
    unverified: Object.entries({[isText(server) ? server : '']: root, ...host}).flatMap(([address, fields]) =>
      isRecord(fields) && fields['skip_verify'] === true ? [withoutLogin(address)] : [],
    ),
    written: problems.length === 0 ? written(server, root, host) : '',
  }
}

/** containerd takes the hosts, and their order, from the headers of tables, and no others (hosts.go, getSortedHosts). */
function written(server: unknown, root: Record<string, unknown>, hosts: Record<string, unknown>): string {
  const tables = Object.entries(hosts).flatMap(([address, fields]) => {
    const table = `host.${JSON.stringify(address)}`
    return isRecord(fields) ? ['', `[${table}]`, ...fieldLines(`${table}.`, fields)] : []
  })
  const first = server === undefined ? [] : [`server = ${tomlValue(server)}`]
  return `${[...first, ...fieldLines('', root), ...tables].join('\n').trimStart()}\n`
}

function fieldLines(where: string, {header, ...fields}: Record<string, unknown>): string[] {
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${tomlValue(value)}`)
  const headers = Object.entries(isRecord(header) ? header : {}).map(
    ([name, value]) => `${JSON.stringify(name)} = ${tomlValue(value)}`,
  )
  return [...lines, ...(headers.length === 0 ? [] : [`[${where}header]`, ...headers])]
}

/** Of a file that was written here. containerd before 2.0 cannot decode another, and pulls without it (hosts.go, getSortedHosts). */
export const hasHosts = (text: string): boolean => text.includes('\n[host.') || text.startsWith('[host.')

const NOTHING: HostsFile = {authorities: [], clients: [], headers: [], problems: [], unverified: [], written: ''}

const textsOf = (value: unknown): readonly string[] | undefined =>
  isText(value) ? [value] : isTexts(value) ? value : undefined

/** A text alone, or in a list, is a file with both. */
const clientsIn = (client: unknown): (readonly [string, string])[] =>
  (Array.isArray(client) ? (client as unknown[]) : [client]).flatMap((one) => {
    const [certificate, key = certificate] = textsOf(one) ?? []
    return certificate === undefined || key === undefined ? [] : [[certificate, key] as const]
  })

function fieldProblems(where: string, fields: Record<string, unknown>, others: readonly string[] = []): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const [isValid, wanted = ''] = (Object.hasOwn(FIELDS, name) && FIELDS[name]) || []
    if (isValid) return isValid(value) ? [] : [`${where}${name} must be ${wanted}.`]
    const meant = nearest(name, [...Object.keys(FIELDS), ...others])
    return [`containerd knows no field ${where}${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`]
  })
}

const withoutLogin = (address: string): string => address.replace(/^([^/]*\/\/)?.*@/, '$1***@')

/** containerd writes https:// before what does not begin with http, and sends no login of an address. */
function addressProblems(name: string, address: unknown): string[] {
  if (!isText(address)) return [`${name} must be a text.`]
  const full = address.startsWith('http') ? address : `https://${address}`
  if (/^https?:\/\/[^/]*@/.test(full))
    return [`${name} has a login, which containerd does not send: use a header, or imagePullSecrets.`]
  return ADDRESS.test(full) && URL.canParse(full)
    ? []
    : [`${name} is not an address, such as "https://registry.example.com".`]
}
