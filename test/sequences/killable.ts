// A run that is killed at one of its effects, or whose disk is full from one of them on.
import {FileError} from '../../src/machine/files.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {CrashError} from '../fakes/faulty.js'
import type {HostFolder} from '../steps/host-folder.js'
import {endHost} from '../interruption/host-end.js'
import {PROFILE} from './hosts.js'
import type {Kill} from './acts.js'

/** Without a result it was killed, and `host` is what the process has left. */
export interface Ended {
  readonly host: HostFolder
  readonly result?: RunResultDocument
}

/** Most of what a command writes. */
const isLog = ({args}: Effect): boolean => String(args[0]).includes(String.raw`\logs\k8s-win`)

type Run = (dir: HostFolder['dir'], wrap: (machine: Machine) => Machine) => Promise<RunResultDocument>

/** The process ends at its effect: the host is copied then, and what the process still does here is not on the copy. */
export async function killable(host: HostFolder, kill: Kill | undefined, run: Run): Promise<Ended> {
  if (!kill) return {host, result: await run(host.dir, (machine) => machine)}
  let changes = 0
  let left: HostFolder | undefined
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      if (left) throw new CrashError(effect)
      const isIt = effect.kind === 'change' && !isLog(effect) && ++changes === kill.at
      const end = (): never => {
        left = host.copy()
        throw new CrashError(effect)
      }
      if (isIt && kill.when === 'before') end()
      const answer = await perform()
      if (isIt && !left) end()
      return answer
    })
  const result = await run(host.dir, wrap).catch((error: unknown) => {
    if (!left) throw error
  })
  if (!left) return {host, ...(result && {result})}
  if (kill.end) await endHost(left, kill.end, PROFILE)
  return {host: left}
}

/** From the n-th file on that is written, until the command has ended. */
export const fullFrom =
  (nth: number) =>
  (machine: Machine): Machine => {
    let files = 0
    return interceptMachine(machine, async (effect, perform) => {
      const isWritten = /^(?:append|write|writeChunks)$/.test(effect.what)
      if (isWritten && !isLog(effect)) files++
      if (isWritten && files >= nth) throw new FileError('write', String(effect.args[0]), 'ENOSPC')
      return perform()
    })
  }
