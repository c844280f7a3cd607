// taskkill.exe: ends the process of a service, or its wrapper's child, by PID or name.
import {win32} from 'node:path'

import {splitCommandLine} from '../../machine/command-line.js'
import {serviceDaemon} from '../daemons/daemon.js'
import {killShawlChild} from '../daemons/shawl.js'
import {type ProgramOutput, type Stage, windowsLines} from '../model.js'
import {sameName} from '../windows/names.js'
import {processDied} from '../windows/service-process.js'
import type {ServiceEntry, World} from '../world.js'

export async function runTaskkill(stage: Stage, args: readonly string[]): Promise<ProgramOutput> {
  const wanted: {by: 'image' | 'number'; value: string}[] = []
  for (let at = 0; at < args.length; at++) {
    const option = (args[at] ?? '').toLowerCase()
    if (option === '/pid' || option === '/im')
      wanted.push({by: option === '/pid' ? 'number' : 'image', value: args[++at] ?? ''})
    else if (option !== '/f' && option !== '/t') return usage(`Invalid argument/option - '${args[at] ?? ''}'.`)
  }

  if (wanted.length === 0) return usage('Invalid syntax. Neither /FI nor /PID nor /IM were specified.')
  // Processes that a fresh host comes with are not simulated.
  const killable = serviceProcesses(stage.world).filter(({entry}) => entry.process)
  const out: string[] = []
  const errors: string[] = []
  for (const {by, value} of wanted) {
    const targets = killable.filter(({image, processId}) =>
      by === 'number' ? String(processId) === value : sameName(image, value),
    )
    if (targets.length === 0) errors.push(`ERROR: The process "${value}" not found.`)
    else if (!stage.world.os.administrator)
      errors.push(
        `ERROR: The process with PID ${targets[0]?.processId} could not be terminated.`,
        'Reason: Access is denied.',
      )
    else for (const target of targets) out.push(await kill(stage, target))
  }

  const isMissing = errors.some((line) => line.endsWith('not found.'))
  return {
    exitCode: errors.length === 0 ? 0 : isMissing ? 128 : 1,
    stderr: windowsLines(...errors),
    stdout: windowsLines(...out),
  }
}

const usage = (text: string): ProgramOutput => ({
  exitCode: 1,
  stderr: windowsLines(`ERROR: ${text}`, 'Type "TASKKILL /?" for usage.'),
})

async function kill(stage: Stage, {entry, isChild, processId}: RunningProcess): Promise<string> {
  // kube-log-runner ends with its child; shawl starts its child again.
  if (isChild && entry.process?.standIn?.name === 'shawl') {
    await killShawlChild(serviceDaemon(stage, entry, entry.process), entry)
  } else processDied(stage, entry, stage.now())
  return `SUCCESS: The process with PID ${processId} has been terminated.`
}

interface RunningProcess {
  readonly entry: ServiceEntry
  readonly image: string
  /** A child of the service's wrapper. */
  readonly isChild: boolean
  readonly processId: number
}

function serviceProcesses({services}: World): RunningProcess[] {
  return Object.values(services).flatMap((entry) => {
    const {config, process, processId} = entry
    if (processId === 0) return []
    const program = process?.program ?? splitCommandLine(config.imagePath)[0] ?? ''
    const own = {entry, image: win32.basename(program), isChild: false, processId}
    if (process?.childProcessId === undefined || process.childProgram === undefined) return [own]
    return [own, {entry, image: win32.basename(process.childProgram), isChild: true, processId: process.childProcessId}]
  })
}
