// Would the pods of a DaemonSet land on this node? As the DaemonSet controller decides it: selector, affinity, taints.
import type {Taint} from '../config/model.js'
import type {DaemonSet} from '../host/cluster/objects.js'
import {listAt, textAt} from '../host/document.js'

/** What the node will be to the scheduler. */
export interface NodeFace {
  readonly labels: Readonly<Record<string, string>>
  readonly name: string
  readonly taints: readonly Taint[]
}

/** The labels a Windows kubelet gives its node, and those asked for. */
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

/** All of a term must hold, and one with nothing in it holds nowhere. */
function fulfils(term: unknown, {labels, name}: NodeFace): boolean {
  const expressions = listAt(term, 'matchExpressions')
  const fields = listAt(term, 'matchFields')
  return (
    expressions.length + fields.length > 0 &&
    expressions.every((requirement) => holds(requirement, labels[textAt(requirement, 'key')])) &&
    fields.every((requirement) => textAt(requirement, 'key') === 'metadata.name' && holds(requirement, name))
  )
}

function holds(requirement: unknown, value: string | undefined): boolean {
  const values = listAt(requirement, 'values')
  switch (textAt(requirement, 'operator')) {
    case 'In': {
      return value !== undefined && values.includes(value)
    }
    case 'NotIn': {
      return value === undefined || !values.includes(value)
    }
    case 'Exists': {
      return value !== undefined
    }
    case 'DoesNotExist': {
      return value === undefined
    }
    case 'Gt': {
      return isBeyond(value, values)
    }
    case 'Lt': {
      return isBeyond(value, values, -1n)
    }
    default: {
      return false
    }
  }
}

/** labels.Requirement.Matches: one bound, and both are numbers to strconv.ParseInt(s, 10, 64), or nothing matches. */
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
