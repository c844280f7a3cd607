// taskkill.exe: ends the process of a service, or its wrapper's child, by PID or name.
import {serviceDaemon} from '../daemons/daemon.js'
import {killShawlChild} from '../daemons/shawl.js'
import {type ProgramOutput, type Stage, windowsLines} from '../model.js'
import {sameName} from '../windows/names.js'
import {processDied, serviceProcesses} from '../windows/service-process.js'

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
    const targets = killable.filter(({id, name}) => (by === 'number' ? String(id) === value : sameName(name, value)))
    if (targets.length === 0) errors.push(`ERROR: The process "${value}" not found.`)
    else if (!stage.world.os.administrator)
      errors.push(`ERROR: The process with PID ${targets[0]?.id} could not be terminated.`, 'Reason: Access is denied.')
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

async function kill(stage: Stage, {entry, id, parentId}: ReturnType<typeof serviceProcesses>[number]): Promise<string> {
  // kube-log-runner ends with its child; shawl starts its child again.
  if (parentId === entry.processId && entry.process?.standIn?.name === 'shawl') {
    await killShawlChild(serviceDaemon(stage, entry, entry.process), entry)
  } else processDied(stage, entry, stage.now())
  return `SUCCESS: The process with PID ${id} has been terminated.`
}
