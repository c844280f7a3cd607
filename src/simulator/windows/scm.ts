// The service control manager: its calls with the real Win32 codes, dependencies and waiting.
import {type ServiceConfig, type ServiceStatus, Win32Error} from '../../machine/win32.js'
import {beginProcess} from '../daemons/begin.js'
import type {Stage} from '../model.js'
import {newService} from '../profiles/services.js'
import type {ServiceEntry} from '../world.js'
import {sameName} from './names.js'
import {demandAdministrator} from './security.js'
import {endProcess, launchProcess, removeService} from './service-process.js'

const ERROR = {
  alreadyRunning: 1056,
  cannotAcceptControl: 1061,
  dependencyDeleted: 1075,
  dependencyFailed: 1068,
  dependentsRunning: 1051,
  disabled: 1058,
  exists: 1073,
  markedForDelete: 1072,
  noAnswer: 1053,
  noSuchService: 1060,
  notStarted: 1062,
} as const
/** How long it waits for a new process to connect (ServicesPipeTimeout's default; event 7009 in nefarius/ScpToolkit#48). */
const CONNECT_MS = 30_000
const EXIT_MS = 200
const STOP_MS = 1000

export function createService(stage: Stage, name: string, config: ServiceConfig): void {
  demandAdministrator(stage.world, 'CreateServiceW', name)
  const known = find(stage, name)
  if (known) throw new Win32Error('CreateServiceW', known.deleting ? ERROR.markedForDelete : ERROR.exists, name)
  stage.world.services[name.toLowerCase()] = newService(name, config)
}

export function changeService(stage: Stage, name: string, changes: Partial<ServiceConfig>): void {
  const entry = open(stage, 'ChangeServiceConfigW', name)
  if (entry.deleting) throw new Win32Error('ChangeServiceConfigW', ERROR.markedForDelete, name)
  entry.config = {...entry.config, ...changes}
}

export function deleteService(stage: Stage, name: string): void {
  const entry = open(stage, 'DeleteService', name)
  if (entry.deleting) throw new Win32Error('DeleteService', ERROR.markedForDelete, name)
  delete entry.restartAt
  entry.deleting = true
  if (entry.state === 'stopped') removeService(stage, entry)
}

export const queryServiceConfig = (stage: Stage, name: string): ServiceConfig | undefined => find(stage, name)?.config

export function queryServiceStatus(stage: Stage, name: string): ServiceStatus | undefined {
  const entry = find(stage, name)
  return (
    entry && {
      processId: entry.processId,
      serviceExitCode: entry.serviceExitCode,
      state: entry.state,
      win32ExitCode: entry.exitCode,
    }
  )
}

/** In the order in which they can be stopped. */
export function dependentServices(stage: Stage, name: string): string[] {
  demand(stage, 'EnumDependentServicesW', name)
  const direct = Object.values(stage.world.services).filter(({config}) =>
    config.dependencies.some((one) => sameName(one, name)),
  )
  return [...new Set(direct.flatMap((entry) => [...dependentServices(stage, entry.name), entry.name]))]
}

export async function startService(stage: Stage, name: string): Promise<void> {
  const entry = open(stage, 'StartServiceW', name)
  const refuse = refusing('StartServiceW', name)

  // A service marked for deletion is disabled (chengr28/Pcap_DNSProxy#314: 1072 to create and change, 1058 to start).
  if (entry.deleting) refuse(ERROR.disabled)
  if (entry.state !== 'stopped') refuse(ERROR.alreadyRunning)
  if (entry.config.startType === 'disabled') refuse(ERROR.disabled)
  for (const dependency of entry.config.dependencies.filter((one) => !one.startsWith('+'))) {
    const code = await startDependency(stage, dependency)
    if (code !== 0) refuse(code)
  }

  entry.restarts = 0
  entry.failures = 0
  const code = await launchProcess(stage, entry, stage.now())
  if (code !== 0) refuse(code)
  const beginning = await beginProcess(stage, entry)
  if (beginning === 'connected') return
  entry.stage = 'not connected'
  // 1053 also for a program that has ended, and then at once (drittich/DnsTube#46, dotnet/docs#23603).
  await stage.elapse(beginning === 'silent' ? CONNECT_MS : EXIT_MS)
  endProcess(stage, entry, {code: ERROR.noAnswer, serviceCode: 0})
  refuse(ERROR.noAnswer)
}

/** Requests a stop; the service stops later. */
export function stopService(stage: Stage, name: string): void {
  const entry = open(stage, 'ControlService', name)
  const refuse = refusing('ControlService', name)

  if (entry.state === 'stopped') refuse(ERROR.notStarted)
  if (entry.state !== 'running') refuse(ERROR.cannotAcceptControl)
  const running = dependentServices(stage, name).some((one) => find(stage, one)?.state !== 'stopped')
  if (running) refuse(ERROR.dependentsRunning)
  entry.state = 'stop-pending'
  entry.stopAt = stage.now() + STOP_MS
}

async function startDependency(stage: Stage, name: string): Promise<number> {
  const entry = find(stage, name)
  if (!entry) return ERROR.dependencyDeleted
  try {
    if (entry.state === 'stopped') await startService(stage, name)
  } catch (error) {
    if (error instanceof Win32Error) return ERROR.dependencyFailed
    throw error
  }

  for (let waited = 0; entry.state === 'start-pending' && waited < CONNECT_MS; waited += EXIT_MS)
    await stage.elapse(EXIT_MS)
  return entry.state === 'running' ? 0 : ERROR.dependencyFailed
}

const refusing = (call: string, name: string) => (code: number) => {
  throw new Win32Error(call, code, name)
}

const find = ({world}: Stage, name: string): ServiceEntry | undefined => world.services[name.toLowerCase()]

/** To change it, or what it does. */
function open(stage: Stage, call: string, name: string): ServiceEntry {
  demandAdministrator(stage.world, call, name)
  return demand(stage, call, name)
}

function demand(stage: Stage, call: string, name: string): ServiceEntry {
  const entry = find(stage, name)
  if (!entry) throw new Win32Error(call, ERROR.noSuchService, name)
  return entry
}
