// report, and --report of setup and upgrade: where the page of a run goes, and how it is written.
import {reportNotWritten, reportTargetUnusable} from '../../errors/logs.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {inTime} from '../../host/wait.js'
import {FileError} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import {openScreen, sentenceLines} from '../../output/screen.js'
import {warningLines} from '../../output/text/problems.js'
import {redactAll} from '../../output/text/redact.js'
import type {EventBus, RunResultDocument, TimedEvent} from '../../pipeline/run/events.js'
import {documentOf, toUserError} from '../../pipeline/run/to-user-error.js'
import {demandReportTarget, pageOfRun, type ReportRequest} from '../../runs/report.js'
import {type TargetFile, writeTarget} from '../../runs/target-file.js'
import type {GlobalFlags} from '../arguments/flag-table.js'
import {targetFile} from './target-file.js'

const WRITTEN_MS = 10_000

/** One that may be written to. */
export async function reportTarget(flags: GlobalFlags, path: string, {clock, files}: Machine): Promise<TargetFile> {
  const target = await targetFile(flags, path, files)
  await demandReportTarget(target, clock)
  return target
}

/** Looks once more: another file may have got this name since the run began. */
export async function writePage(target: TargetFile, machine: Machine, page: string): Promise<void> {
  await demandReportTarget(target, machine.clock)
  await writeTarget(target, machine, page).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error
    throw reportNotWritten({path: target.path, reason: error.code}, {cause: error})
  })
}

/**
 * Before the run, so that none of its events is missed. Call the answer when it has ended: a page that cannot be written is
 * reported, and does not make the run a failure.
 */
export function watchRun(bus: EventBus, request: ReportRequest, target: TargetFile) {
  const {machine, redactor} = request
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  return async (result: RunResultDocument): Promise<void> => {
    // With a signal of its own: that of a run that was interrupted is aborted.
    const write = async (signal: AbortSignal): Promise<void> =>
      writePage(target, machine, await pageOfRun({...request, signal}, events, result))
    const problem = await inTime(machine.clock, WRITTEN_MS, [], write).then(
      () => undefined,
      (error: unknown) => problemOf(error, target, result),
    )
    if (problem === undefined && !process.stderr.isTTY) return
    const screen = openScreen(process.stderr)
    const lines = problem
      ? warningLines(redactAll(documentOf(problem), redactor.redact), screen)
      : sentenceLines(redactor.redact(`Page of this run: ${target.path}`), screen)
    process.stderr.write(`${lines.join('\n')}\n`)
  }
}

/** The run is over, and what it left makes the same page; a plan leaves nothing. */
function problemOf(error: unknown, {path}: TargetFile, {outcome}: RunResultDocument): K8sWinError {
  const reason = error instanceof Error ? error.message : String(error)
  const problem = toUserError(error, 'Write the page of the run') ?? reportNotWritten({path, reason}, {cause: error})
  if (outcome === 'planned') return problem.with({fix: 'Run the same command again, with another file in --report.'})
  if (problem.id !== reportTargetUnusable.id) return problem
  return problem.with({fix: 'Write the page to another file: "k8s-win report <file.html>".'})
}
