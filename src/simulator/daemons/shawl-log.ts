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

/** The options as it logs them at its start, in Rust's notation. */
export function describeRun(run: ShawlRun): string {
  const list = (values: readonly unknown[]): string => `[${values.join(', ')}]`
  const some = (value: string | undefined): string => (value === undefined ? 'None' : `Some(${value})`)
  const text = (value: string): string => JSON.stringify(value)
  const folder = (value: string): string => text(String.raw`\\?${'\\'}${value}`)
  const variant = (value: string): string =>
    value.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const common = {
    pass: some(run.given.pass && list(run.pass)),
    restart: run.restart === 'always',
    no_restart: run.restart === 'never',
    restart_if: list(run.restartIf),
    restart_if_not: list(run.restartIfNot),
    stop_timeout: some(run.given.stopTimeout),
    no_log: !run.logs,
    no_log_cmd: !run.logsCommand,
    log_dir: some(run.logDir && folder(run.logDir)),
    pass_start_args: run.given.passesStartArguments,
    env: list(Object.entries(run.env).map(([key, value]) => `(${text(key)}, ${text(value)})`)),
    path: list(run.given.path.map(folder)),
    priority: some(run.given.priority && variant(run.given.priority)),
    command: list(run.command.map(text)),
  }
  const fields = Object.entries(common).map(([key, value]) => `${key}: ${value}`)
  const cwd = some(run.given.cwd && text(run.given.cwd))
  return `Cli { sub: Run { common: CommonOpts { ${fields.join(', ')} }, cwd: ${cwd}, name: ${text(run.name)} } }`
}
