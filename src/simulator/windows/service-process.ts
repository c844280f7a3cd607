// The processes of services: their start, their end, and failure actions.
import {runningShim} from '../containerd/lifetime.js'
import {win32} from 'node:path'

import type {ProcessPath, RunningProcess} from '../../machine/win32.js'
import {closeContainerd} from '../containerd/lifetime.js'
import {readStandIn} from '../mirror/stand-in.js'
import type {Stage} from '../model.js'
import type {ServiceEntry, ServiceProcess, World} from '../world.js'
import {resolveCommandLine} from '../daemons/command-line.js'
import {splitCommandLine} from '../../machine/command-line.js'
import {dropNonPersistentNetworks} from './hns-networks.js'
import {sameName} from './names.js'
import {systemRootOf} from './registry.js'
import {forgetServiceKey, serviceEnvironment} from './service-registry.js'

export const ERROR_FILE_NOT_FOUND = 2
const ERROR_SERVICE_SPECIFIC = 1066
/** For a process that ended without reporting STOPPED. */
const ERROR_PROCESS_ABORTED = 1067
/** A text in shawl's program: k8s-win installs the real file, not a stand-in. */
const SHAWL_MARK = Buffer.from('Entering main service loop')
/** Help of an option that came with 1.9.0 (src/cli.rs). */
const SHAWL_1_9_MARK = Buffer.from('Abort if ctrl-C or ctrl-break')

/** Starts the program of the ImagePath. Returns 0, or the Win32 code of the failure. */
export async function launchProcess(stage: Stage, entry: ServiceEntry, at: number): Promise<number> {
  const environment = serviceEnvironment(stage.world, entry.name)
  const line = await resolveCommandLine(
    stage.files,
    expand(entry.config.imagePath, environment, systemRootOf(stage.world)),
  )
  if (!line) return ERROR_FILE_NOT_FOUND
  const standIn = await identifyProgram(stage, line.program)
  const process: ServiceProcess = {arguments: [...line.args], environment, program: line.program}
  entry.process = standIn ? {...process, standIn} : process
  entry.processId = nextProcessId(stage)
  entry.startedAt = at
  entry.state = 'start-pending'
  entry.stage = 'starting'
  entry.exitCode = 0
  entry.serviceExitCode = 0
  delete entry.restartAt
  delete entry.stopAt
  return 0
}

export async function identifyProgram(stage: Stage, path: string): Promise<ServiceProcess['standIn']> {
  // A folder of this name is no program.
  const isFolder = (await stage.files.status(path))?.kind === 'directory'
  const bytes = isFolder ? undefined : await stage.files.read(path)
  if (!bytes) return undefined
  const standIn = readStandIn(bytes)
  if (standIn || !bytes.includes(SHAWL_MARK)) return standIn
  return {name: 'shawl', version: bytes.includes(SHAWL_1_9_MARK) ? 'v1.9.0' : 'v1.3.0'}
}

export function nextProcessId({world: {os, services}}: Stage): number {
  const used = Object.values(services).flatMap(({process, processId}) => [processId, process?.childProcessId ?? 0])
  return (os.lastProcessId = Math.max(2000, os.lastProcessId ?? 0, ...used) + 2 * ID_STEP)
}

/** k8s-win's own process, below those that machine.json says it was started by. */
export const OWN_PROCESS = 600
const ID_STEP = 4
const OWN_STARTED_AT = 1_000_000

/** A parent has a lower number, and began before its child. */
function ownProcesses({os: {startedBy = []}}: World): RunningProcess[] {
  if (startedBy.length === 0) return []
  return ['node.exe', ...startedBy].map((name, index) => ({
    id: OWN_PROCESS - ID_STEP * index,
    name,
    parentId: OWN_PROCESS - ID_STEP * (index + 1),
  }))
}

/**
 * Of a wrapper the start of its program is reported: the two are a second apart,
 * unless the program was started again.
 */
export function processStartedAt({world}: Stage, processId: number): number | undefined {
  const isOther = processId === OTHER_PROGRAM.id
  if (isOther || ownProcesses(world).some(({id}) => id === processId)) return OWN_STARTED_AT + processId
  return Object.values(world.services).find(
    (entry) => processId !== 0 && [entry.processId, entry.process?.childProcessId].includes(processId),
  )?.startedAt
}

/** services.exe, which starts the others. */
const SERVICE_MANAGER = 700

/** Of each service its own process, and the one that a wrapper started. */
export function serviceProcesses({
  services,
}: World): (RunningProcess & {readonly entry: ServiceEntry; readonly path: string})[] {
  return Object.values(services).flatMap((entry) => {
    const {config, process, processId} = entry
    if (processId === 0) return []
    const program = process?.program ?? splitCommandLine(config.imagePath)[0] ?? ''
    const own = {entry, id: processId, name: win32.basename(program), parentId: SERVICE_MANAGER, path: program}
    const {childProcessId: id, childProgram} = process ?? {}
    if (id === undefined || childProgram === undefined) return [own]
    return [own, {entry, id, name: win32.basename(childProgram), parentId: processId, path: childProgram}]
  })
}

