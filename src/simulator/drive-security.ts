// The security descriptors of a simulated drive: SDDL by lower-cased path, in machine.json.
import {isUnder, keyOf} from './drive-entries.js'
import type {DriveSecurity} from './memory-drive.js'

type Descriptors = Record<string, string>

const keysUnder = (security: Descriptors, path: string): string[] =>
  Object.keys(security).filter((key) => isUnder(key, keyOf(path)))

/** A new file inherits unless it has a descriptor of its own. */
export function setSecurity(security: Descriptors, path: string, sddl: string | undefined): void {
  if (sddl === undefined) delete security[keyOf(path)]
  else security[keyOf(path)] = sddl.startsWith('O:') ? sddl : `O:BA${sddl}`
}

export function removeSecurity(security: Descriptors, path: string): void {
  for (const key of keysUnder(security, path)) delete security[key]
}

/** A moved file keeps its descriptor. Returns how to remove the one of the old path. */
export function moveSecurity(security: Descriptors, from: string, to: string): () => void {
  removeSecurity(security, to)
  const moved = keysUnder(security, from)
  for (const key of moved) security[keyOf(to) + key.slice(keyOf(from).length)] = security[key] as string
  return () => {
    for (const key of moved) delete security[key]
  }
}

export const securityIn = (security: () => Descriptors): DriveSecurity => ({
  made: (path, sddl) => setSecurity(security(), path, sddl),
  moved: (from, to) => moveSecurity(security(), from, to)(),
  removed: (path) => removeSecurity(security(), path),
})
