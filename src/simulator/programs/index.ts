// The programs that a simulated host can run: Windows' own, and installed ones, which their stand-ins identify.
import {win32} from 'node:path'

import {ProgramNotFoundError, type RunOptions, type RunResult} from '../../machine/run.js'
import {flannelUsage} from '../daemons/flannel-settings.js'
import {isDaemon, runInForeground} from '../daemons/foreground.js'
import type {ProgramOutput, ProgramStart, Stage} from '../model.js'
import {identifyProgram} from '../windows/service-process.js'
import {runContainerd} from './containerd.js'
import {runCrictl} from './crictl.js'
import {runCtr} from './ctr.js'
import {runDism} from './dism.js'
import {runHostLocal} from './host-local.js'
import {runNetsh} from './netsh.js'
import {runTaskkill} from './taskkill.js'

/** About what starting a process on Windows takes. */
const RUN_MS = 60

const PROGRAMS: Readonly<
  Record<string, (stage: Stage, start: ProgramStart) => Promise<ProgramOutput> | ProgramOutput>
> = {
  containerd: runContainerd,
  crictl: runCrictl,
  ctr: runCtr,
  dism: (stage, {args}) => runDism(stage, args),
  // As a daemon it is a service's (daemons/flanneld.ts).
  flanneld: (_, {program, version}) => ({exitCode: 0, stderr: flannelUsage(program, version)}),
  'host-local': runHostLocal,
  netsh: (stage, {args}) => runNetsh(stage, args),
  taskkill: (stage, {args}) => runTaskkill(stage, args),
}

export async function runProgram(
  stage: Stage,
  program: string,
  args: readonly string[],
  {env, foreground, input}: RunOptions,
): Promise<RunResult> {
  if ((await stage.files.status(program))?.kind !== 'file') throw new ProgramNotFoundError(program)
  const started = stage.now()
  const standIn = await identifyProgram(stage, program)
  const name = standIn?.name ?? win32.basename(program, win32.extname(program)).toLowerCase()
  const run = PROGRAMS[name] ?? ((): ProgramOutput => notSimulated(name))
  const start = {args, env: {...stage.world.environment, ...env}, input, program, version: standIn?.version ?? ''}
  if (foreground && isDaemon(name)) {
    const exitCode = await runInForeground(stage, name, start, foreground)
    return {durationMs: stage.now() - started, exitCode, stderr: '', stdout: ''}
  }
  const {exitCode, stderr = '', stdout = ''} = await run(stage, start)
  await stage.elapse(RUN_MS)
  return {durationMs: stage.now() - started, exitCode, stderr, stdout}
}

const notSimulated = (name: string): ProgramOutput => ({
  exitCode: 1,
  stderr: `${name} cannot be run on a simulated host.\r\n`,
})
