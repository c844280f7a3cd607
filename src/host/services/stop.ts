// Stopping a service until it has stopped, and bringing it to rest, so that nothing starts it again meanwhile.
import {serviceWillNotStop} from '../../errors/windows.js'
import type {Clock} from '../../machine/clock.js'
import {type ServiceStartType, type ServiceStatus, type Win32, Win32Error} from '../../machine/win32.js'
import {waitFor} from '../wait.js'

/** The process ended before it had answered (devblogs.microsoft.com/oldnewthing/20190405-00). */
const ERROR_BROKEN_PIPE = 109
const ERROR_DEPENDENT_SERVICES_RUNNING = 1051
const ERROR_INVALID_SERVICE_CONTROL = 1052
/** Its handler did not return within 30 s (learn.microsoft.com, ControlService): the request is with it, and it may stop yet. */
const ERROR_SERVICE_REQUEST_TIMEOUT = 1053
export const ERROR_SERVICE_ALREADY_RUNNING = 1056
export const ERROR_SERVICE_DOES_NOT_EXIST = 1060
const ERROR_SERVICE_CANNOT_ACCEPT_CTRL = 1061
const ERROR_SERVICE_NOT_ACTIVE = 1062
export const ERROR_SERVICE_MARKED_FOR_DELETE = 1072
const ERROR_SERVICE_NEVER_STARTED = 1077
/** Errors that a stop request may return while the service stops: its state decides. */
const CANNOT_STOP_NOW = [
  ERROR_BROKEN_PIPE,
  ERROR_SERVICE_REQUEST_TIMEOUT,
  ERROR_SERVICE_DOES_NOT_EXIST,
  ERROR_SERVICE_CANNOT_ACCEPT_CTRL,
  ERROR_SERVICE_NOT_ACTIVE,
]
const STOP_DEADLINE_MS = 60_000
const POLL_MS = 500
const NEVER = new AbortController().signal

/** Unmanaged services that are started again after they had to stop with a managed one. */
export interface StartedAgain {
  readonly failed: readonly string[]
  readonly started: readonly string[]
}

export interface ServiceStops {
  /** Stops it, also where its failure actions, which stay as they are, are about to start it. */
  halt(name: string, signal: AbortSignal): Promise<void>
  /** Stops it for good: nothing starts it again before its failure actions, and `startType`, are set again. */
  rest(name: string, signal: AbortSignal, startType?: ServiceStartType): Promise<void>
  start(name: string, signal?: AbortSignal): Promise<void>
  /** Starts unmanaged services that were stopped with a service that runs again, except `not`, which are being taken over. */
  startAgain(not: readonly string[]): Promise<StartedAgain>
  /** Stops it, what depends on it first; resolves when it has stopped. */
  stop(name: string, signal: AbortSignal): Promise<void>
  /** Unmanaged services that had to stop, in that order, without those that were started again. */
  stopped(): readonly string[]
  /** Resolves with true when there is no such service any more. One that is marked for deletion goes when it has stopped. */
  waitUntilGone(name: string, signal: AbortSignal): Promise<true | undefined>
}

