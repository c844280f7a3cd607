// One event in the log Application for the end of every run that may change the host: not every launcher shows how a run
// ended, and the event logs of hosts are often collected anyway.
import type {Machine} from '../../machine/machine.js'
import type {EventLevel} from '../../machine/win32.js'
import {launcherLine} from '../../output/run/launcher-lines.js'
import {errorsOf, nodeLine, recapLine, verdictLine} from '../../output/run/verdict.js'
import type {Outcome, RunResultDocument} from '../../pipeline/run/events.js'

/** The numbers are documented in docs/operations.md: they never change. */
const EVENTS: Readonly<Record<Exclude<Outcome, 'planned'>, {readonly id: number; readonly level: EventLevel}>> = {
  done: {id: 1, level: 'information'},
  failed: {id: 3, level: 'error'},
  interrupted: {id: 4, level: 'warning'},
  'restart-required': {id: 2, level: 'warning'},
}

/** The host was not checked. */
const INVALID = 2

/** Nothing for a preview, and for a command line or configuration that is not valid. */
export async function reportEnd({win32}: Pick<Machine, 'win32'>, result: RunResultDocument): Promise<void> {
  const {exitCode, outcome} = result
  if (outcome === 'planned' || exitCode === INVALID) return
  const {id, level} = EVENTS[outcome]
  await win32.reportEvent(level, id, eventText(result))
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
