// health.json: the state of the node as its service k8s-win sees it, for status and for whoever monitors the node.
import {layoutOf} from '../../config/layout.js'
import {shortened} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'
import {redactAll} from '../../output/text/redact.js'
import {type HealthDocument, isHealthDocument} from '../../pipeline/run/health-document.js'
import {readRecord} from '../../pipeline/run/last-run.js'
import {fileReporter} from './file-reporter.js'
import type {ReporterInput, WatchReporter, WatchState} from './model.js'

const WRITE_EVERY_MS = 5 * 60_000
/** It has missed one time to write, and more. */
const STALE_MS = 2 * WRITE_EVERY_MS + 60_000
const MOST_PROBLEMS = 50
const MOST_REPAIRS = 20

export function healthFile({baseDir, machine, redact}: ReporterInput): WatchReporter {
  const {clock, simulated} = machine
  const render = (state: WatchState): string =>
    `${JSON.stringify(redactAll(documentOf(state, simulated), redact), undefined, 2)}\n`
  const reporter = fileReporter({
    everyMs: WRITE_EVERY_MS,
    machine,
    path: layoutOf(baseDir).health,
    render,
    use: 'folder',
  })
  let last: WatchState | undefined
  return {
    async end() {
      const at = clock.now()
      if (last)
        await reporter.report({...last, at, detail: 'the service k8s-win was stopped', since: at, verdict: 'unknown'})
    },
    report(state) {
      last = state
      return reporter.report(state)
    },
  }
}

const timestamp = (ms: number): string => new Date(ms).toISOString()

function documentOf({at, detail, repairs, since, troubles, verdict}: WatchState, simulated: boolean): HealthDocument {
  return {
    at: timestamp(at),
    ...(detail !== undefined && {detail: shortened(detail)}),
    problems: troubles
      .slice(0, MOST_PROBLEMS)
      .map(({error: {fix, id, message}}) => ({fix: shortened(fix), id, message: shortened(message)})),
    repairs: repairs
      .slice(-MOST_REPAIRS)
      .map((repair) => ({at: timestamp(repair.at), outcome: repair.outcome, what: repair.what})),
    schemaVersion: 1,
    since: timestamp(since),
    simulated,
    verdict,
  }
}

/** Undefined where there is none that can be believed. */
export async function readHealth(
  machine: Pick<Machine, 'files' | 'win32'>,
  baseDir: string,
): Promise<HealthDocument | undefined> {
  const found = await readRecord(trustedFilesOf(machine), layoutOf(baseDir).health)
  return isHealthDocument(found) ? found : undefined
}

/** Its writer hangs or was killed, or the clock was changed. */
export const isStale = ({at}: Pick<HealthDocument, 'at'>, now: number): boolean =>
  Math.abs(now - Date.parse(at)) > STALE_MS
