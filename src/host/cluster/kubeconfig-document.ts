// A kubeconfig's text as Go's parser, and so every daemon, reads it, and what its current context stands for.
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {remembered} from '../../machine/remembered.js'
import {posix, win32} from 'node:path'
import {LineCounter, parseAllDocuments, stringify} from 'yaml'
import {isBoolean, isRecord, isText} from '../../config/shape.js'
import {decodeText, excessOf} from '../../config/yaml.js'

/** One command reads the same few many times. */
const MOST_KNOWN = 16

type Entry = Record<string, unknown>
type Kind = 'base64' | 'boolean' | 'list' | 'object' | 'text'

export interface CurrentContext {
  readonly cluster: Entry
  readonly context: Entry
  readonly names: {readonly cluster: string; readonly context: string; readonly user: string}
  readonly user: Entry
}

/** The fields that k8s-win or the daemons use. Go refuses the whole file for one of another type. */
const CLUSTER: Readonly<Record<string, Kind>> = {
  'certificate-authority': 'text',
  'certificate-authority-data': 'base64',
  'insecure-skip-tls-verify': 'boolean',
  'proxy-url': 'text',
  server: 'text',
  'tls-server-name': 'text',
}
const CONTEXT: Readonly<Record<string, Kind>> = {cluster: 'text', namespace: 'text', user: 'text'}
const USER: Readonly<Record<string, Kind>> = {
  as: 'text',
  'as-groups': 'list',
  'auth-provider': 'object',
  'client-certificate': 'text',
  'client-certificate-data': 'base64',
  'client-key': 'text',
  'client-key-data': 'base64',
  exec: 'object',
  password: 'text',
  token: 'text',
  tokenFile: 'text',
  username: 'text',
}

const WANTED: Readonly<Record<Kind, {readonly is: (value: unknown) => boolean; readonly name: string}>> = {
  base64: {is: (value) => isText(value) && isBase64(value), name: 'base64'},
  boolean: {is: isBoolean, name: 'true or false'},
  list: {is: Array.isArray, name: 'a list'},
  object: {is: isRecord, name: 'a mapping'},
  text: {is: isText, name: 'text (put it in quotes)'},
}

/** Throws an Error that says in a sentence what is wrong with it; never with any of its content. */
export function readDocument(content: Buffer): CurrentContext {
  // A copy: whoever reads it fills it in.
  return structuredClone(currentContextIn(decodeText(content)))
}

const currentContextIn = remembered((text): CurrentContext => {
  const document = structuredClone(parseText(text))
  if (!isRecord(document)) throw new UnusableFileError('it is not a kubeconfig')
  demandKinds(document, {apiVersion: 'text', 'current-context': 'text', kind: 'text'})
  // Go fills in what is missing, and takes nothing else.
  if ((document.apiVersion || 'v1') !== 'v1' || (document.kind || 'Config') !== 'Config') {
    throw new UnusableFileError('its apiVersion and kind are not v1 and Config')
  }

  const contexts = namedEntries(document, 'contexts', 'context', CONTEXT)
  const clusters = namedEntries(document, 'clusters', 'cluster', CLUSTER)
  const users = namedEntries(document, 'users', 'user', USER)
  const name = textIn(document, 'current-context')
  // Also with a single context: kubectl and the kubelet do not choose it by themselves.
  if (name === undefined) throw new UnusableFileError('it has no current-context')
  const context = contexts.get(name)
  if (!context) throw new UnusableFileError('its current-context is not among its contexts')
  const names = {cluster: textIn(context, 'cluster') ?? '', context: name, user: textIn(context, 'user') ?? ''}
  const cluster = clusters.get(names.cluster)
  if (!cluster) throw new UnusableFileError('its current context names no cluster that is in it')
  const user = names.user === '' ? {} : users.get(names.user)
  if (!user) throw new UnusableFileError('its current context names a user that is not in it')
  return {cluster, context, names, user}
}, MOST_KNOWN)

/**
 * The cluster of a kubeconfig without a user: the one without a name, as in cluster-info, or that of the current context
 * (kubernetes: cmd/kubeadm/app/util/kubeconfig, GetClusterFromKubeConfig). Throws as readDocument does.
 */
export function clusterIn(content: Buffer): Readonly<Entry> {
  const document = parseText(decodeText(content))
  if (!isRecord(document)) throw new UnusableFileError('it is not a kubeconfig')
  demandKinds(document, {'current-context': 'text'})
  const clusters = namedEntries(document, 'clusters', 'cluster', CLUSTER)
  const current = namedEntries(document, 'contexts', 'context', CONTEXT).get(textIn(document, 'current-context') ?? '')
  const found = clusters.get('') ?? (current && clusters.get(textIn(current, 'cluster') ?? ''))
  if (!found) throw new UnusableFileError('it contains no cluster')
  return found
}

