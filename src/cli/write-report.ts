// report, and --report of setup and upgrade: where the page of a run goes, and how it is written.
import {reportNotWritten} from '../errors/logs.js'
import {within} from '../host/wait.js'
import {FileError} from '../machine/files.js'
import type {Machine} from '../machine/machine.js'
import {openScreen, sentenceLines} from '../output/screen.js'
import type {EventBus, RunResultDocument, TimedEvent} from '../pipeline/run/events.js'
import {demandReportTarget, pageOfRun, type ReportRequest} from '../runs/report.js'
import {type TargetFile, writeTarget} from '../runs/target-file.js'
import type {GlobalFlags} from './flag-table.js'
import {targetFile} from './target-file.js'

const WRITTEN_MS = 10_000

/** One that may be written to. */
export async function reportTarget(flags: GlobalFlags, path: string, {clock, files}: Machine): Promise<TargetFile> {
  const target = await targetFile(flags, path, files)
  await demandReportTarget(target, clock)
  return target
}

export async function writePage(target: TargetFile, machine: Machine, page: string): Promise<void> {
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
    const written = pageOfRun(request, events, result).then((page) => writePage(target, machine, page))
    const problem = await within(machine.clock, WRITTEN_MS, written).catch((error: unknown) => String(error))
    if (problem === undefined && !process.stderr.isTTY) return
    const text = problem === undefined ? `Page of this run: ${target.path}` : `Warning: ${problem}`
    process.stderr.write(`${sentenceLines(redactor.redact(text), openScreen(process.stderr)).join('\n')}\n`)
  }
}
