// What "k8s-win token" prints. The token is what the user asked for: it is shown, once, and only on standard output.
import {NODE_ACCESS_COMMAND} from '../../components/node-access.js'
import {printable, tableLines} from './text-shape.js'

/** `token create`: --output json and ndjson. */
export interface CreatedTokenDocument {
  readonly caCertHashes: readonly string[]
  /** The line that sets up a node, without the token, which it reads from standard input. */
  readonly command: string
  /** RFC 3339; null for a token that never expires. */
  readonly expiresAt: string | null
  readonly schemaVersion: 1
  readonly server: string
  readonly simulated: boolean
  readonly token: string
}

/** `token list`: --output json and ndjson. */
export interface TokenListDocument {
  readonly command: 'token list'
  readonly schemaVersion: 1
  readonly simulated: boolean
  /** Without their secrets. */
  readonly tokens: readonly ListedTokenDocument[]
}

export interface ListedTokenDocument {
  readonly description: string
  /** RFC 3339; null for a token that never expires. */
  readonly expiresAt: string | null
  readonly groups: readonly string[]
  readonly id: string
  /** 0 where it has expired; null where it never does. */
  readonly ttlSeconds: number | null
  readonly usages: readonly string[]
}

/** `token delete`: --output json and ndjson. */
export interface DeletedTokenDocument {
  readonly command: 'token delete'
  /** Of the token that was deleted. */
  readonly id: string
  readonly schemaVersion: 1
  readonly simulated: boolean
}

interface Created {
  readonly caCertHashes: readonly string[]
  readonly expiresAt: string | undefined
  readonly server: string
  readonly token: string
}

/** The token is read from standard input: not from the command line, which every user of the node can read, nor from a file. */
export function setupCommand({caCertHashes, server}: Pick<Created, 'caCertHashes' | 'server'>): string {
  const pins = caCertHashes.map((pin) => `-CaCertHash ${pin}`)
  return ['k8s-win setup', String.raw`-BaseDir c:\k`, `-Server ${server}`, '-TokenFile -', ...pins].join(' ')
}

export function createdDocument(created: Created, simulated: boolean): CreatedTokenDocument {
  const {caCertHashes, expiresAt = null, server, token} = created
  return {caCertHashes, command: setupCommand(created), expiresAt, schemaVersion: 1, server, simulated, token}
}

export function createdLines(created: Created): string[] {
  const {expiresAt, token} = created
  return [
    `Token:    ${token}`,
    `Expires:  ${expiresAt ?? 'never'}`,
    '',
    'On the Windows node, in an elevated PowerShell; paste the token when k8s-win prompts for it:',
    '',
    `  ${setupCommand(created)}`,
    '',
    'This keeps the token off the command line, which other users can see. To join without a prompt, pass the path of',
    'a file that only administrators can read instead of the dash.',
    '',
    `Once per cluster, before its first Windows node: ${NODE_ACCESS_COMMAND}`,
  ]
}

export function listLines(tokens: readonly ListedTokenDocument[]): string[] {
  if (tokens.length === 0) return ['The cluster has no bootstrap tokens.']
  const rows = tokens.map(({description, expiresAt, groups, id, ttlSeconds, usages}) => [
    id,
    ttlText(ttlSeconds, expiresAt),
    expiresAt ?? 'never',
    usages.join(',') || '-',
    groups.join(',') || '-',
    description || '-',
  ])
  const head = ['ID', 'TTL', 'EXPIRES', 'USAGES', 'GROUPS', 'DESCRIPTION']
  return tableLines([head, ...rows.map((row) => row.map(printable))])
}

/** As kubectl shows ages: the two largest units. */
function ttlText(seconds: number | null, expiresAt: string | null): string {
  if (seconds === null) return expiresAt === null ? 'never' : 'invalid'
  if (seconds === 0) return 'expired'
  if (seconds < 60) return `${seconds}s`
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ]
  if (minutes < 60) return `${minutes}m`
  return hours < 48 ? `${hours}h${minutes % 60}m` : `${days}d${hours % 24}h`
}
