// The processes of a simulated host: those of its services, and what their wrappers run.
import {win32} from 'node:path'

import {splitCommandLine} from '../daemons/command-line.js'
import {parseShawlRun} from '../daemons/shawl-options.js'
import type {ServiceEntry, World} from '../world.js'

export interface RunningProcess {
  readonly entry: ServiceEntry
  readonly image: string
  /** Run by the wrapper that is the service's own process. */
  readonly isChild: boolean
  readonly processId: number
}

export function serviceProcesses({services}: World): RunningProcess[] {
  return Object.values(services).flatMap((entry) => {
    const {config, process, processId} = entry
    if (processId === 0) return []
    const program = process?.program ?? splitCommandLine(config.imagePath)[0] ?? ''
    const own = {entry, image: win32.basename(program), isChild: false, processId}
    const run = process && parseShawlRun(process.arguments)
    if (process?.childProcessId === undefined || run === undefined || run.error !== undefined) return [own]
    return [own, {entry, image: win32.basename(run.command[0] ?? ''), isChild: true, processId: process.childProcessId}]
  })
}
