// Reading a kubeconfig as kubectl does: the current context's cluster and user, files beside it included.
import {X509Certificate} from 'node:crypto'
import {posix, win32 as windowsPath} from 'node:path'
import {parse, stringify} from 'yaml'
import type {TlsOptions} from '../machine/http.js'

export interface Kubeconfig {
  /** PEM, where the kubeconfig names one. */
  readonly ca?: string
  /** PEM. */
  readonly certificate?: string
  readonly exec?: {
    readonly args: readonly string[]
    readonly command: string
    readonly env: Readonly<Record<string, string>>
  }
  readonly namespace?: string
  readonly server: string
  readonly tls: TlsOptions
  readonly token?: string
  /** The same kubeconfig with every file it names put inside, for daemons that read it from another folder. */
  readonly whole: string
}

type ReadFile = (path: string) => Promise<Buffer | undefined>
type Entry = Record<string, unknown>

/** Throws an Error that says in a sentence what is wrong with it; never with any of its content. */
export async function readKubeconfig(path: string, content: Buffer, readFile: ReadFile): Promise<Kubeconfig> {
  const document = parseDocument(content)
  const contextName = text(document['current-context'])
  if (!contextName) throw new Error('it has no current-context')
  const context = named(document, 'contexts', contextName, 'context')
  if (!context) throw new Error('its current-context is not among its contexts')
  const cluster = named(document, 'clusters', text(context.cluster), 'cluster')
  const user = named(document, 'users', text(context.user), 'user') ?? {}
  const server = text(cluster?.server)
  if (!cluster || !server) throw new Error('it names no server')
  if (!isWebAddress(server)) throw new Error('its server is no http or https address')
  if (cluster['insecure-skip-tls-verify'] === true) {
    throw new Error('it has insecure-skip-tls-verify: the cluster could be anybody')
  }

  /** A file it names: relative to its own folder, as kubectl takes it. */
  const beside = async (name: unknown): Promise<Buffer | undefined> => {
    const file = text(name)
    if (!file) return undefined
    // In a rehearsal the kubeconfig may lie on the machine we run on, which need not be a Windows.
    const {dirname, join} = /^[a-z]:|\\/i.test(path) ? windowsPath : posix
    const target = windowsPath.isAbsolute(file) ? file : join(dirname(path), file)
    const bytes = await readFile(target)
    if (!bytes) throw new Error(`it names ${target}, which is not there`)
    return bytes
  }

  const material = async (entry: Entry, key: string): Promise<string | undefined> => {
    const data = text(entry[`${key}-data`])
    if (data) return Buffer.from(data, 'base64').toString('utf8')
    const bytes = await beside(entry[key])
    if (!bytes) return undefined
    entry[`${key}-data`] = bytes.toString('base64')
    delete entry[key]
    return bytes.toString('utf8')
  }

  const [ca, certificate, key] = [
    await material(cluster, 'certificate-authority'),
    await material(user, 'client-certificate'),
    await material(user, 'client-key'),
  ]
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('its user has a client certificate without its key, or a key without its certificate')
  // As client-go: the file wins.
  const token = (await beside(user.tokenFile))?.toString('utf8').trim() || text(user.token)
  if (token && user.tokenFile !== undefined) {
    user.token = token
    delete user.tokenFile
  }

  const serverName = text(cluster['tls-server-name'])
  return {
    ...optional('ca', ca),
    ...optional('certificate', certificate),
    ...optional('exec', readExec(user)),
    ...optional('token', token),
    server: server.replace(/\/+$/, ''),
    tls: {
      ...optional('ca', ca),
      ...optional('cert', certificate),
      ...optional('key', key),
      ...optional('serverName', serverName),
    },
    whole: stringify(document),
  }
}

/** Is the client certificate one of the group that may do everything? */
export function isClusterAdministrator(kubeconfig: Kubeconfig): boolean {
  if (!kubeconfig.certificate) return false
  try {
    return new X509Certificate(kubeconfig.certificate).subject.split('\n').includes('O=system:masters')
  } catch {
    return false
  }
}

function parseDocument(content: Buffer): Entry {
  let document: unknown
  try {
    // PowerShell's Out-File writes UTF-16 with a mark, which Go's parser, and so the kubelet, cannot read.
    if (/^(fffe|feff)/.test(content.toString('hex', 0, 2)))
      throw new Error('it is UTF-16, which the kubelet cannot read: save it as UTF-8')
    // Its warnings quote the line, and so perhaps a secret.
    document = parse(content.toString('utf8').replace(/^\uFEFF/, ''), {logLevel: 'error'})
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('it is')) throw error
    const line = (error as {linePos?: [{line: number}]}).linePos?.[0].line
    // Not as the cause: the parser's message quotes the line, which may hold a key.
    // eslint-disable-next-line preserve-caught-error
    throw new Error(line === undefined ? 'it is not YAML' : `it is not YAML: line ${line}`)
  }

  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new Error('it is not a kubeconfig')
  return document as Entry
}

function named(document: Entry, list: string, name: string | undefined, key: string): Entry | undefined {
  const entries = Array.isArray(document[list]) ? (document[list] as (Entry | null)[]) : []
  // A kubeconfig with one context and no current-context is unambiguous for people, but kubectl and the kubelet take none.
  const found = entries.find((entry) => name !== undefined && entry?.name === name)?.[key]
  return typeof found === 'object' && found !== null ? (found as Entry) : undefined
}

function readExec(user: Entry): Kubeconfig['exec'] {
  const exec = user.exec as {args?: string[]; command?: string; env?: {name: string; value: string}[]} | undefined
  if (!exec?.command) return undefined
  const env = Object.fromEntries((exec.env ?? []).map((entry) => [entry.name, entry.value]))
  return {args: exec.args ?? [], command: exec.command, env}
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function isWebAddress(server: string): boolean {
  return URL.canParse(server) && /^https?:$/.test(new URL(server).protocol)
}

function optional<K extends string, V>(key: K, value: V | undefined): Record<K, V> | Record<never, never> {
  return value === undefined ? {} : {[key]: value}
}
