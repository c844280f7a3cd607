// Labels and taints a node registers with: what the API server and the kubelet take, and nothing else.
import {type Taint, TAINT_EFFECTS} from './model.js'
import {splitPair} from './options/options.js'
import {isDomain, type OptionParser} from './options/parse-option.js'

const LABEL = 'a label such as disk=ssd'
const TAINT = 'a taint such as os=windows:NoSchedule or dedicated:NoExecute'

/** What a kubelet may say of its own node: staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go. */
const KUBELET_PREFIXES = ['kubelet.kubernetes.io', 'node.kubernetes.io']
const KUBELET_LABELS = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
])
/** What it finds out itself (kubelet_node_status.go, initialNode). A label given takes its place, and pods go astray. */
const FOUND_BY_KUBELET = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/windows-build',
])

export const label: OptionParser<readonly [key: string, value: string]> = (text) => {
  if (!text.includes('=')) return {reason: 'It has no "=" between key and value.', wanted: LABEL}
  const [key, value] = splitPair(text)
  const reason = keyProblem(key) ?? valueProblem(value) ?? reservedProblem(key)
  return reason === undefined ? {value: [key, value]} : {reason, wanted: LABEL}
}

export const taint: OptionParser<Taint> = (text) => {
  const colon = text.lastIndexOf(':')
  const effect = TAINT_EFFECTS.find((name) => name === text.slice(colon + 1))
  if (colon === -1 || effect === undefined) {
    return {reason: `It does not end with an effect: ${TAINT_EFFECTS.join(', ')}.`, wanted: TAINT}
  }
  const [key, value] = splitPair(text.slice(0, colon))
  const reason = keyProblem(key) ?? valueProblem(value)
  return reason === undefined ? {value: {effect, key, value}} : {reason, wanted: TAINT}
}

const WORD = /^[\dA-Za-z](?:[\w.-]*[\dA-Za-z])?$/

/** apimachinery, IsQualifiedName. */
function keyProblem(key: string): string | undefined {
  const parts = key.split('/')
  if (parts.length > 2) return `Its key "${key}" has more than one "/".`
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined
  if (prefix !== undefined && !isDomain(prefix)) {
    return `The part of its key before the "/", "${prefix}", is not a DNS name in lower case.`
  }
  if (name.length <= 63 && WORD.test(name)) return undefined
  return `Its key "${key}" must have 1 to 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends.`
}

/** apimachinery, IsValidLabelValue: an empty one is allowed. */
function valueProblem(value: string): string | undefined {
  if (value === '' || (value.length <= 63 && WORD.test(value))) return undefined
  return `Its value "${value}" must have at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends.`
}

/** The kubelet does not start with most of these, and the admission plugin NodeRestriction would refuse them too. */
function reservedProblem(key: string): string | undefined {
  if (FOUND_BY_KUBELET.has(key)) return `The kubelet sets ${key} itself, to what this host is.`
  const prefix = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  const isIn = (domain: string): boolean => prefix === domain || prefix.endsWith(`.${domain}`)
  if (!isIn('kubernetes.io') && !isIn('k8s.io')) return undefined
  if (KUBELET_LABELS.has(key) || KUBELET_PREFIXES.some((domain) => isIn(domain))) return undefined
  return `A node may not give itself labels of ${prefix}; an administrator can: kubectl label node <name> ${key}=<value>.`
}
