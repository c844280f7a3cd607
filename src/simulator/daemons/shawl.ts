// shawl.exe 1.3.0 and 1.9.0: a service that runs a program that cannot be one, and restarts it.
import {win32} from 'node:path'

import {ERROR_FILE_NOT_FOUND, reportStopped, serviceSpecific} from '../windows/service-process.js'
import type {ServiceEntry} from '../world.js'
import {childOf, endChild, startChild} from './child-process.js'
import {resolveCommandLine} from './command-line.js'
import {type Beginning, type Daemon, type DaemonProcess, parseVersion} from './daemon.js'
import {parseShawlRun, type ShawlRun} from './shawl-options.js'

/** It checks its child once per second (src/service.rs, recv_timeout). */
const POLL_MS = 1000

/** Of flanneld. */
const WITHOUT_HANDLER = ['launched', 'registering', 'syncing']
const STATUS_CONTROL_C_EXIT = 0xc000013a

export const shawl: Daemon = {
  async advance(process) {
    const run = parseShawlRun(process.args)
    const {entry} = process
    if (run.error !== undefined || entry.state !== 'running') return false
    if (entry.stage === 'starting' || entry.stage.startsWith('waiting')) return launch(process, run)
    const child = await shawlChild(process)
    return child ? child.daemon.advance(child.self) : false
  },

  // clap ends the program with 2 before it connects to the service manager.
  async begin({args}): Promise<Beginning> {
    const run = parseShawlRun(args)
    return run.error === undefined ? 'connected' : {exit: 2}
  },

  // It sends Ctrl-C to its own console, too, and ignores it there only until it sees that its program has ended: at once, if
  // the program is not running. Ctrl-C arrives on a thread of its own a moment later, and its handler then aborts shawl
  // (src/service.rs of 1.3.0, ignore_ctrlc; seen in the lab; the assumption shawl-stop-between for Windows).
  diesOfStop: (entry) => aborts(entry) && entry.stage.startsWith('waiting'),

  // flanneld installs its handler of Ctrl-C after it has seen the API server (main.go of v0.28.9; seen in the lab).
  stopCode: ({process, stage}) =>
    win32.basename(process?.childProgram ?? '').toLowerCase() === 'flanneld.exe' && WITHOUT_HANDLER.includes(stage)
      ? STATUS_CONTROL_C_EXIT
      : 0,

  // The same handler gets CTRL_SHUTDOWN_EVENT, unless a stop is under way (mtkennerly/shawl#74): abort() is the exception.
  async shutDown(process) {
    if (aborts(process.entry)) return '0xc0000409'
    const run = parseShawlRun(process.args)
    if (run.error !== undefined) return undefined
    await logShawl(process, run, 'INFO', 'Received shutdown event')
    await logShawl(process, run, 'INFO', 'Sending ctrl-C to command')
    if (process.entry.process?.childProcessId !== undefined)
      await logShawl(process, run, 'INFO', 'Command exited after 50 ms with code 0')
    await logEnd(process, run)
    return undefined
  },
}

/** 1.9.0 does so only with --interactive (fdc5fa9, "do not do abort() when it's not interactive"). */
const aborts = ({process}: ServiceEntry): boolean => parseVersion(process?.standIn?.version ?? '').minor < 9

async function launch(process: DaemonProcess, run: ShawlRun): Promise<boolean> {
  const {entry, stage} = process
  const at = entry.stage === 'starting' ? entry.startedAt : Number(entry.stage.split(' ')[1])
  if (stage.now() < at) return false
  if (entry.stage === 'starting') {
    await logShawl(process, run, 'DEBUG', '********** LAUNCH **********')
    await logShawl(process, run, 'DEBUG', 'Entering main service loop')
  }

  await logShawl(process, run, 'INFO', 'Launching command')
  const [program = ''] = run.command
  const line = await resolveCommandLine(stage.files, `"${program}"`)
  if (!line || !entry.process) {
    const reason = 'The system cannot find the file specified. (os error 2)'
    await logShawl(process, run, 'ERROR', `Unable to launch command: ${reason}`)
    await logEnd(process, run)
    reportStopped(stage, entry, at, {code: ERROR_FILE_NOT_FOUND, serviceCode: 0})
    return true
  }

  startChild(stage, entry.process, line.program)
  entry.startedAt = at
  entry.stage = 'launched'
  const child = await shawlChild(process)
  const beginning = child ? await child.daemon.begin(child.self) : {exit: 1}
  // A program that is a service itself finds no service manager (Win32 error 1063).
  const code = typeof beginning === 'object' ? beginning.exit : beginning === 'connected' ? 1 : undefined
  if (code !== undefined) await childEnded(process, run, code, at)
  return true
}

export async function shawlChild(process: DaemonProcess): ReturnType<typeof childOf> {
  const run = parseShawlRun(process.args)
  if (run.error !== undefined) return undefined
  return childOf(process, run.command, {
    exit: (code, at) => childEnded(process, run, code, at),
    stderr: (line) => logShawl(process, run, 'DEBUG', `stderr: ${JSON.stringify(line)}`),
  })
}

async function childEnded(process: DaemonProcess, run: ShawlRun, code: number, at: number): Promise<void> {
  const {entry, stage} = process
  await logShawl(process, run, 'INFO', `Command exited with code ${code}`)
  endChild(stage, entry)
  if (restarts(run, code)) {
    entry.restarts++
    entry.stage = `waiting ${at + POLL_MS}`
    return
  }

  await logEnd(process, run)
  reportStopped(stage, entry, at, serviceSpecific(run.pass.includes(code) ? 0 : code))
}

async function logEnd(process: DaemonProcess, run: ShawlRun): Promise<void> {
  await logShawl(process, run, 'DEBUG', 'Exited main service loop')
  await logShawl(process, run, 'DEBUG', 'Finished successfully')
}

/** For taskkill: shawl sees an exit with 1. */
export async function killShawlChild(process: DaemonProcess, entry: ServiceEntry): Promise<void> {
  const run = parseShawlRun(process.args)
  if (run.error === undefined && entry.process?.childProcessId) await childEnded(process, run, 1, process.stage.now())
}

/** src/service.rs, should_restart_exited_command: by default every code but 0. */
function restarts({restartIfNot, switches}: ShawlRun, code: number): boolean {
  if (restartIfNot.length > 0) return !restartIfNot.includes(code)
  return switches.has('--restart') || (!switches.has('--no-restart') && code !== 0)
}

/** Writes to shawl_for_<name>_rCURRENT.log in --log-dir, or beside its program. */
async function logShawl(
  {entry, stage}: DaemonProcess,
  run: ShawlRun,
  level: 'DEBUG' | 'ERROR' | 'INFO',
  message: string,
): Promise<void> {
  if (!run.logs) return
  const folder = run.logDir ?? win32.dirname(entry.process?.program ?? 'C:\\')
  await stage.files.makeDirectory(folder)
  const time = new Date(stage.now()).toISOString().slice(0, 19).replace('T', ' ')
  await stage.files.append(win32.join(folder, `shawl_for_${run.name}_rCURRENT.log`), `${time} [${level}] ${message}\n`)
}
