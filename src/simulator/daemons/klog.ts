// Log files as klog writes them: one per severity and start, each with the lines of its severity and above.
import {win32} from 'node:path'

import {systemRootOf} from '../windows/registry.js'
import type {DaemonProcess} from './daemon.js'
import {parseBool} from './flags.js'

type Severity = 'E' | 'F' | 'I' | 'W'
export type Flags = ReadonlyMap<string, string>

/** A daemon of Kubernetes with its flags, and klog as they configure it. */
export interface KlogProcess extends DaemonProcess {
  readonly flags: Flags
  /**
   * Writes a line: a structured one (ErrorS, InfoS) where fields are given. `source` is a file and line of the program's
   * source, e.g. "server.go:440".
   */
  log(severity: Severity, source: string, message: string, fields?: Readonly<Record<string, string>>): Promise<void>
}

export function withKlog(process: DaemonProcess, flags: Flags): KlogProcess {
  const toFiles = parseBool(flags.get('logtostderr') ?? 'true') === false
  const logDir = toFiles ? flags.get('log-dir') : undefined
  return {
    ...process,
    flags,
    async log(severity, source, message, fields) {
      const text = fields ? structured(message, fields) : message
      const line = {message: text, severity, source}
      if (logDir !== undefined) await writeKlog(process, logDir, line)
      else if (!toFiles) await process.stderr(formatKlog(process.stage.now(), process.processId, line))
    },
  }
}

interface KlogLine {
  readonly message: string
  readonly severity: Severity
  readonly source: string
}

const FILES: Readonly<Record<Severity, readonly string[]>> = {
  E: ['ERROR', 'WARNING', 'INFO'],
  F: ['FATAL', 'ERROR', 'WARNING', 'INFO'],
  I: ['INFO'],
  W: ['WARNING', 'INFO'],
}

/** `I1115 02:41:00.000000    1234 server.go:440] message`, in the machine's time, which is UTC here. */
export function formatKlog(at: number, processId: number, {message, severity, source}: KlogLine): string {
  const iso = new Date(at).toISOString()
  const day = iso.slice(5, 10).replace('-', '')
  return `${severity}${day} ${iso.slice(11, 23)}000 ${String(processId).padStart(7)} ${source}] ${message}`
}

/** `"message" key="value"`, quoted as Go's %q does. */
export const structured = (message: string, fields: Readonly<Record<string, string>>): string =>
  [JSON.stringify(message), ...Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(
    ' ',
  )

/** A missing --log-dir is replaced by the temporary folder (klog createLogDirs). */
async function writeKlog(process: DaemonProcess, logDir: string, line: KlogLine): Promise<void> {
  const {stage} = process
  const exists = (await stage.files.status(logDir))?.kind === 'directory'
  const folder = exists ? logDir : win32.join(systemRootOf(stage.world), 'Temp')
  if (!exists) await stage.files.makeDirectory(folder)
  for (const name of FILES[line.severity]) {
    const path = win32.join(folder, fileName(process, name))
    if (!(await stage.files.status(path))) await stage.files.append(path, header(process))
    await stage.files.append(path, `${formatKlog(stage.now(), process.processId, line)}\n`)
  }
}

/** On Windows klog takes the user's name from USERDOMAIN and USERNAME; LocalSystem has the machine's account. */
function fileName({entry, processId, program, stage}: DaemonProcess, severity: string): string {
  const host = stage.world.os.computerName
  const [day = '', time = ''] = new Date(entry.startedAt).toISOString().replace(/[-:]/g, '').split(/[T.]/)
  return `${win32.basename(program)}.${host}.WORKGROUP_${host}$.log.${severity}.${day}-${time}.${processId}`
}

function header({stage}: DaemonProcess): string {
  const at = new Date(stage.now()).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')
  return [
    `Log file created at: ${at}`,
    `Running on machine: ${stage.world.os.computerName}`,
    'Binary: Built with gc go1.16.8 for windows/amd64',
    'Log line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n',
  ].join('\n')
}
