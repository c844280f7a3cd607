// Security descriptors on the twin: the host's, looked at when they are needed, and the twin's own above them.
import {win32} from 'node:path'

import type {Win32} from '../../machine/win32.js'
import {Win32Error} from '../../machine/win32.js'
import type {OverlaySecurity} from './overlay.js'
import {keyOf} from './overlay-entries.js'

export interface TwinSecurity extends OverlaySecurity {
  /** Takes over what the host has for this path and the folders above it. */
  learn(path: string): Promise<void>
}

/** `security`: the world's SDDL by path, in which what is only inherited does not stand. */
export function createTwinSecurity(host: Pick<Win32, 'securityOf'>, security: Record<string, string>): TwinSecurity {
  const learnt = new Map<string, Promise<void>>()
  const nothing = Promise.resolve()

  const look = async (path: string): Promise<void> => {
    try {
      const sddl = await host.securityOf(path)
      if (!isInherited(sddl)) security[keyOf(path)] = sddl
    } catch (error) {
      // What the host does not have inherits; what it does not show is left to the model.
      if (!(error instanceof Win32Error)) throw error
    }
  }

  const learn = async (path: string): Promise<void> => {
    const parent = win32.dirname(path)
    if (parent !== path) await learn(parent)
    const known = learnt.get(keyOf(path)) ?? look(path)
    learnt.set(keyOf(path), known)
    await known
  }

  const forget = (path: string): void => {
    for (const key of keysUnder(security, path)) delete security[key]
    for (const key of learnt.keys()) if (isUnder(key, keyOf(path))) learnt.set(key, nothing)
    learnt.set(keyOf(path), nothing)
  }

  return {
    learn,
    made(path, sddl) {
      forget(path)
      if (sddl !== undefined) security[keyOf(path)] = sddl.startsWith('O:') ? sddl : `O:BA${sddl}`
    },
    async moved(from, to) {
      await learn(from)
      forget(to)
      for (const key of keysUnder(security, from)) {
        security[keyOf(to) + key.slice(keyOf(from).length)] = security[key] as string
      }

      forget(from)
    },
    removed: forget,
  }
}

const isUnder = (key: string, top: string): boolean => key === top || key.startsWith(`${top}\\`)

const keysUnder = (security: Record<string, string>, path: string): string[] =>
  Object.keys(security).filter((key) => isUnder(key, keyOf(path)))

/** Owned by Administrators, protected from nothing, with no entry of its own. */
function isInherited(sddl: string): boolean {
  const entries = [...sddl.matchAll(/\(([^()]*)\)/g)].map(([, entry = '']) => entry.split(';')[1] ?? '')
  return /^O:BA/.test(sddl) && !/D:[A-Z]*P/.test(sddl) && entries.every((flags) => flags.includes('ID'))
}
