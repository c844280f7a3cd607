// Windows services, as the service control manager keeps them.
import {win32 as windowsPath} from 'node:path'
import {isDeepStrictEqual as same} from 'node:util'
import type {Clock} from '../../machine/clock.js'
import {isPassable} from '../../machine/run.js'
import {
  type ServiceConfig,
  type ServiceStartType,
  type ServiceStatus,
  type ProcessPath,
  type RunningProcess,
  type Win32,
  Win32Error,
} from '../../machine/win32.js'
import {joinCommandLine} from '../command-line.js'
import {expanded} from './expand.js'
import {
  ERROR_SERVICE_DOES_NOT_EXIST,
  ERROR_SERVICE_MARKED_FOR_DELETE,
  isWin32,
  openServiceStops,
  type ServiceStops,
  tolerating,
} from './stop.js'

/** In every description, so that a managed service can be distinguished from others. */
export const OWNERSHIP_MARK = 'Managed by k8s-win.'

export interface ServiceSpec {
  /** Program and arguments. */
  readonly command: readonly string[]
  /**
   * Our daemons have none: one slow start of Docker at boot (1053) would leave them stopped for good (1068), as failure
   * actions are for processes that die; each waits or restarts by itself.
   */
  readonly dependencies?: readonly string[]
  readonly description: string
  /** A variable whose value is not known stays as the service has it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Windows does not start it again when it fails. */
  readonly isTransient?: boolean
  readonly name: string
}

/** One life of a program. Windows gives the number of a process to others after it. */
export interface Life {
  readonly id: number
  readonly since: number
}

export interface Services extends Pick<ServiceStops, 'halt' | 'rest' | 'start' | 'startAgain' | 'stop' | 'stopped'> {
  /** The command line that it runs; under nssm that of the program which nssm runs. */
  command(name: string): Promise<string | undefined>
  /** As the service manager has it; undefined where there is no such service. */
  config(name: string): Promise<ServiceConfig | undefined>
  /** What differs from the spec, in words; 'absent' where there is no such service. */
  compare(spec: ServiceSpec): Promise<'absent' | readonly string[]>
  /** The services that it depends on, as Windows has them. */
  dependencies(name: string): Promise<readonly string[]>
  /** The variables of its spec: those that are not known as the service has them. */
  environment(spec: Pick<ServiceSpec, 'environment' | 'name'>): Promise<Readonly<Record<string, string>>>
  /** Creates it, or changes what differs. */
  ensure(spec: ServiceSpec, signal: AbortSignal): Promise<void>
  imagePath(name: string): Promise<string | undefined>
  isOurs(name: string): Promise<boolean>
  /** Of the program of a service that runs: its process, or below shawl that of this file. A console is shawl's child, too. */
  life(name: string, wrapped?: string): Promise<Life | undefined>
  processes(): Promise<readonly RunningProcess[]>
  processPaths(name: string): Promise<readonly ProcessPath[]>
  /** Stops it and deletes it; resolves when it is gone. */
  remove(name: string, signal: AbortSignal): Promise<void>
  setStartType(name: string, startType: ServiceStartType): Promise<void>
  /** When the process of a service that runs began; undefined if Windows does not report it. */
  startedAt(processId: number): Promise<number | undefined>
  /** The file that nssm writes its standard error to; empty or undefined where there is none. */
  standardError(name: string): Promise<string | undefined>
  /** Undefined where there is no such service. */
  startType(name: string): Promise<ServiceStartType | undefined>
  status(name: string): Promise<ServiceStatus | undefined>
  /** The working folder of the program that nssm runs; undefined where nssm runs none. */
  workingFolder(name: string): Promise<string | undefined>
}

