// Windows services, as the service control manager keeps them.
import {isDeepStrictEqual as same} from 'node:util'
import type {Clock} from '../machine/clock.js'
import {isPassable} from '../machine/passable.js'
import {type ServiceConfig, type ServiceStatus, type Win32, Win32Error} from '../machine/win32.js'
import {joinCommandLine} from './command-line.js'
import {waitFor} from './wait.js'

/** Stands in every description of ours, so that a service can be told from one that something else made. */
export const OWNERSHIP_MARK = 'Managed by k8s-win.'

export interface ServiceSpec {
  /** Program and arguments. */
  readonly command: readonly string[]
  readonly dependencies: readonly string[]
  readonly description: string
  readonly environment: Readonly<Record<string, string>>
  readonly name: string
}

/** The process ended before it had answered (devblogs.microsoft.com/oldnewthing/20190405-00). */
const ERROR_BROKEN_PIPE = 109
const ERROR_SERVICE_ALREADY_RUNNING = 1056
const ERROR_SERVICE_DOES_NOT_EXIST = 1060
const ERROR_SERVICE_CANNOT_ACCEPT_CTRL = 1061
const ERROR_SERVICE_NOT_ACTIVE = 1062
const ERROR_SERVICE_MARKED_FOR_DELETE = 1072
/** What a request to stop may be answered with on the way: the state tells how it went on. */
const CANNOT_STOP_NOW = [
  ERROR_BROKEN_PIPE,
  ERROR_SERVICE_DOES_NOT_EXIST,
  ERROR_SERVICE_CANNOT_ACCEPT_CTRL,
  ERROR_SERVICE_NOT_ACTIVE,
]
const STOP_DEADLINE_MS = 60_000

export interface Services {
  /** What differs from the spec, in words; 'absent' where there is no such service. */
  compare(spec: ServiceSpec): Promise<'absent' | readonly string[]>
  /** Creates it, or changes what differs. */
  ensure(spec: ServiceSpec, signal: AbortSignal): Promise<void>
  imagePath(name: string): Promise<string | undefined>
  isOurs(name: string): Promise<boolean>
  /** Stops it and deletes it; resolves when it is gone. */
  remove(name: string, signal: AbortSignal): Promise<void>
  start(name: string): Promise<void>
  status(name: string): Promise<ServiceStatus | undefined>
  /** Stops it, what depends on it first; resolves when it has stopped. */
  stop(name: string, signal: AbortSignal): Promise<void>
}

export function openServices(win32: Win32, clock: Clock): Services {
  const compare = async (spec: ServiceSpec): Promise<'absent' | readonly string[]> => {
    const seen = await win32.queryServiceConfig(spec.name)
    if (!seen) return 'absent'
    const wanted = configOf(spec)
    const fields = (Object.keys(wanted) as (keyof ServiceConfig)[]).filter((field) => !same(wanted[field], seen[field]))
    const environment = await readEnvironment(win32, spec.name)
    const differences = fields.map((field) => `${field} is ${show(seen[field])}, wanted ${show(wanted[field])}`)
    return same(environment, environmentLines(spec))
      ? differences
      : [...differences, `environment is ${show(environment)}, wanted ${show(environmentLines(spec))}`]
  }

  const stop = async (name: string, signal: AbortSignal): Promise<void> => {
    if (!(await win32.queryServiceStatus(name))) return
    for (const dependent of await win32.dependentServices(name)) await stop(dependent, signal)
    const stopped = await waitFor(clock, {deadlineMs: STOP_DEADLINE_MS, everyMs: 500, signal}, async () => {
      const now = await win32.queryServiceStatus(name)
      if (!now || now.state === 'stopped') return true
      // While it starts it takes no requests: it is asked until it listens.
      if (now.state !== 'stop-pending') await tolerating(CANNOT_STOP_NOW, () => win32.stopService(name))
      return undefined
    })
    if (!stopped) throw new Win32Error('ControlService', 1053, name)
  }

  const waitUntilGone = (name: string, signal: AbortSignal): Promise<true | undefined> =>
    waitFor(clock, {deadlineMs: STOP_DEADLINE_MS, everyMs: 500, signal}, async () =>
      (await win32.queryServiceConfig(name)) ? undefined : true,
    )

  return {
    compare,
    async ensure(spec, signal) {
      const config = configOf(spec)
      const data = environmentLines(spec)
      try {
        if (await win32.queryServiceConfig(spec.name)) await win32.changeService(spec.name, config)
        else await win32.createService(spec.name, config)
      } catch (error) {
        // Somebody deleted it while a handle (an open services.msc) keeps it: Windows lets nobody touch it until it is gone.
        if (!isWin32(error, ERROR_SERVICE_MARKED_FOR_DELETE) || !(await waitUntilGone(spec.name, signal))) throw error
        await win32.createService(spec.name, config)
      }

      if (!same(await readEnvironment(win32, spec.name), data)) {
        await win32.setRegistryValue('HKLM', serviceKey(spec.name), 'Environment', {data, type: 'REG_MULTI_SZ'})
      }
    },
    imagePath: async (name) => (await win32.queryServiceConfig(name))?.imagePath,
    async isOurs(name) {
      return (await win32.queryServiceConfig(name))?.description.includes(OWNERSHIP_MARK) ?? false
    },
    async remove(name, signal) {
      await stop(name, signal)
      await tolerating([ERROR_SERVICE_DOES_NOT_EXIST, ERROR_SERVICE_MARKED_FOR_DELETE], () => win32.deleteService(name))
      if (!(await waitUntilGone(name, signal))) {
        throw new Win32Error('DeleteService', ERROR_SERVICE_MARKED_FOR_DELETE, name)
      }
    },
    start: (name) => tolerating([ERROR_SERVICE_ALREADY_RUNNING], () => win32.startService(name)),
    status: (name) => win32.queryServiceStatus(name),
    stop,
  }
}

function configOf(spec: ServiceSpec): ServiceConfig {
  return {
    account: 'LocalSystem',
    dependencies: spec.dependencies,
    description: `${spec.description} ${OWNERSHIP_MARK}`,
    displayName: spec.name,
    failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: [5000, 10_000, 30_000]},
    failureFlag: true,
    imagePath: joinCommandLine(spec.command),
    startType: 'automatic',
  }
}

const serviceKey = (name: string): string => String.raw`SYSTEM\CurrentControlSet\Services` + `\\${name}`

function environmentLines(spec: ServiceSpec): string[] {
  return Object.entries(spec.environment).map(([name, value]) => {
    const line = `${name}=${value}`
    if (!isPassable(line)) throw new TypeError(`${name} of ${spec.name} has a letter in it that cannot be passed on`)
    return line
  })
}

async function readEnvironment(win32: Win32, name: string): Promise<readonly string[]> {
  const value = await win32.registryValue('HKLM', serviceKey(name), 'Environment')
  return value?.type === 'REG_MULTI_SZ' ? value.data : []
}

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const isWin32 = (error: unknown, ...codes: number[]): error is Win32Error =>
  error instanceof Win32Error && codes.includes(error.code)

async function tolerating(codes: readonly number[], call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!isWin32(error, ...codes)) throw error
  }
}
