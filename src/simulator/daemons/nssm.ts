// nssm.exe 2.24: a service that runs the program which its registry key names, and restarts it whenever it ends
// (nssm.cc/usage, "Exit actions": Restart by default; registry.h, the values Application and AppParameters).
import {closeContainerd} from '../containerd/lifetime.js'
import {readRegistryValue, systemRootOf} from '../windows/registry.js'
import {expand, identifyProgram, nextProcessId} from '../windows/service-process.js'
import {SERVICES_KEY} from '../windows/service-registry.js'
import {splitCommandLine} from '../../machine/command-line.js'
import {containerd} from './containerd.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {lookUp, parseVersion} from './daemon.js'

/** AppThrottle: a program that ended sooner is started again after this time. */
const THROTTLE_MS = 1500

export const nssm: Daemon = {
  async advance(process) {
    const {entry, stage} = process
    if (entry.state !== 'running' || !entry.process) return false
    const isWaiting = entry.stage.startsWith('waiting')
    if (isWaiting && stage.now() < Number(entry.stage.split(' ')[1])) return false
    const child = await childOf(process)
    if (!child) return false
    if (entry.stage !== 'starting' && !isWaiting) return containerd.advance(child)
    entry.process.childProcessId = nextProcessId(stage)
    entry.process.childProgram = child.program
    entry.startedAt = stage.now()
    entry.stage = 'launched'
    const beginning = await containerd.begin(child)
    if (beginning !== 'silent') await child.exit(1, stage.now())
    return true
  },

  async begin() {
    return 'connected'
  },
}

/** Only containerd is simulated under nssm. */
export async function childOf(process: DaemonProcess): Promise<DaemonProcess | undefined> {
  const {entry, stage} = process
  const value = (name: string): string => {
    const found = readRegistryValue(stage.world, `${SERVICES_KEY}\\${entry.name}\\Parameters`, name)?.data
    return typeof found === 'string' ? expand(found, entry.process?.environment ?? {}, systemRootOf(stage.world)) : ''
  }
  const program = value('Application')
  const standIn = await identifyProgram(stage, program)
  if (standIn?.name !== 'containerd' || !entry.process) return undefined
  const {environment} = entry.process
  return {
    ...process,
    args: splitCommandLine(`x ${value('AppParameters')}`).slice(1),
    env: (name) => lookUp(environment, name),
    async exit() {
      closeContainerd(stage.world, entry, false)
      delete entry.listening
      delete entry.process?.childProcessId
      delete entry.process?.childProgram
      entry.restarts++
      entry.stage = `waiting ${stage.now() + THROTTLE_MS}`
    },
    processId: entry.process.childProcessId ?? 0,
    program,
    stderr: async () => {},
    uptime: stage.now() - entry.startedAt,
    version: parseVersion(standIn.version),
  }
}