/** `others`: as of openServiceStops. */
export function openServices(win32: Win32, clock: Clock, others?: Set<string>): Services {
  const isOurs = async (name: string): Promise<boolean> =>
    (await win32.queryServiceConfig(name))?.description.includes(OWNERSHIP_MARK) ?? false
  const {halt, rest, start, startAgain, stop, stopped, waitUntilGone} = openServiceStops(win32, clock, isOurs, others)
  const environments = async (
    spec: ServiceSpec,
  ): Promise<readonly [has: readonly string[], wants: readonly string[]]> => {
    const has = await readEnvironment(win32, spec.name)
    return [has, environmentLines(spec, has)]
  }
  const compare = async (spec: ServiceSpec): Promise<'absent' | readonly string[]> => {
    const seen = await win32.queryServiceConfig(spec.name)
    if (!seen) return 'absent'
    const wanted = configOf(spec)
    const fields = (Object.keys(wanted) as (keyof ServiceConfig)[]).filter((field) => !same(wanted[field], seen[field]))
    const [has, wants] = await environments(spec)
    const differences = fields.map((field) => `${field} is ${show(seen[field])}, wanted ${show(wanted[field])}`)
    return isSameEnvironment(has, wants)
      ? differences
      : [...differences, `environment is ${show(has)}, wanted ${show(wants)}`]
  }

  return {
    async command(name) {
      const {args, program} = (await underNssm(win32, name)) ?? {}
      if (program === undefined) return (await win32.queryServiceConfig(name))?.imagePath
      return `"${program}" ${String(args)}`.trim()
    },
    compare,
    async environment({environment, name}) {
      const isKnown = !Object.values(environment).includes(undefined)
      return withKept(environment, isKnown ? [] : await readEnvironment(win32, name))
    },
    config: (name) => win32.queryServiceConfig(name),
    dependencies: async (name) => (await win32.queryServiceConfig(name))?.dependencies ?? [],
    async ensure(spec, signal) {
      const config = configOf(spec)
      const [, data] = await environments(spec)
      try {
        if (await win32.queryServiceConfig(spec.name)) await win32.changeService(spec.name, config)
        else await win32.createService(spec.name, config)
      } catch (error) {
        // A service that was deleted while a handle (an open services.msc) keeps it cannot be changed until it is gone;
        // it may be gone between the query and the change.
        const isDeleted = isWin32(error, ERROR_SERVICE_MARKED_FOR_DELETE, ERROR_SERVICE_DOES_NOT_EXIST)
        if (!isDeleted || !(await waitUntilGone(spec.name, signal))) throw error
        await win32.createService(spec.name, config)
      }

      if (!isSameEnvironment(await readEnvironment(win32, spec.name), data)) {
        await win32.setRegistryValue('HKLM', serviceKey(spec.name), 'Environment', {data, type: 'REG_MULTI_SZ'})
      }
    },
    halt,
    imagePath: async (name) => (await win32.queryServiceConfig(name))?.imagePath,
    isOurs,
    async life(name, wrapped) {
      const own = (await win32.queryServiceStatus(name))?.processId ?? 0
      const isIt = (one: RunningProcess): boolean => one.parentId === own && one.name.toLowerCase() === wrapped
      const id = own === 0 || wrapped === undefined ? own : ((await win32.processes()).find(isIt)?.id ?? 0)
      const since = id === 0 ? undefined : await win32.processStartedAt(id)
      return since === undefined ? undefined : {id, since}
    },
    processes: () => win32.processes(),
    processPaths: (name) => win32.processPaths(name),
    async remove(name, signal) {
      await stop(name, signal)
      await tolerating([ERROR_SERVICE_DOES_NOT_EXIST, ERROR_SERVICE_MARKED_FOR_DELETE], () => win32.deleteService(name))
      if (!(await waitUntilGone(name, signal))) {
        throw new Win32Error('DeleteService', ERROR_SERVICE_MARKED_FOR_DELETE, name)
      }
    },
    rest,
    setStartType: (name, startType) => win32.changeService(name, {startType}),
    start,
    startAgain,
    standardError: async (name) => (await underNssm(win32, name))?.log,
    startedAt: (processId) => win32.processStartedAt(processId),
    startType: async (name) => (await win32.queryServiceConfig(name))?.startType,
    status: (name) => win32.queryServiceStatus(name),
    stop,
    stopped,
    workingFolder: async (name) => (await underNssm(win32, name))?.folder,
  }
}

function configOf(spec: ServiceSpec): ServiceConfig {
  return {
    account: 'LocalSystem',
    dependencies: spec.dependencies ?? [],
    description: `${spec.description} ${OWNERSHIP_MARK}`,
    displayName: spec.name,
    failureActions: spec.isTransient
      ? {resetAfterSeconds: 0, restartDelaysMs: []}
      : {resetAfterSeconds: 86_400, restartDelaysMs: [5000, 10_000, 30_000]},
    failureFlag: spec.isTransient !== true,
    imagePath: joinCommandLine(spec.command),
    startType: 'automatic',
  }
}

const NSSM = /(?:^|[\\/"])nssm[\w.-]{0,20}\.exe"?\s*$/i

/** What nssm runs: values of the service's key (nssm, registry.cpp: without AppDirectory the folder of the program). */
async function underNssm(
  win32: Win32,
  name: string,
): Promise<Readonly<Record<'args' | 'folder' | 'log' | 'program', string>> | undefined> {
  const line = (await win32.queryServiceConfig(name))?.imagePath
  if (line === undefined || !NSSM.test(line)) return undefined
  const values = await win32.registryValues('HKLM', `${serviceKey(name)}\\Parameters`)
  const {AppDirectory, Application, AppParameters, AppStderr} = values
  const program = await expanded(win32, Application)
  return {
    args: await expanded(win32, AppParameters),
    folder: (await expanded(win32, AppDirectory)) || windowsPath.dirname(program),
    log: await expanded(win32, AppStderr),
    program,
  }
}

const serviceKey = (name: string): string => String.raw`SYSTEM\CurrentControlSet\Services` + `\\${name}`

function environmentLines({environment, name: service}: ServiceSpec, has: readonly string[]): string[] {
  return Object.entries(withKept(environment, has)).map(([name, value]) => {
    const line = `${name}=${value}`
    if (!isPassable(line)) throw new TypeError(`${name} of ${service} contains a character that cannot be passed on`)
    return line
  })
}

/** What is not known is as the service has it; a new service, or one without it, gets none. */
function withKept(environment: ServiceSpec['environment'], has: readonly string[]): Record<string, string> {
  const kept = (name: string): string | undefined =>
    has.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1)
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value = kept(name)]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Windows looks variables up by name: their order says nothing. */
const isSameEnvironment = (one: readonly string[], other: readonly string[]): boolean =>
  same(one.toSorted(), other.toSorted())

async function readEnvironment(win32: Win32, name: string): Promise<readonly string[]> {
  const value = await win32.registryValue('HKLM', serviceKey(name), 'Environment')
  return value?.type === 'REG_MULTI_SZ' ? value.data : []
}

/** A value of a configuration in words: of a list its entries, of a record each name with its value. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => show(one)).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name} ${show(one)}`)
    .join('; ')
}
