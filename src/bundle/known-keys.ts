// The configuration of daemons goes into a bundle by the keys that are known to hold no secret. Plugins, registries and
// people put credentials under any name and in any notation, so everything else is left out but its key.
import {isRecord} from '../config/shape.js'
import {parseJson} from '../host/document.js'
import type {Content} from './collector.js'

/** Keys whose values are paths, addresses and names. */
const KNOWN = new Set(
  [
    // The kubelet.
    'apiVersion kind mode clientCAFile clusterDNS clusterDomain containerRuntimeEndpoint imageServiceEndpoint resolvConf',
    'tlsMinVersion volumePluginDir staticPodPath',
    // containerd and crictl.
    'root state address path imports disabled_plugins level config_path sandbox sandbox_image bin_dir bin_dirs conf_dir',
    'image_pull_progress_timeout default_runtime_name runtime_type snapshotter runtime-endpoint image-endpoint',
    // Flannel and CNI.
    'Network Type FLANNEL_NETWORK FLANNEL_SUBNET name type cniVersion DestinationPrefix Exceptions ExceptionList',
  ]
    .join(' ')
    .split(' '),
)
/** Shown whatever its key is: a number, also with a unit, or a choice of two. */
const PLAIN = /^(?:true|false|null|\d{1,7}(?:\.\d{1,7}){0,3}(?:%|[KMGT]i?B?|ms|[smhd](?:\d{1,2}[ms]){0,2})?)$/
/** In these, known keys may be names of headers. */
const HEADERS = /\b(?:headers?|auths?)\b/i
const HIDDEN = '***'
/** Deeper than any of these files; what is below would not be shown anyway. */
const DEEPEST = 100

export function knownKeys(text: string): Content {
  const document = parseJson(text)
  return document === undefined ? {text: knownLines(text)} : {document: knownFields(document)}
}

function knownFields(value: unknown, isKnown = false, depth = 0): unknown {
  if (depth > DEEPEST) return '[nested too deeply]'
  if (Array.isArray(value)) return value.map((item) => knownFields(item, isKnown, depth + 1))
  if (!isRecord(value)) return isKnown || PLAIN.test(String(value)) ? value : HIDDEN
  const shown = (key: string, inner: unknown): unknown =>
    HEADERS.test(key) ? HIDDEN : knownFields(inner, KNOWN.has(key), depth + 1)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(key, inner)]))
}

/** A pair of YAML, TOML, JSON or a file of variables. */
const PAIR = /^([\s-]{0,200}(["']?))([\w.-]{1,200})(\2[^\S\n]{0,20}[:=][^\S\n]{0,20})(.*)$/
/** A line that begins a table of TOML; one of an array is none. */
const TABLE = /^[ \t]{0,200}\[{1,2}[ \t]{0,20}\w/
/** A list that continues on the next lines, or fields of its own. */
const OPENING = /^[[{]?$/

function knownLines(text: string): string {
  let isHeaders = false
  let isListed = false
  const lines = text.split(/\r?\n/).map((line) => {
    const [, before = '', , key = '', separator = '', value = ''] = PAIR.exec(line) ?? []
    if (TABLE.test(line)) {
      isHeaders = HEADERS.test(line)
      isListed = false
      return line
    }
    if (key === '') return isListed || /^[\s{}[\],]*$/.test(line) ? line : HIDDEN
    const plain = value.trim().replace(/,$/, '')
    const isKnown = KNOWN.has(key) && !isHeaders
    isListed = isKnown && OPENING.test(plain)
    isHeaders ||= HEADERS.test(key) && OPENING.test(plain)
    return isKnown || OPENING.test(plain) || (PLAIN.test(plain) && !isHeaders)
      ? line
      : `${before}${key}${separator}'***'`
  })
  return lines.join('\n')
}
