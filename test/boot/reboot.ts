// A restart of the simulated host, at which services may fail their start.
import {reboot as rebootHost} from '../../src/simulator/windows/restart.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'

export interface Boot {
  /** Services that fail their start (1053), and are never started. */
  readonly failing?: readonly string[]
  /** Services that a user starts so much later, having failed their start (1053). */
  readonly lateMs?: Readonly<Record<string, number>>
}

export function reboot(world: World, {failing = [], lateMs = {}}: Boot = {}): void {
  rebootHost(world)
  const fails = ({name}: ServiceEntry): boolean => failing.includes(name) || lateMs[name] !== undefined
  const starting = Object.values(world.services).filter(({restartAt}) => restartAt !== undefined)
  const failed = Object.values(world.services).filter(fails)
  for (const entry of starting) {
    const isBlocked = failed.some((other) => entry.config.dependencies.includes(other.name))
    if (!fails(entry) && !isBlocked) continue
    entry.exitCode = fails(entry) ? 1053 : 1068
    delete entry.restartAt
    const late = lateMs[entry.name]
    if (late !== undefined) entry.restartAt = world.os.time + late
  }
}
