// netsh.exe of Windows, for changes.
import {netshFailed} from '../errors/windows.js'
import type {Machine} from '../machine/machine.js'
import {systemProgram} from '../machine/system-program.js'

const DEADLINE_MS = 30_000

export async function runNetsh({run, win32}: Pick<Machine, 'run' | 'win32'>, args: readonly string[]): Promise<void> {
  const program = await systemProgram(win32, 'netsh.exe')
  const {exitCode, stderr, stdout} = await run(program, args, {deadlineMs: DEADLINE_MS, effect: 'change'})
  if (exitCode === 0) return
  throw netshFailed({args: args.join(' '), code: String(exitCode), output: `${stdout}${stderr}`.trim()})
}
