// The kinds of Windows Server that can be simulated.
import type {Profile} from './profile.js'
import {ws2019} from './ws2019.js'
import {ws2022} from './ws2022.js'
import {ws2025} from './ws2025.js'

export const PROFILES: Readonly<Record<string, Profile>> = {ws2019, ws2022, ws2025}

export function profileNamed(name: string): Profile {
  const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (!found) throw new Error(`there is no simulated host ${name}; there is ${Object.keys(PROFILES).join(', ')}`)
  return found
}
