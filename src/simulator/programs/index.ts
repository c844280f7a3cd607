// The programs that a simulated host can run: Windows' own, and installed ones, which their stand-ins identify.
import {win32} from 'node:path'

import type {RunOptions, RunResult} from '../../machine/run.js'
import {ProgramNotFoundError} from '../../machine/run.js'
import type {ProgramOutput, Stage} from '../model.js'
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
  const {
    exitCode,
    stderr = '',
    stdout = '',
  } = await run(stage, {args, name, options, program, version: standIn?.version ?? ''})
  await stage.elapse(RUN_MS)
  return {durationMs: stage.now() - started, exitCode, stderr, stdout}
}

interface Start {
  readonly args: readonly string[]
  readonly name: string
  readonly options: RunOptions
  readonly program: string
  readonly version: string
}

async function run(stage: Stage, {args, name, options, program, version}: Start): Promise<ProgramOutput> {
  const env = {...stage.world.environment, ...options.env}
  switch (name) {
    case 'containerd':
      return runContainerd(stage, version, args, env)
    case 'crictl':
      return runCrictl(stage, program, args, env)
    case 'ctr':
      return runCtr(stage, version, args, env)
    case 'dism':
      return runDism(stage, args)
    case 'host-local':
      return runHostLocal(stage, version, env, options.input ?? '')
    case 'netsh':
      return runNetsh(stage, args)
    case 'taskkill':
      return runTaskkill(stage, args)
    default:
      return {exitCode: 1, stderr: `${name} cannot be run on a simulated host.\r\n`}
  }
}
