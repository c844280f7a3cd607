// shawl's log: shawl_for_<name>_rCURRENT.log in --log-dir, or beside its program.
import {win32} from 'node:path'

import type {DaemonProcess} from './daemon.js'
import type {ShawlRun} from './shawl-options.js'

export async function logShawl(
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
