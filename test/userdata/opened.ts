// What a launcher gets out of user data: the batch files that it runs, and what becomes of their exit codes.
import {guestinfoData, processUserData, type Processed} from './cloudbase-init.js'
import {expand, parse, type Ran, runBatch, type World} from './cmd.js'
import type {UserdataDocument} from '../../src/runs/userdata/userdata.js'
import {splitCommandLine} from '../../src/machine/command-line.js'

export interface Opened extends Ran {
  /** Of cloudbase-init. */
  readonly status?: Processed
}

export function open({cloud, format, userdata}: UserdataDocument, world: World): Opened {
  let ran: Ran | undefined
  const shell = (batch: string): number => {
    if (ran) throw new Error('it is run twice')
    ran = runBatch(batch, world)
    return ran.exitCode
  }
  const ended = (status?: Processed): Opened => {
    if (!ran) throw new Error('nothing is run')
    return {...ran, ...(status && {status})}
  }
  if (format === 'cse') {
    const {protectedSettings} = JSON.parse(userdata) as {protectedSettings: {commandToExecute: string}}
    return throughCommandLine(protectedSettings.commandToExecute, world)
  }
  if (cloud === 'aws') {
    // EC2Launch runs what is between the tags; it does not read XML: public user data have "&1" and "<" between them.
    const [, batch = ''] = /^<script>\r\n([^]*)<\/script>\r\n$/.exec(userdata) ?? []
    shell(batch)
    return ended()
  }
  if (cloud === 'gce') {
    shell(userdata)
    return ended()
  }
  const raw = format === 'guestinfo' ? guestinfoData(pairsOf(userdata)) : Buffer.from(userdata)
  return ended(processUserData(raw, shell))
}

const pairsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split('\n').map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)] as const))

/** cmd.exe /c: one line, which knows no "%%"; & and && only between its commands. */
function throughCommandLine(line: string, world: World): Ran {
  const variables = new Map([
    ['PROGRAMFILES', String.raw`C:\Program Files`],
    ['SYSTEMROOT', String.raw`C:\Windows`],
  ])
  if (line.includes('%%')) throw new Error('"%%" is no escape there')
  const set = new Map<string, string>()
  let ran: Ran | undefined
  for (const command of line.split(/&&?(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const [, name, value = ''] = /^set "(\w+)=(.*)"$/.exec(command) ?? []
    if (name !== undefined) set.set(name, value)
    else if (command.startsWith('mkdir ')) {
      if (!command.endsWith(' 2>nul')) throw new Error(command)
    } else if (command.startsWith('call ')) {
      const [, file = ''] = splitCommandLine(expand(command, variables))
      ran = runBatch(world.files.get(file.toLowerCase()) ?? '', world, set)
    } else {
      const expanded = expand(command, variables)
      if (parse(expanded).length !== 1) throw new Error(command)
      runBatch(expanded, world)
    }
  }
  if (!ran) throw new Error('nothing is called')
  return ran
}
