// The kinds of Windows Server that can be simulated.
import type {Profile} from './profile.js'
import {ws2019} from './ws2019.js'

export const PROFILES: Readonly<Record<string, Profile>> = {ws2019}

export function profileNamed(name: string): Profile {
  const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (!found) throw new Error(`there is no simulated host ${name}; there is ${Object.keys(PROFILES).join(', ')}`)
  return found
}
