// Files that show the state of the node to others, replaced as a whole when it has changed, and now and then: health.json, for
// status and for whoever monitors the node; and the file of --metrics-file, for the textfile collector of windows_exporter, which
// reads files that end in .prom, refuses timestamps, and wants a line feed at the end (its collector textfile).
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import {shortened} from '../../errors/shortened.js'
import {openTrust, trustedFilesOf, type Use} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'
import {redactAll} from '../../output/text/redact.js'
import {moveFolderAside} from '../../pipeline/desired/files/move-aside.js'
import {HEALTH_EVERY_MS, type HealthDocument, isHealthDocument} from '../../pipeline/run/health-document.js'
import {readRecord} from '../../pipeline/run/last-run.js'
import {oneAtATime, type ReporterInput, type WatchReporter, type WatchState} from './model.js'

type Calls = Pick<Machine, 'files' | 'win32'>

/** A scrape finds a time of the last check that is not much older. */
const METRICS_EVERY_MS = 60_000
const MOST_PROBLEMS = 50
const MOST_REPAIRS = 20

export function healthFile({baseDir, machine, redact}: ReporterInput): WatchReporter {
  const {clock, simulated} = machine
  const render = (state: WatchState): string =>
    `${JSON.stringify(redactAll(documentOf(state, simulated), redact), undefined, 2)}\n`
  const write = fileWriter(machine, {everyMs: HEALTH_EVERY_MS, path: layoutOf(baseDir).health, use: 'folder'}, render)
  let last: WatchState | undefined
  const report = oneAtATime((state) => write((last = state)))
  return {
    async end() {
      const at = clock.now()
      const detail = 'the service k8s-win was stopped'
      if (last) await report({...last, at, detail, since: at, verdict: 'unknown'})
    },
    report,
  }
}

/** `repairs`: how many were made of what, as long as this process runs. */
export function metricsFile(machine: Calls, path: string, repairs: ReadonlyMap<string, number>): WatchReporter {
  // Whoever may add to the folder may put a link in the file's place.
  const file = {everyMs: METRICS_EVERY_MS, path, use: 'closed'} as const
  const write = fileWriter(machine, file, (state) => metricsOf(state, repairs))
  let at = 0
  return {
    report: oneAtATime(async (state) => {
      const isKnown = state.verdict !== 'unknown'
      if (isKnown) ({at} = state)
      // Setup has created it. One that setup has removed since must not come back.
      if (await machine.files.status(path)) await write(isKnown ? state : {...state, at, components: [], troubles: []})
    }),
  }
}

/** What cannot be written (a full disk, a folder that others can write to) is tried again in the next round. */
function fileWriter(
  {files, win32: calls}: Calls,
  {everyMs, path, use}: {readonly everyMs: number; readonly path: string; readonly use: Use},
  render: (state: WatchState) => string,
): (state: WatchState) => Promise<void> {
  let written: {readonly at: number; readonly key: string} | undefined
  return async (state) => {
    // The time of the check alone is not a change.
    const key = render({...state, at: 0})
    const age = state.at - (written?.at ?? 0)
    // A clock that was set back makes what was written look new.
    if (written?.key === key && age >= 0 && age < everyMs) return
    if (await openTrust(calls).problem(win32.dirname(path), use)) return
    await moveFolderAside(files, path)
    await files.write(path, render(state))
    written = {at: state.at, key}
  }
}

const timestamp = (ms: number): string => new Date(ms).toISOString()

const documentOf = (
  {at, detail, repairs, since, troubles, verdict}: WatchState,
  simulated: boolean,
): HealthDocument => ({
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
})

/** Undefined where there is none that can be believed. */
export async function readHealth(machine: Calls, baseDir: string): Promise<HealthDocument | undefined> {
  const found = await readRecord(trustedFilesOf(machine), layoutOf(baseDir).health)
  return isHealthDocument(found) ? found : undefined
}

function metricsOf({at, components, troubles}: WatchState, repairs: ReadonlyMap<string, number>): string {
  const unhealthy = new Set(troubles.map(({component}) => component))
  const all = [...new Set([...components, ...unhealthy])]
  const healthy = all.map((one) => [one, unhealthy.has(one) ? 0 : 1] as const)
  // A counter that begins at its first repair has no increase to be seen.
  const repaired = new Map([...all.map((one) => [one, 0] as const), ...repairs])
  return [
    ...metric('k8s_win_healthy', 'gauge', 'Whether the component has no problem.', labelled('component', healthy)),
    ...metric('k8s_win_repairs_total', 'counter', 'Repairs, also failed ones.', labelled('what', [...repaired])),
    ...metric('k8s_win_last_check_timestamp_seconds', 'gauge', 'When the node was last checked.', [['', at / 1000]]),
    '',
  ].join('\n')
}

type Sample = readonly [labels: string, value: number]

const ESCAPES: Readonly<Record<string, string>> = {'\n': String.raw`\n`, '"': String.raw`\"`, '\\': '\\\\'}
const escaped = (label: string): string => label.replaceAll(/["\\\n]/g, (letter) => ESCAPES[letter] ?? letter)
const labelled = (name: string, samples: readonly Sample[]): Sample[] =>
  samples.map(([label, value]) => [`{${name}="${escaped(label)}"}`, value])

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string[] {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}`)
  return lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}
