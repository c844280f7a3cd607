// The two lists of the kubelet's fields, the one that setup judges by and the simulator's own: each is the other's witness.
import {describe, expect, it} from 'vitest'
import {kubeletConfigProblems} from '../../../src/config/settings/kubelet-config-problems.js'
import {entryOf} from '../../../src/config/settings/release-data.js'
import {fieldsOf} from '../../../src/simulator/daemons/kubelet/kubelet-fields.js'
import {
  absentIn,
  fragmentOf,
  MINORS,
  placesOf,
  refusals,
  release,
  TYPES,
  validValue,
} from '../../config/kubelet-values.js'

/** In Go a map of texts; the data has the names that the kubelet takes. */
const MAPS = ['EvictionGracePeriods', 'EvictionReclaims', 'EvictionThresholds', 'ReservedResources']
/** Both embed one structure in Go. */
const EMBEDDED = ['JSONOptions', 'TextOptions']
const structs = Object.keys(TYPES).filter((name) => !MAPS.includes(name))

describe.each(MINORS)('1.%i', (minor) => {
  it('has the same fields in both', () => {
    for (const struct of structs) {
      const names = Object.keys(TYPES[struct]!).filter((name) => entryOf(TYPES[struct]!, name, minor))
      const simulated = fieldsOf(minor)(EMBEDDED.includes(struct) ? 'OutputRoutingOptions' : struct)
      expect([struct, ...names.toSorted()]).toEqual([struct, ...[...simulated.keys()].toSorted()])
    }
  })

  it('takes each of its fields with a valid value', () => {
    const places = placesOf(minor).filter(({field}) => field.refused === undefined)
    expect(places.length).toBeGreaterThan(130)
    for (const {field, path} of places) {
      if (path[0] === 'apiVersion' || path[0] === 'kind') continue
      const fragment = withPartner(fragmentOf(path, validValue(field, minor)), path)
      expect([path, ...refusals(fragment, minor)]).toEqual([path])
      expect([path, ...kubeletConfigProblems(fragment, release(minor))]).toEqual([path])
    }
  })

  it('refuses those that it does not have on Windows', () => {
    for (const {field, path} of placesOf(minor).filter((one) => one.field.refused !== undefined)) {
      expect(refusals(fragmentOf(path, validValue(field, minor)), minor)).toHaveLength(1)
    }
  })

  it('does not know those of other minors', () => {
    for (const [type, name] of absentIn(minor)) {
      for (const {path} of placesOf(minor).filter(({field}) => JSON.stringify(field.type).includes(`"${type}"`))) {
        const at = [...path, ...(JSON.stringify(TYPES).includes(`{"list":"${type}"}`) ? [0] : []), name]
        expect([at, refusals(fragmentOf(at, '1'), minor).length]).toEqual([at, 1])
      }
      if (type === 'KubeletConfiguration') expect([name, refusals({[name]: null}, minor).length]).toEqual([name, 1])
    }
  })
})

/** What a field is not valid without. */
function withPartner(fragment: Record<string, unknown>, path: readonly (number | string)[]): object {
  if (path[0] === 'imageGCHighThresholdPercent') return {...fragment, imageGCLowThresholdPercent: 0}
  if (path[0] === 'imageGCLowThresholdPercent') return {...fragment, imageGCHighThresholdPercent: 100}
  if (path[0] !== 'evictionSoft') return fragment
  const signals = Object.keys(fragment['evictionSoft'] as object)
  return {...fragment, evictionSoftGracePeriod: Object.fromEntries(signals.map((signal) => [signal, '1m']))}
}
