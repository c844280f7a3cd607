// The lab as suites use it: open it, run Windows programs in it, close it.
import {mkdir, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {buildLab, type Say} from './build-lab.js'
import {type LabMachine, type MachineSource, startMachine} from './lab-machine.js'
import type {LabResult, LabRun} from './lab-run.js'
import {copyPackage} from './package-copy.js'
import {compilePrograms} from './programs.js'
import {labsFolder} from './recipe.js'
import {STEADY_PIPES, STEADY_PIPES_SOURCE} from './steady-pipes.js'
import {makeSessionFolder} from './tidy.js'
import {hostPath} from './windows-path.js'

export type {LabMachine} from './lab-machine.js'
export type {LabResult, LabRun} from './lab-run.js'

/** Where things are on a lab machine. */
export const IN_LAB = {
  /** The package, with its dependencies for Windows: bin\run.js, dist, node_modules. */
  app: 'C:\\k8s-win',
  cli: 'C:\\k8s-win\\bin\\run.js',
  /** Compiled from test/lab/programs. */
  programs: 'C:\\lab\\programs',
  /** host-local.exe. */
  tools: 'C:\\lab\\tools',
} as const

export interface Lab {
  /** One program on a machine of its own. */
  run(run: LabRun): Promise<LabResult>
  /** A machine that keeps its state from run to run, until it is closed. */
  machine(hostName?: string, options?: MachineOptions): Promise<LabMachine>
  close(): Promise<void>
}

export type MachineOptions = Pick<MachineSource, 'adapter'>

export interface OpenLabOptions {
  readonly say?: Say
}

/** Builds the lab if need be. Rejects with LabNotRun where it cannot be had. */
export async function openLab({say = sayOnStderr}: OpenLabOptions = {}): Promise<Lab> {
  const {folder, inUse} = await buildLab(say)
  const session = await makeSessionFolder(labsFolder())
  const layer = path.join(session, 'layer')
  const drive = path.join(layer, 'lab/prefix/drive_c')
  const machines = new Set<LabMachine>()

  const lab: Lab = {
    close: async () => {
      await Promise.all([...machines].map((machine) => machine.close()))
      await rm(session, {force: true, recursive: true})
      await inUse.release()
    },
    machine: async (hostName = 'win-1', options = {}) => {
      const machine = await startMachine({...options, folder, hostName, layer})
      machines.add(machine)
      return {
        ...machine,
        close: async () => {
          machines.delete(machine)
          await machine.close()
        },
      }
    },
    run: async (run) => {
      const machine = await lab.machine()
      try {
        return await machine.run(run)
      } finally {
        await machine.close()
      }
    },
  }

  try {
    await mkdir(drive, {recursive: true})
    let compiling: Promise<LabMachine> | undefined
    await compilePrograms(
      path.join(folder, 'programs'),
      path.join(drive, 'lab/programs'),
      () => (compiling ??= lab.machine()),
    )
    await (await compiling)?.close()
    await copyPackage(path.join(drive, 'k8s-win'))
    await writeFile(hostPath(drive, STEADY_PIPES), STEADY_PIPES_SOURCE)
  } catch (error) {
    await lab.close()
    throw error
  }
  return lab
}

function sayOnStderr(line: string): void {
  process.stderr.write(`lab: ${line}\n`)
}
