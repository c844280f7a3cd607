// Assumptions about the service manager, with services that live for one question.
import {joinCommandLine} from '../../../../src/host/command-line.js'
import {openServices} from '../../../../src/host/services/services.js'
import {waitFor} from '../../../../src/host/wait.js'
import type {Machine} from '../../../../src/machine/machine.js'
import {type ServiceConfig, Win32Error} from '../../../../src/machine/win32.js'
import {changing, compared, notSettled, type Settler} from './settler.js'

const NAME = 'k8s-win-lab-trial'
const NO_ANSWER = 1053
const TASKKILL = String.raw`C:\Windows\System32\taskkill.exe`
/** Ends at once, and has never heard of a service manager. */
const ENDS_AT_ONCE = [String.raw`C:\Windows\System32\cmd.exe`, '/c', 'exit', '7']

const configOf = (command: readonly string[]): ServiceConfig => ({
  account: 'LocalSystem',
  dependencies: [],
  description: 'A trial of the k8s-win lab. It may be deleted.',
  displayName: NAME,
  failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
  failureFlag: false,
  imagePath: joinCommandLine(command),
  startType: 'demand',
})

async function withService<T>({clock, win32}: Machine, command: readonly string[], work: () => Promise<T>): Promise<T> {
  const signal = new AbortController().signal
  const services = openServices(win32, clock)
  // Of a run that was cut off.
  await services.remove(NAME, signal)
  await win32.createService(NAME, configOf(command))
  try {
    return await work()
  } finally {
    await services.remove(NAME, signal)
  }
}

/** The code StartService is refused with; 0 where it is not. */
async function start({win32}: Machine): Promise<number> {
  try {
    await win32.startService(NAME)
    return 0
  } catch (error) {
    if (error instanceof Win32Error) return error.code
    throw error
  }
}

export const exitBeforeConnect: Settler = changing(async ({machine}) =>
  withService(machine, ENDS_AT_ONCE, async () => {
    const code = await start(machine)
    const status = await machine.win32.queryServiceStatus(NAME)
    const seen = `start is refused with ${code}, and the service shows ${status?.win32ExitCode} (${status?.state})`
    const isSame = code === NO_ANSWER && status?.win32ExitCode === NO_ANSWER && status.state === 'stopped'
    return compared(isSame, seen, `${NO_ANSWER} for both, stopped`)
  }),
)

export const silentProcess: Settler = changing(async ({machine, silentProgram}) =>
  withService(machine, silentProgram.command, async () => {
    const {clock} = machine
    const starting = start(machine)
    starting.catch(() => undefined)
    const pid = await waitFor(clock, {deadlineMs: 20_000, everyMs: 200}, () => silentProgram.processId())
    const code = await starting
    if (pid === undefined) return notSettled(`its process was not seen; start ended with ${code}`)
    // A moment for the end, if it comes.
    const ended = await waitFor(clock, {deadlineMs: 5000, everyMs: 200}, async () =>
      (await silentProgram.isAlive(pid)) ? undefined : true,
    )
    if (!ended) await machine.run(TASKKILL, ['/F', '/PID', String(pid)], {deadlineMs: 30_000, effect: 'change'})
    const seen = `start is refused with ${code}; the process ${ended ? 'is ended' : 'lives on'}`
    return compared(code === NO_ANSWER && ended === true, seen, `${NO_ANSWER}; the process is ended`)
  }),
)
