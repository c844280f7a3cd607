// A daemon that is started in a console: it prints to it, and runs until it ends by itself or is interrupted. No service is
// its process, so the service manager does not know it.
import type {Foreground} from '../../machine/run.js'
import {closeContainerd} from '../containerd/lifetime.js'
import type {ProgramStart, Stage} from '../model.js'
import {newService} from '../profiles/services.js'
import {nextProcessId} from '../windows/service-process.js'
import type {ServiceEntry} from '../world.js'
import {DAEMONS} from './child-process.js'
import {type DaemonProcess, lookUp, parseVersion} from './daemon.js'

/** As often as daemons advance. */
const POLL_MS = 200
/** A service program that finds no service manager (ERROR_FAILED_SERVICE_CONTROLLER_CONNECT is its message). */
const NO_SERVICE = 1

export const isDaemon = (name: string): boolean => Object.hasOwn(DAEMONS, name)

/** Its exit code. Rejects when time may not elapse any more: it was interrupted. */
export async function runInForeground(
  stage: Stage,
  name: string,
  {args, env, program, version}: ProgramStart,
  {onOutput}: Foreground,
): Promise<number> {
  const daemon = DAEMONS[name]
  if (!daemon) return NO_SERVICE
  const entry = consoleEntry(stage, name, {arguments: [...args], environment: {...env}, program})
  let ended: number | undefined
  const processOf = (): DaemonProcess => ({
    args,
    entry,
    env: (variable) => lookUp(env, variable),
    exit: async (code) => void (ended = code),
    processId: entry.processId,
    program,
    stage: {...stage, elapse: () => Promise.reject(new Error('a daemon must not elapse time'))},
    stderr: async (line) => onOutput(Buffer.from(`${line}\n`), 'stderr'),
    uptime: stage.now() - entry.startedAt,
    version: parseVersion(version),
  })
  try {
    const beginning = await daemon.begin(processOf())
    if (beginning !== 'silent') return typeof beginning === 'object' ? beginning.exit : NO_SERVICE
    while (ended === undefined) {
      await stage.elapse(POLL_MS)
      while (ended === undefined && (await daemon.advance(processOf()))) continue
    }
    return ended
  } finally {
    closeContainerd(stage.world, entry, false)
  }
}

function consoleEntry(stage: Stage, name: string, process: NonNullable<ServiceEntry['process']>): ServiceEntry {
  const config = {
    account: '',
    dependencies: [],
    description: '',
    displayName: name,
    failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
    failureFlag: false,
    imagePath: process.program,
    startType: 'demand',
  } as const
  const entry = newService(name, config, {stage: 'launched', startedAt: stage.now(), state: 'running'})
  return {...entry, process, processId: nextProcessId(stage)}
}
