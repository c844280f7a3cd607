// What started this process, by the programs above it: a launcher, a remote session, or neither.
import type {Launcher} from '../../config/launchers.js'
import type {RunningProcess, Win32} from '../../machine/win32.js'

export type Session = 'ssh' | 'winrm'

export interface Origin {
  readonly launcher: Launcher
  /** Never where a launcher was found. */
  readonly session?: Session
}

const NONE: Origin = {launcher: 'none'}

/**
 * By the name of a program, in lower case. EC2Launch v1 is a scheduled task of PowerShell: no name shows it.
 * Sources: cloudbase-init runs scripts from its own process (cloudbaseinit/osutils/base.py, execute_process, of the console
 * script cloudbase-init in setup.cfg); the directory structure of EC2Launch v2 on docs.aws.amazon.com; the SSM agent's
 * agent/appconfig/constants_windows.go; the folder bin of Microsoft.Compute.CustomScriptExtension.
 */
const ORIGINS: ReadonlyMap<string, Origin> = new Map<string, Origin>([
  ['cloudbase-init.exe', {launcher: 'cloudbase-init'}],
  ['ec2launch.exe', {launcher: 'ec2launch'}],
  ['ec2launchservice.exe', {launcher: 'ec2launch'}],
  ['amazon-ssm-agent.exe', {launcher: 'ssm'}],
  ['ssm-agent-worker.exe', {launcher: 'ssm'}],
  ['ssm-document-worker.exe', {launcher: 'ssm'}],
  // Of Session Manager, below the agent: a person's console, in which an exit code restarts nothing.
  ['ssm-session-worker.exe', NONE],
  ['customscripthandler.exe', {launcher: 'azure-cse'}],
  ['sshd.exe', {launcher: 'none', session: 'ssh'}],
  ['sshd-session.exe', {launcher: 'none', session: 'ssh'}],
  ['winrshost.exe', {launcher: 'none', session: 'winrm'}],
  ['wsmprovhost.exe', {launcher: 'none', session: 'winrm'}],
])

type ProcessCalls = Pick<Win32, 'currentProcessId' | 'processes' | 'processStartedAt'>

/** Of the programs above this one that are known, the nearest decides. */
export async function originOf(calls: ProcessCalls): Promise<Origin> {
  for (const name of await ancestorsOf(calls)) {
    const found = ORIGINS.get(name.toLowerCase())
    if (found) return found
  }

  return NONE
}

/** Is this a session that ends with its connection? */
export const sessionOf = async (calls: ProcessCalls): Promise<Session | undefined> => (await originOf(calls)).session

/** Names of the programs above this process, the nearest first. */
export const ancestorsOf = async (calls: ProcessCalls): Promise<string[]> =>
  (await processesAbove(calls, await calls.currentProcessId())).map(({name}) => name)

/**
 * The nearest first. Windows does not change a process's parent when that one ends, and gives its number to another
 * process: one that began later than its child is not its parent.
 */
export async function processesAbove(
  {processes, processStartedAt}: Pick<Win32, 'processes' | 'processStartedAt'>,
  id: number,
): Promise<readonly RunningProcess[]> {
  const running = new Map((await processes()).map((one) => [one.id, one] as const))
  const above: RunningProcess[] = []
  const seen = new Set<number>()
  let child = running.get(id)
  let childAt = child && (await processStartedAt(child.id))
  while (child && childAt !== undefined && !seen.has(child.id)) {
    seen.add(child.id)
    const parent = running.get(child.parentId)
    const parentAt = parent && (await processStartedAt(parent.id))
    // Without its time it may be any process. A launcher runs as SYSTEM, and so does what it starts: there the time is known.
    if (!parent || parentAt === undefined || parentAt > childAt) break
    above.push(parent)
    child = parent
    childAt = parentAt
  }

  return above
}
