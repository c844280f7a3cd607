// Feature gates as kubelet and kube-proxy take them (component-base/featuregate, and pkg/features of each minor).
import {parseBool} from './flags.js'

export interface FeatureGates {
  readonly error?: undefined
  enabled(name: string): boolean
}

/** facts d.2: WinOverlay on since 1.20, WinDSR off until 1.33, IPv6DualStack locked 1.23-1.24 and gone from 1.25. */
export function parseFeatureGates(text: string, minor: number): FeatureGates | {readonly error: string} {
  const gates = new Map<string, boolean>()
  for (const pair of text.split(',').filter(Boolean)) {
    const [name = '', value = ''] = pair.trim().split('=')
    const on = parseBool(value)
    if (on === undefined)
      return {error: `invalid value of ${name}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`}
    if (name === 'IPv6DualStack' && minor >= 25) return {error: `unrecognized feature gate: ${name}`}
    if (name === 'IPv6DualStack' && minor >= 23 && !on) {
      return {error: `cannot set feature gate ${name} to false, feature is locked to true`}
    }

    gates.set(name, on)
  }

  return {enabled: (name) => gates.get(name) ?? (name === 'WinOverlay' || (name === 'WinDSR' && minor >= 33))}
}