/** All clusters and users, whatever is wrong with the rest; undefined where it is no YAML. Never throws. */
export function readAllEntries(content: Buffer): {clusters: Entry[]; users: Entry[]} | undefined {
  const entriesOf = (document: Entry, list: string, key: string): Entry[] =>
    Array.isArray(document[list])
      ? (document[list] as unknown[]).flatMap((item) => (isRecord(item) && isRecord(item[key]) ? [item[key]] : []))
      : []
  try {
    const document = parseText(decodeText(content))
    if (!isRecord(document)) return undefined
    return {clusters: entriesOf(document, 'clusters', 'cluster'), users: entriesOf(document, 'users', 'user')}
  } catch {
    return undefined
  }
}

/** With the current context alone: the others may hold an administrator's key, which is not for this node. */
export function writeDocument({cluster, context, names, user}: CurrentContext): string {
  const document = {
    apiVersion: 'v1',
    clusters: [{cluster, name: names.cluster}],
    contexts: [{context, name: names.context}],
    'current-context': names.context,
    kind: 'Config',
    ...(names.user === '' ? {} : {users: [{name: names.user, user}]}),
  }
  // In quotes, because Go reads yes, no, on, off and y as truth values.
  return stringify(document, {
    aliasDuplicateObjects: false,
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    lineWidth: 0,
  })
}

/**
 * Where a file is that a kubeconfig names, as client-go resolves it (clientcmd/loader.go, ResolvePaths): beside the
 * kubeconfig, unless its path is absolute, which for Go's filepath.IsAbs on Windows takes a drive or a server.
 */
export function pathBeside(kubeconfig: string, name: string): string {
  // With --simulate the kubeconfig may be on this machine, which need not be Windows.
  const isWindows = /^[a-z]:|\\/i.test(kubeconfig)
  if (/^(?:[a-z]:[\\/]|[\\/]{2})/i.test(name) || (!isWindows && posix.isAbsolute(name))) return name
  const {dirname, join} = isWindows ? win32 : posix
  return join(dirname(kubeconfig), name)
}

export function demandKinds(entry: Entry, kinds: Readonly<Record<string, Kind>>): void {
  for (const [key, kind] of Object.entries(kinds)) {
    const value = entry[key] ?? undefined
    if (value !== undefined && !WANTED[kind].is(value))
      throw new UnusableFileError(`its ${key} is not ${WANTED[kind].name}`)
  }
}

export function textIn(entry: Entry, key: string): string | undefined {
  const value = entry[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** YAML 1.1 without its clock times, as Go takes it: yes is true, "<<" merges, the last of two same keys counts, and the first document. */
const parseText = remembered((text): unknown => {
  const excess = excessOf(text)
  if (excess !== undefined) throw new UnusableFileError(`it is not YAML: it ${excess}`)
  const lineCounter = new LineCounter()
  const [document] = parseAllDocuments(text, {
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !/TIME|:timestamp$/.test(`${tag.format} ${tag.tag}`)),
    lineCounter,
    // Warnings quote the line, and so perhaps a secret.
    logLevel: 'error',
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.1',
  })
  const [problem] = document?.errors ?? []
  // Not as the cause: the parser's message quotes what is there, which may be a key.
  if (problem) throw new UnusableFileError(`it is not YAML: line ${lineCounter.linePos(problem.pos[0]).line}`)
  try {
    return document?.toJS()
  } catch {
    throw new UnusableFileError('it is not YAML: an alias without its anchor, or too many of them')
  }
}, MOST_KNOWN)

function namedEntries(
  document: Entry,
  list: string,
  key: string,
  kinds: Readonly<Record<string, Kind>>,
): Map<string, Entry> {
  demandKinds(document, {[list]: 'list'})
  const found = new Map<string, Entry>()
  for (const item of (document[list] ?? []) as unknown[]) {
    const entry = item ?? {}
    if (!isRecord(entry)) throw new UnusableFileError(`its ${list} are not a list of mappings`)
    demandKinds(entry, {[key]: 'object', name: 'text'})
    const name = textIn(entry, 'name') ?? ''
    if (found.has(name)) throw new UnusableFileError(`it has two ${list} of the same name`)
    const value = (entry[key] ?? {}) as Entry
    demandKinds(value, kinds)
    found.set(name, value)
  }

  return found
}

/** As Go: the standard alphabet, whole groups, and line breaks anywhere. */
function isBase64(text: string): boolean {
  return /^(?:[\d+/A-Za-z]{4})*(?:[\d+/A-Za-z]{2}==|[\d+/A-Za-z]{3}=)?$/.test(text.replaceAll(/[\r\n]/g, ''))
}
