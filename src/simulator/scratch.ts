// A drive that is only looked at: what the simulated daemons write while somebody does is gone with the process.
import type {Files} from '../machine/files.js'
import {createOverlay} from './twin/overlay.js'

const NO_SECURITY = {made: (): void => {}, moved: async (): Promise<void> => {}, removed: (): void => {}}

export function createScratch(drive: Files, now: () => number): Files {
  return createOverlay({digestOf: () => undefined, host: drive, now, security: NO_SECURITY})
}
