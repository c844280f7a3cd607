// Whether the pods of a DaemonSet would be scheduled on this node, as the DaemonSet controller decides it.
import type {Taint} from '../../config/model.js'
import type {DaemonSet} from '../../host/cluster/objects.js'
import {listAt, textAt} from '../../host/document.js'

/** What the scheduler will see of the node. */
export interface NodeFace {
  readonly labels: Readonly<Record<string, string>>
  readonly name: string
  readonly taints: readonly Taint[]
}

/** The labels that a Windows kubelet sets on its node, and those of --node-label. */
export function labelsOf(name: string, build: number, asked: Readonly<Record<string, string>>): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'windows',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'windows',
    'node.kubernetes.io/windows-build': `10.0.${build}`,
    ...asked,
  }
}

export function landsOn(set: DaemonSet, node: NodeFace): boolean {
  const selected = Object.entries(set.nodeSelector).every(([key, value]) => node.labels[key] === value)
  const terms = set.requiredTerms
  const wanted = terms === undefined || terms.some((term) => fulfils(term, node))
  // fitsNodeName of the DaemonSet controller (pkg/controller/daemon, predicates).
  const isNamed = set.nodeName === undefined || set.nodeName === node.name
  return isNamed && selected && wanted && node.taints.every((taint) => isTolerated(taint, set.tolerations))
}

/** A term matches if all of its requirements do; an empty term matches no node. */
function fulfils(term: unknown, {labels, name}: NodeFace): boolean {
  const expressions = listAt(term, 'matchExpressions')
  const fields = listAt(term, 'matchFields')
  return (
    expressions.length + fields.length > 0 &&
    expressions.every((requirement) => holds(requirement, labels[textAt(requirement, 'key')])) &&
    fields.every((requirement) => textAt(requirement, 'key') === 'metadata.name' && holds(requirement, name))
  )
}

type Operator = (value: string | undefined, values: readonly unknown[]) => boolean

const OPERATORS: Readonly<Record<string, Operator>> = {
  DoesNotExist: (value) => value === undefined,
  Exists: (value) => value !== undefined,
  Gt: (value, values) => isBeyond(value, values),
  In: (value, values) => value !== undefined && values.includes(value),
  Lt: (value, values) => isBeyond(value, values, -1n),
  NotIn: (value, values) => value === undefined || !values.includes(value),
}

const holds = (requirement: unknown, value: string | undefined): boolean =>
  OPERATORS[textAt(requirement, 'operator')]?.(value, listAt(requirement, 'values')) ?? false

/** As labels.Requirement.Matches: only with one bound, and if strconv.ParseInt(s, 10, 64) parses both. */
function isBeyond(value: string | undefined, values: readonly unknown[], sign = 1n): boolean {
  const [number, bound] = [parseInt64(value), parseInt64(values[0])]
  return values.length === 1 && number !== undefined && bound !== undefined && sign * (number - bound) > 0n
}

function parseInt64(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !/^[+-]?\d+$/.test(text)) return undefined
  const number = BigInt(text.replace(/^\+/, ''))
  return BigInt.asIntN(64, number) === number ? number : undefined
}

function isTolerated(taint: Taint, tolerations: readonly unknown[]): boolean {
  if (taint.effect === 'PreferNoSchedule') return true
  return tolerations.some((toleration) => {
    const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')]
    const isOfKey = key === '' || key === taint.key
    const isOfEffect = effect === '' || effect === taint.effect
    const isOfValue = textAt(toleration, 'operator') === 'Exists' || textAt(toleration, 'value') === taint.value
    return isOfKey && isOfEffect && isOfValue
  })
}
