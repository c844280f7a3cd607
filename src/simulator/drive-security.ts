// The security descriptors of a simulated drive: SDDL by lower-cased path, in machine.json.
import {isUnder, keyOf} from './drive-entries.js'
import type {DriveSecurity} from './overlay-drive.js'

type Descriptors = Record<string, string>

const keysUnder = (security: Descriptors, path: string): string[] =>
  Object.keys(security).filter((key) => isUnder(key, keyOf(path)))

/** A new file inherits unless it has a descriptor of its own. False if nothing changed. */
export function setSecurity(security: Descriptors, path: string, sddl: string | undefined): boolean {
  const key = keyOf(path)
  const before = security[key]
  if (sddl === undefined) delete security[key]
  else security[key] = sddl.startsWith('O:') ? sddl : `O:BA${sddl}`
  return security[key] !== before
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

/** For a drive in memory. */
export const securityIn = (security: () => Descriptors): DriveSecurity => ({
  made: (path, sddl) => void setSecurity(security(), path, sddl),
  moved: (from, to) => moveSecurity(security(), from, to)(),
  removed: (path) => removeSecurity(security(), path),
})
