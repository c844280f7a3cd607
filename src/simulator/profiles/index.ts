// The kinds of Windows Server that can be simulated.
import type {Files} from '../../machine/files.js'
import type {World} from '../world.js'
import {ws2019} from './ws2019.js'

export interface Profile {
  /** What is on drive C of a fresh host. What is there already stays. */
  fillDrive(files: Files, world: World): Promise<void>
  makeWorld(now: number): World
}

export const PROFILES: Readonly<Record<string, Profile>> = {ws2019}

export function profileNamed(name: string): Profile {
  const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (!found) throw new Error(`there is no simulated host ${name}; there is ${Object.keys(PROFILES).join(', ')}`)
  return found
}
