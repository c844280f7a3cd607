// The page of a run: of one that has just ended, or of the last setup, upgrade or reset, from what it has left: its result, its
// trace and the journal.
import {win32} from 'node:path'
import {secretsOfNode} from '../bundle/kubeconfigs.js'
import {layoutOf} from '../config/layout.js'
import {isRecord} from '../config/shape.js'
import {noNode, reportTargetUnusable} from '../errors/logs.js'
import {textAt} from '../host/document.js'
import {trustedFilesOf} from '../host/security/trust.js'
import {inTime} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import {FileError, type Files} from '../machine/files.js'
import {PAGE_BEGINNING, type RunPage, runPage} from '../output/report/page.js'
import {traceOf} from '../output/run/run-log.js'
import {redactAll} from '../output/text/redact.js'
import type {Journal} from '../pipeline/ledger/journal.js'
import type {RunResultDocument, TimedEvent} from '../pipeline/run/events.js'
import {toUserError} from '../pipeline/run/to-user-error.js'
import {STEPS} from '../steps/index.js'
import {EventReader} from './attach/attach.js'
import {type NodeRequest, readKnownNode, whyNotSetUp} from './known-node.js'
import type {Session} from './run.js'
import {holderOf, isLockHeld} from './run-lock.js'
import {eventsIn, resultIn} from './run-records.js'
import {readRuns} from './status/unfinished-run.js'
import {demandTarget, type TargetFile} from './target-file.js'

export interface ReportRequest extends NodeRequest, Pick<Session, 'redactor'> {
  /** Of k8s-win. */
  readonly version: string
}

type SeenRun = Pick<RunPage, 'command' | 'events' | 'log' | 'result' | 'unfinished'>

/** Of small files on a disk that may hang. */
const READ_MS = 30_000
const NEEDS = Object.fromEntries(STEPS.map(({id, needs}) => [id, needs]))

/** The file is replaced only where it is such a page. */
export async function demandReportTarget(target: TargetFile, clock: Clock): Promise<void> {
  const {path} = target
  const unusable = (reason: string): Error => reportTargetUnusable({path, reason})
  if (!/\.html?$/i.test(path)) throw unusable('Browsers open a file by its extension: it must end with .html.')
  await demandTarget(target, clock, {isOurs: isPage, name: 'k8s-win report', unusable})
}

const isPage = (beginning: Buffer): boolean => beginning.toString('latin1').startsWith(PAGE_BEGINNING)

/** Of a run that this process has seen. */
export async function pageOfRun(request: ReportRequest, events: readonly TimedEvent[], result: RunResultDocument) {
  const {journal} = await readKnownNode(request)
  return render(request, journal, {command: result.command, events, log: result.log, result})
}

/** `defaultPath`: its file, where the user names none. */
export async function pageOfLastRun(request: ReportRequest): Promise<{defaultPath: string; page: string}> {
  const {clock} = request.machine
  return inTime(clock, READ_MS, [request.signal], () => readLastRun(request)).catch((error: unknown) => {
    throw toUserError(error, 'Read what the last run left') ?? error
  })
}

async function readLastRun(request: ReportRequest): Promise<{defaultPath: string; page: string}> {
  const {machine, redactor} = request
  const files = trustedFilesOf(machine)
  const known = await readKnownNode(request)
  const {config, journal, state} = known
  const layout = layoutOf(config.baseDir)
  for (const secret of await secretsOfNode(files, config.baseDir)) redactor.register(secret)
  const [last, held] = await readRuns(files, layout)
  // Of a run in progress or one that was killed, so it is newer than the result of the last run.
  const lock = isRecord(held) ? held : undefined
  const log = textAt(lock ?? last, 'log')
  const events = log === '' ? [] : eventsIn(await readEvents(files, log))
  const ended = events.findLast((event) => event.type === 'run-finished')?.result
  const saved = lock === undefined ? resultIn(last) : undefined
  const result = ended ?? (saved && saved.steps.length + saved.checks.length > 0 ? saved : undefined)
  if (!result && events.length === 0) {
    if (state === 'absent') throw await whyNotSetUp(request, known)
    throw noNode({baseDir: config.baseDir}).with(nothingReadable(layout.result))
  }
  const begun = events.find((event) => event.type === 'run-started')
  const unfinished = lock && {holder: holderOf(lock) ?? '', isRunning: await isLockHeld(machine)}
  const run = {command: result?.command ?? begun?.command ?? 'run', events, log, result, unfinished}
  const name = win32.basename(log, '.log') || `${run.command}-${result?.startedAt.replaceAll(/[:.]/g, '-')}`
  return {defaultPath: win32.join(layout.logs, 'k8s-win', `${name}.html`), page: render(request, journal, run)}
}

/** None where the trace cannot be read: then the page says so. */
const readEvents = (files: Files, log: string): Promise<TimedEvent[]> =>
  new EventReader(files, traceOf(log)).next().catch((error: unknown) => {
    if (error instanceof FileError) return []
    throw error
  })

const nothingReadable = (path: string) => ({
  cause: `${path} and the log of the run are missing or damaged.`,
  fix: 'Run "k8s-win setup" again: it changes only what is missing, and leaves a new result.',
  message: 'The last run has left nothing that can be shown',
})

function render({machine, redactor, version}: ReportRequest, journal: Journal, run: SeenRun): string {
  const page = {...run, installed: installedOf(journal), needs: NEEDS, simulated: machine.simulated, version}
  return runPage(redactAll(page, redactor.redact))
}

/** By what the journal has of each last. */
function installedOf(journal: Journal): RunPage['installed'] {
  const found = journal.all().flatMap(({entry}) => {
    if (entry.kind === 'image-proof') return [{digest: entry.digest ?? entry.id, name: entry.image, version: ''}]
    if (entry.kind !== 'file' || entry.sha256 === undefined) return []
    return [{digest: `sha256:${entry.sha256}`, name: entry.path, version: entry.version ?? ''}]
  })
  return [...new Map(found.map((one) => [one.name, one])).values()]
}
