// The programs a simulated host can run: Windows' own, and what was installed, known by the stand-in inside the file.
import {win32} from 'node:path'

import type {RunOptions, RunResult} from '../../machine/run.js'
import {ProgramNotFoundError} from '../../machine/run.js'
import {parseShawlRun} from '../daemons/shawl-options.js'
import type {Stage} from '../model.js'
import {identifyProgram} from '../windows/service-process.js'
import {runHostLocal} from './host-local.js'
import {runNetsh} from './netsh.js'
import type {ProgramOutput} from './output.js'
import {runTaskkill} from './taskkill.js'

/** What starting a process on Windows takes, about. */
const RUN_MS = 60

export async function runProgram(
  stage: Stage,
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  if ((await stage.files.status(program))?.kind !== 'file') throw new ProgramNotFoundError(program)
  const started = stage.now()
  const standIn = await identifyProgram(stage, program)
  const name = standIn?.name ?? win32.basename(program, win32.extname(program)).toLowerCase()
  const {exitCode, stderr = '', stdout = ''} = await run(stage, {args, name, options, version: standIn?.version ?? ''})
  await stage.elapse(RUN_MS)
  return {durationMs: stage.now() - started, exitCode, stderr, stdout}
}

interface Start {
  readonly args: readonly string[]
  readonly name: string
  readonly options: RunOptions
  readonly version: string
}

async function run(stage: Stage, {args, name, options, version}: Start): Promise<ProgramOutput> {
  switch (name) {
    case 'host-local':
      return runHostLocal(stage, version, {...stage.world.environment, ...options.env}, options.input ?? '')
    case 'netsh':
      return runNetsh(stage, args)
    case 'shawl':
      return runShawl(args)
    case 'taskkill':
      return runTaskkill(stage, args)
    default:
      return {exitCode: 1, stderr: `${name} cannot be run on a simulated host.\r\n`}
  }
}

/** `run` works only when the service manager starts it; `add` is not simulated, as it loses quotes and k8s-win does not use it. */
function runShawl(args: readonly string[]): ProgramOutput {
  const parsed = parseShawlRun(args)
  if (parsed.error !== undefined) return {exitCode: 2, stderr: `${parsed.error}\n`}
  const message = 'message: "The service process could not connect to the service controller.",'
  const lines = [
    'Winapi(',
    '    Os {',
    '        code: 1063,',
    '        kind: Uncategorized,',
    `        ${message}`,
    '    },',
    ')',
  ]
  return {exitCode: 1, stdout: `Failed to run the service:\n${lines.join('\n')}\n`}
}