/** A program that a user started: what `os.listening` names is open by it. */
export const OTHER_PROGRAM: RunningProcess = {id: 8888, name: 'other.exe', parentId: 4}

/** shawl calls AllocConsole before it starts its program (src/service.rs). */
const consoleOf = (name: string, id: number): RunningProcess[] =>
  name.toLowerCase() === 'shawl.exe' ? [{id: id + ID_STEP, name: 'conhost.exe', parentId: id}] : []

export const runningProcesses = ({world}: Stage): RunningProcess[] => [
  OTHER_PROGRAM,
  ...ownProcesses(world),
  ...serviceProcesses(world).flatMap(({id, name, parentId}) => [{id, name, parentId}, ...consoleOf(name, id)]),
  ...shimsOf(world),
]

const SHIM_PROCESS = 9996

/** One for all pods; who has started it ends at once (hcsshim, cmd/containerd-shim-runhcs-v1/start.go). */
const shimsOf = (world: World): RunningProcess[] =>
  runningShim(world) === undefined
    ? []
    : [{id: SHIM_PROCESS, name: 'containerd-shim-runhcs-v1.exe', parentId: SHIM_PROCESS - ID_STEP}]

/** Of services and pods; who asks for another program's gets what Windows denies. */
export function processPaths({world}: Stage, name: string): ProcessPath[] {
  const shim = runningShim(world)
  const known: readonly Required<ProcessPath>[] = [
    ...serviceProcesses(world),
    ...(shim === undefined ? [] : [{id: SHIM_PROCESS, path: shim}]),
  ]
  return known.flatMap(({id, path}) => (sameName(win32.basename(path), name) ? [{id, path}] : []))
}

/** The process ended without reporting STOPPED: the failure actions always apply. */
export function processDied(stage: Stage, entry: ServiceEntry, at: number): void {
  endProcess(stage, entry, {code: ERROR_PROCESS_ABORTED, serviceCode: 0})
  scheduleRestart(entry, at)
}

export interface ServiceExit {
  readonly code: number
  readonly serviceCode: number
}

export const serviceSpecific = (serviceCode: number): ServiceExit => ({
  code: serviceCode === 0 ? 0 : ERROR_SERVICE_SPECIFIC,
  serviceCode,
})

/** The service reported STOPPED: after an error the failure actions apply only with the failure flag that Windows found at boot (docs/facts.md#services). */
export function reportStopped(stage: Stage, entry: ServiceEntry, at: number, exit: ServiceExit): void {
  endProcess(stage, entry, exit)
  if (exit.code !== 0 && entry.failureFlagAtBoot) scheduleRestart(entry, at)
}

export function endProcess(stage: Stage, entry: ServiceEntry, exit: ServiceExit): void {
  const {world} = stage
  closeContainerd(world, entry, exit.code === 0)
  entry.state = 'stopped'
  entry.processId = 0
  entry.exitCode = exit.code
  entry.serviceExitCode = exit.serviceCode
  entry.stage = ''
  delete entry.process
  delete entry.listening
  delete entry.stopAt
  if (entry.name.toLowerCase() === 'docker') world.docker.running = false
  if (entry.name.toLowerCase() === 'hns') dropNonPersistentNetworks(stage)
  if (entry.deleting) removeService(stage, entry)
}

export function removeService({world}: Stage, entry: ServiceEntry): void {
  Reflect.deleteProperty(world.services, entry.name.toLowerCase())
  forgetServiceKey(world, entry.name)
}

/** The n-th failure takes the n-th delay, the last one repeats; a run longer than the reset period resets the count. */
function scheduleRestart(entry: ServiceEntry, at: number): void {
  const {resetAfterSeconds, restartDelaysMs} = entry.config.failureActions
  if (restartDelaysMs.length === 0 || entry.deleting) return
  const failures = at - entry.startedAt >= resetAfterSeconds * 1000 ? 0 : (entry.failures ?? 0)
  const delay = restartDelaysMs[Math.min(failures, restartDelaysMs.length - 1)] ?? 0
  entry.failures = failures + 1
  entry.restartAt = at + delay
}

/** ImagePath is a REG_EXPAND_SZ value, and so are those of nssm. */
export function expand(text: string, environment: Readonly<Record<string, string>>, systemRoot: string): string {
  return text.replace(/^\\SystemRoot\\/i, `${systemRoot}\\`).replace(/%([^%]+)%/g, (all, name: string) => {
    const found = Object.entries(environment).find(([known]) => known.toLowerCase() === name.toLowerCase())
    // Windows sets these itself.
    if (name.toLowerCase() === 'programfiles') return found?.[1] ?? `${systemRoot.slice(0, 2)}\\Program Files`
    return found?.[1] ?? (name.toLowerCase() === 'systemroot' ? systemRoot : all)
  })
}
