// TerminateProcess for every process of a program: of services, of their wrappers' children, and the shims of pods.
import type {EndedProgram} from '../../machine/win32.js'
import {endShims, runningShim} from '../containerd/lifetime.js'
import {serviceDaemon} from '../daemons/daemon.js'
import {killShawlChild} from '../daemons/shawl.js'
import type {Stage} from '../model.js'
import {sameName} from './names.js'
import {processDied} from './service-process.js'

export async function endProgram(stage: Stage, path: string): Promise<EndedProgram> {
  const {world} = stage
  let ended = 0
  const isIt = (program: string | undefined): boolean => program !== undefined && sameName(program, path)
  if (isIt(runningShim(world))) {
    endShims(world.containerd)
    ended++
  }

  for (const entry of Object.values(world.services)) {
    const {process} = entry
    if (!process) continue
    if (isIt(process.program)) processDied(stage, entry, stage.now())
    else if (isIt(process.childProgram)) await killShawlChild(serviceDaemon(stage, entry, process), entry)
    else continue
    ended++
  }

  return {denied: [], ended}
}