/** `others`: unmanaged services that had to stop, where several hosts of one run share them. */
export function openServiceStops(
  win32: Win32,
  clock: Clock,
  isOurs: (name: string) => Promise<boolean>,
  others = new Set<string>(),
): ServiceStops {
  const ask = async (name: string, signal: AbortSignal): Promise<void> => {
    try {
      await win32.stopService(name)
    } catch (error) {
      if (isWin32(error, ERROR_INVALID_SERVICE_CONTROL)) {
        throw serviceWillNotStop(
          {service: name, why: 'It does not accept stop requests (Windows error 1052)'},
          {cause: error},
        )
      }

      // A stopped service was started again, by its failure actions or by a user.
      if (isWin32(error, ERROR_DEPENDENT_SERVICES_RUNNING)) return stopDependents(name, signal)
      if (!isWin32(error, ...CANNOT_STOP_NOW)) throw error
    }
  }

  const stopDependents = async (name: string, signal: AbortSignal): Promise<void> => {
    for (const dependent of await win32.dependentServices(name)) await stopDependent(dependent, signal)
  }

  const stopDependent = async (name: string, signal: AbortSignal): Promise<void> => {
    const state = (await win32.queryServiceStatus(name))?.state ?? 'stopped'
    const isOthers = state !== 'stopped' && state !== 'stop-pending' && !(await isOurs(name))
    try {
      await stop(name, signal)
    } finally {
      // After its own dependents, which are started after it.
      if (isOthers) others.add(name)
    }
  }

  const stop = async (name: string, signal: AbortSignal): Promise<void> => {
    if (!(await win32.queryServiceStatus(name))) return
    // It may be gone between the two questions: one that is deleted goes with its last handle.
    await tolerating([ERROR_SERVICE_DOES_NOT_EXIST], () => stopDependents(name, signal))
    let seen: ServiceStatus | undefined
    const options = {deadlineMs: STOP_DEADLINE_MS, everyMs: POLL_MS, signal}
    const stopped = await waitFor(clock, options, async () => {
      seen = await win32.queryServiceStatus(name)
      if (!seen || seen.state === 'stopped') return true
      // While it starts it takes no requests: it is asked until it listens.
      if (seen.state !== 'stop-pending') await ask(name, signal)
      return undefined
    })
    if (stopped) return
    const why = `${STOP_DEADLINE_MS / 1000} s after the stop request it is ${seen?.state ?? 'deleted'}`
    throw serviceWillNotStop({service: name, why})
  }

  /** A restart may have been on its way before the failure actions were taken off: it comes once, or never. */
  const awaitRestart = async (name: string, delayMs: number, signal: AbortSignal): Promise<void> => {
    const options = {deadlineMs: delayMs + 1000, everyMs: POLL_MS, signal}
    const returned = await waitFor(clock, options, async () =>
      ((await win32.queryServiceStatus(name))?.state ?? 'stopped') === 'stopped' ? undefined : true,
    )
    if (returned) await stop(name, signal)
  }

  const rest = async (name: string, signal: AbortSignal, startType?: ServiceStartType): Promise<void> => {
    const config = await win32.queryServiceConfig(name)
    if (!config) return
    // A dependent that is started again takes this one with it; but an unmanaged one is only stopped, never changed.
    for (const dependent of await win32.dependentServices(name)) {
      await ((await isOurs(dependent)) ? rest(dependent, signal) : stopDependent(dependent, signal))
    }
    const delays = config.failureActions.restartDelaysMs
    if (delays.length > 0 || (startType && config.startType !== startType)) {
      // shawl dies if it is stopped while its program does not run (the assumption shawl-stop-between), which counts as a
      // failure.
      const quiet = {
        failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
        failureFlag: false,
        ...(startType && {startType}),
      }
      await tolerating([ERROR_SERVICE_MARKED_FOR_DELETE], () => win32.changeService(name, quiet))
    }

    const before = await win32.queryServiceStatus(name)
    await stop(name, signal)
    if (before && hasFailed(before)) await awaitRestart(name, Math.max(0, ...delays), signal)
  }

  const halt = async (name: string, signal: AbortSignal): Promise<void> => {
    const {failureActions} = (await win32.queryServiceConfig(name)) ?? {}
    await stop(name, signal)
    const after = await win32.queryServiceStatus(name)
    if (failureActions && after && hasFailed(after))
      await awaitRestart(name, Math.max(0, ...failureActions.restartDelaysMs), signal)
  }

  const waitUntilGone = (name: string, signal: AbortSignal): Promise<true | undefined> =>
    waitFor(clock, {deadlineMs: STOP_DEADLINE_MS, everyMs: POLL_MS, signal}, async () => {
      if (!(await win32.queryServiceConfig(name))) return true
      if ((await win32.queryServiceStatus(name))?.state === 'running') await ask(name, signal)
      return undefined
    })

  const start = async (name: string, signal = NEVER): Promise<void> => {
    // One that a killed run has asked to stop counts as running (1056), and stops nevertheless.
    if ((await win32.queryServiceStatus(name))?.state === 'stop-pending') await stop(name, signal)
    await tolerating([ERROR_SERVICE_ALREADY_RUNNING], () => win32.startService(name))
  }

  /** It would start the managed service, which may be stopped on purpose. */
  const waitsForOurs = async (name: string): Promise<boolean> => {
    for (const one of (await win32.queryServiceConfig(name))?.dependencies ?? []) {
      const isDown = (await win32.queryServiceStatus(one))?.state === 'stopped'
      if (others.has(one) || (isDown && (await isOurs(one)))) return true
    }
    return false
  }

  const startAgain = async (not: readonly string[]): Promise<StartedAgain> => {
    const [failed, started]: [string[], string[]] = [[], []]
    for (const name of [...others].reverse()) {
      if (not.includes(name.toLowerCase()) || (await waitsForOurs(name))) continue
      others.delete(name)
      try {
        await tolerating([ERROR_SERVICE_ALREADY_RUNNING], () => win32.startService(name))
        started.push(name)
      } catch (error) {
        if (!(error instanceof Win32Error)) throw error
        failed.push(name)
      }
    }
    return {failed, started}
  }

  return {halt, rest, start, startAgain, stop, stopped: () => [...others], waitUntilGone}
}

const hasFailed = ({state, win32ExitCode}: ServiceStatus): boolean =>
  state === 'stopped' && win32ExitCode !== 0 && win32ExitCode !== ERROR_SERVICE_NEVER_STARTED

export const isWin32 = (error: unknown, ...codes: number[]): error is Win32Error =>
  error instanceof Win32Error && codes.includes(error.code)

export async function tolerating(codes: readonly number[], call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    if (!isWin32(error, ...codes)) throw error
  }
}
