// One event in the log Application for the end of every run that may change the host: not every launcher shows how a run
// ended, and the event logs of hosts are often collected anyway.
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Machine} from '../../machine/machine.js'
import type {EventLevel} from '../../machine/win32.js'
import {launcherLine} from '../../output/run/launcher-lines.js'
import {errorsOf, nodeLine, recapLine, verdictLine} from '../../output/run/verdict.js'
import type {Outcome, RunResultDocument} from '../../pipeline/run/events.js'
import {repairText, type WatchRepair} from '../watch/model.js'

/** The numbers are documented in docs/launchers.md: they never change. */
export const EVENTS: Readonly<
  Record<Exclude<Outcome, 'detached' | 'not-checked' | 'planned'>, {readonly id: number; readonly level: EventLevel}>
> = {
  done: {id: 1, level: 'information'},
  failed: {id: 3, level: 'error'},
  interrupted: {id: 4, level: 'warning'},
  'restart-required': {id: 2, level: 'warning'},
}

/** Of the service that watches the node; documented there too. */
const WATCH_EVENTS = {'gave up': {id: 11, level: 'error'}, repaired: {id: 10, level: 'information'}} as const
const PAUSE_EVENT = 12

/** The host was not checked. */
const INVALID = 2

/** Nothing for a preview, for a run that continues as a service, and for a command line or configuration that is not valid. */
export async function reportEnd({win32}: Pick<Machine, 'win32'>, result: RunResultDocument): Promise<void> {
  const {exitCode, outcome} = result
  // No launcher starts verify, the only run that checks.
  if (outcome === 'detached' || outcome === 'planned' || outcome === 'not-checked' || exitCode === INVALID) return
  const {id, level} = EVENTS[outcome]
  await win32.reportEvent(level, id, eventText(result))
}

export const reportPause = ({win32}: Pick<Machine, 'win32'>, text: string): Promise<void> =>
  win32.reportEvent('information', PAUSE_EVENT, `k8s-win: ${text}`)

/** What kept a service from beginning its run, which has no console to report it on. */
export async function reportProblem(
  {win32}: Pick<Machine, 'win32'>,
  {fix, id, message, reason}: K8sWinError,
): Promise<void> {
  const {id: number, level} = EVENTS.failed
  const lines = [`k8s-win: ${message}`, `${id}: ${reason}`, `Fix: ${fix}`]
  await win32.reportEvent(level, number, lines.join('\r\n'))
}

/** A repair that failed is tried again, and given up at last. */
export async function reportRepair({win32}: Pick<Machine, 'win32'>, repair: WatchRepair): Promise<void> {
  if (repair.outcome === 'failed' || repair.outcome === 'begun') return
  const {id, level} = WATCH_EVENTS[repair.outcome]
  const lines = [repairText(repair), '"k8s-win status" and "k8s-win logs k8s-win" show more.']
  await win32.reportEvent(level, id, lines.join('\r\n'))
}

function eventText(result: RunResultDocument): string {
  const errors = errorsOf(result).flatMap(({cause, fix, id, message}) => [
    `${id}: ${message}`,
    `Cause: ${cause}`,
    `Fix: ${fix}`,
  ])
  const lines = [
    `k8s-win ${verdictLine(result)}`,
    launcherLine(result),
    nodeLine(result),
    recapLine(result),
    ...errors,
    result.log === undefined ? undefined : `Log: ${result.log}`,
  ]
  return lines.filter((line) => line !== undefined).join('\r\n')
}
