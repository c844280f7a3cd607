// A run that is killed at one of its effects.
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {CrashError} from '../fakes/faulty.js'
import type {HostFolder} from '../steps/host-folder.js'
import type {Kill} from './acts.js'

/** Without a result it was killed, and `host` is what the process has left. */
export interface Ended {
  readonly host: HostFolder
  readonly result?: RunResultDocument
}

type Run = (dir: HostFolder['dir'], wrap: (machine: Machine) => Machine) => Promise<RunResultDocument>

/** The process ends at its effect: the host is copied then, and what the process still does here is not on the copy. */
export async function killable(host: HostFolder, kill: Kill | undefined, run: Run): Promise<Ended> {
  if (!kill) return {host, result: await run(host.dir, (machine) => machine)}
  let changes = 0
  let left: HostFolder | undefined
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      if (left) throw new CrashError(effect)
      const isIt = effect.kind === 'change' && ++changes === kill.at
      const end = (): never => {
        left = host.copy()
        throw new CrashError(effect)
      }
      if (isIt && kill.when === 'before') end()
      const answer = await perform()
      if (isIt && !left) end()
      return answer
    })
  try {
    const result = await run(host.dir, wrap)
    return left ? {host: left} : {host, result}
  } catch (error) {
    if (left) return {host: left}
    throw error
  }
}
