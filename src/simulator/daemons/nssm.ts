// nssm.exe 2.24: a service that runs the program which its registry key names, and restarts it whenever it ends
// (nssm.cc/usage, "Exit actions": Restart by default; registry.h, the values Application and AppParameters).
import {readRegistryValue, systemRootOf} from '../windows/registry.js'
import {expand} from '../windows/service-process.js'
import {SERVICES_KEY} from '../windows/service-registry.js'
import {splitCommandLine} from '../../machine/command-line.js'
import {childOf, endChild, startChild} from './child-process.js'
import type {Daemon, DaemonProcess} from './daemon.js'

/** AppThrottle: a program that ended sooner is started again after this time. */
const THROTTLE_MS = 1500

export const nssm: Daemon = {
  async advance(process) {
    const {entry, stage} = process
    if (entry.state !== 'running' || !entry.process) return false
    const isWaiting = entry.stage.startsWith('waiting')
    if (isWaiting && stage.now() < Number(entry.stage.split(' ')[1])) return false
    const child = await nssmChild(process)
    if (!child) return false
    if (entry.stage !== 'starting' && !isWaiting) return child.daemon.advance(child.self)
    startChild(stage, entry.process, child.self.program)
    entry.startedAt = stage.now()
    entry.stage = 'launched'
    const beginning = await child.daemon.begin(child.self)
    if (beginning !== 'silent') await child.self.exit(1, stage.now())
    return true
  },

  async begin() {
    return 'connected'
  },
}

export function nssmChild(process: DaemonProcess): ReturnType<typeof childOf> {
  const {entry, stage} = process
  const value = (name: string): string => {
    const found = readRegistryValue(stage.world, `${SERVICES_KEY}\\${entry.name}\\Parameters`, name)?.data
    return typeof found === 'string' ? expand(found, entry.process?.environment ?? {}, systemRootOf(stage.world)) : ''
  }
  const args = splitCommandLine(`x ${value('AppParameters')}`).slice(1)
  return childOf(process, [value('Application'), ...args], {
    async exit() {
      endChild(stage, entry)
      entry.restarts++
      entry.stage = `waiting ${stage.now() + THROTTLE_MS}`
    },
  })
}
