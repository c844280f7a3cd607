// Security descriptors on the twin: the host's, read on demand, and the twin's own changes.
import {win32} from 'node:path'

import {type Win32, Win32Error} from '../../machine/win32.js'
import {isUnder, keyOf} from '../drive-entries.js'
import {moveSecurity, removeSecurity, setSecurity} from '../drive-security.js'
import type {DriveSecurity} from '../overlay-drive.js'

export interface TwinSecurity extends DriveSecurity {
  /** Reads what the host has for this path and the folders above it. */
  learn(path: string): Promise<void>
}

/** `security`: the world's SDDL by path, without inherited ones. */
export function createTwinSecurity(host: Pick<Win32, 'securityOf'>, security: Record<string, string>): TwinSecurity {
  const learnt = new Map<string, Promise<void>>()
  const nothing = Promise.resolve()

  const read = async (path: string): Promise<void> => {
    try {
      const sddl = await host.securityOf(path)
      if (!isInherited(sddl)) security[keyOf(path)] = sddl
    } catch (error) {
      // A missing path inherits, and so does one that cannot be read.
      if (!(error instanceof Win32Error)) throw error
    }
  }

  const learn = async (path: string): Promise<void> => {
    const parent = win32.dirname(path)
    if (parent !== path) await learn(parent)
    const known = learnt.get(keyOf(path)) ?? read(path)
    learnt.set(keyOf(path), known)
    await known
  }

  const forget = (path: string): void => {
    removeSecurity(security, path)
    for (const key of learnt.keys()) if (isUnder(key, keyOf(path))) learnt.set(key, nothing)
    learnt.set(keyOf(path), nothing)
  }

  return {
    learn,
    made(path, sddl) {
      forget(path)
      setSecurity(security, path, sddl)
    },
    async moved(from, to) {
      await learn(from)
      forget(to)
      moveSecurity(security, from, to)
      forget(from)
    },
    removed: forget,
  }
}

function isInherited(sddl: string): boolean {
  const entries = [...sddl.matchAll(/\(([^()]*)\)/g)].map(([, entry = '']) => entry.split(';')[1] ?? '')
  return /^O:BA/.test(sddl) && !/D:[A-Z]*P/.test(sddl) && entries.every((flags) => flags.includes('ID'))
}
