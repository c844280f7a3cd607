// hosts.toml of a registry, judged as containerd decodes it (core/remotes/docker/config/hosts.go, 1.7.29 and 2.3.4): of a
// file that it cannot decode it only writes to its log, and then pulls without the mirrors, certificates and headers in it.
import {parse as parseToml, TomlError} from 'smol-toml'
import {nearest} from '../../config/nearest.js'
import {isBoolean, isRecord, isText, listOf} from '../../config/shape.js'

export interface HostsFile {
  /** Paths of certificate authorities, as they are written. */
  readonly authorities: readonly string[]
  /** Paths of client certificates and their keys, which may be the same file. */
  readonly clients: readonly (readonly [certificate: string, key: string])[]
  /** Values of headers: secrets. */
  readonly headers: readonly string[]
  /** What is wrong with it, in sentences without a value of a header. */
  readonly problems: readonly string[]
}

const CAPABILITIES = ['pull', 'push', 'referrers', 'resolve']
/** time.ParseDuration. */
const DURATION = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
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
  dial_timeout: [(value) => isText(value) && DURATION.test(value), 'a duration such as "5s"'],
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
      if (!hasHeader(text, address))
        problems.push(`${name} needs a table of its own, [${name}]: containerd ignores it in another form.`)
    } else problems.push(`${name} must be a table.`)
  }

  return {
    authorities: tables.flatMap(({ca}) => textsOf(ca) ?? []),
    clients: tables.flatMap(({client}) => clientsIn(client)),
    headers: tables.flatMap(({header}) =>
      isRecord(header) ? Object.values(header).flatMap((one) => textsOf(one) ?? []) : [],
    ),
    problems,
  }
}

/** containerd takes the order of the hosts from the headers of tables, and no others (hosts.go, getSortedHosts). */
const hasHeader = (text: string, address: string): boolean =>
  [...text.matchAll(/^[ \t]*\[[ \t]*host[ \t]*\.[ \t]*(?:"([^"\n]*)"|'([^'\n]*)')/gm)].some(
    ([, quoted, literal]) => (quoted ?? literal) === address,
  )

/** containerd before 2.0 cannot decode another, and pulls without it (hosts.go, getSortedHosts). */
export const hasHosts = (text: string): boolean => /^[ \t]*\[[ \t]*host[ \t]*\./m.test(text)

const NOTHING: HostsFile = {authorities: [], clients: [], headers: [], problems: []}

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
  const full = address.startsWith('http') || address.includes('://') ? address : `https://${address}`
  if (!/^https?:\/\//.test(full) || !URL.canParse(full))
    return [`${name} is not an address, such as "https://registry.example.com".`]
  const {password, username} = new URL(full)
  return username === '' && password === ''
    ? []
    : [`${name} has a login, which containerd does not send: use a header, or imagePullSecrets.`]
}
