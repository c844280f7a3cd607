// Conditions in a strategic merge patch of nodes/status, which merges them by their type (apimachinery
// pkg/util/strategicpatch/patch.go; core/v1/types.go, NodeStatus). Those of the kubelet come from its model.
import type {ModelResponse} from '../model.js'
import type {NodeCondition} from './state.js'
import {failure, invalid} from './status.js'
import type {Access} from './rbac.js'

type Entry = Record<string, unknown>

const OF_KUBELET = ['DiskPressure', 'MemoryPressure', 'PIDPressure', 'Ready']
/** metav1.Time, UnmarshalJSON. */
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const FIELDS = ['lastHeartbeatTime', 'lastTransitionTime', 'message', 'reason', 'status', 'type'] as const

/** What the conditions are after the patch, or why it is refused. */
export function patchedConditions(
  before: readonly NodeCondition[],
  patch: readonly unknown[],
  access: Access,
): ModelResponse | NodeCondition[] {
  let after: Entry[] = before.map((one) => ({...one}))
  for (const one of patch as readonly Entry[]) {
    const {$patch: directive, ...fields} = one
    // No Status of its own (handlers/patch.go, interpretStrategicMergePatchError), so 500.
    if (fields['type'] === undefined)
      return failure(500, '', `map: ${JSON.stringify(one)} does not contain declared merge key: type`)
    if (directive !== undefined && directive !== 'delete')
      return failure(500, '', `unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(one)}`)
    const old = after.find(({type}) => type === fields['type'])
    after = after.filter((other) => other !== old)
    if (directive === undefined) after.push({...old, ...fields})
  }

  const conditions = after.map(known)
  const wrong = conditions.find((one) => !isCondition(one))
  if (wrong) {
    const message = `Invalid value: ${JSON.stringify(wrong)}: cannot be read as a NodeCondition`
    return invalid(access, '', {field: 'patch', message})
  }

  return ofOthers(conditions as unknown as NodeCondition[])
}

export const ofOthers = (conditions: readonly NodeCondition[]): NodeCondition[] =>
  conditions.filter(({type}) => !OF_KUBELET.includes(type))

/** Unknown fields are dropped, and null removes one. */
const known = (one: Entry): Entry =>
  Object.fromEntries(
    FIELDS.flatMap((field) => (one[field] === undefined || one[field] === null ? [] : [[field, one[field]]])),
  )

function isCondition(one: Entry): boolean {
  const isTime = (value: unknown): boolean => value === undefined || (typeof value === 'string' && RFC3339.test(value))
  return (
    Object.values(one).every((value) => typeof value === 'string') &&
    isTime(one['lastHeartbeatTime']) &&
    isTime(one['lastTransitionTime'])
  )
}
