// The one place where an error that ended the program is shown, and where it becomes the exit code.
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {bug, outputLost, workingFolderMissing} from '../errors/program.js'
import {DeadlineError} from '../machine/clock.js'
import {documentText, eventText} from '../output/run/json-view.js'
import {redactAll} from '../output/text/redact.js'
import {openScreen, sentenceLines, type Sink, stackLines} from '../output/screen.js'
import {verdictLine} from '../output/run/verdict.js'
import {errorLines} from '../output/text/problems.js'
import type {ErrorDocument, RunResultDocument} from '../pipeline/run/events.js'
import {documentOf, InterruptedError, toUserError} from '../pipeline/run/to-user-error.js'
import {problemsOf, resultOf, stacksOf} from '../runs/result.js'
import type {OutputFormat} from './arguments/flag-table.js'
import {redactor} from './redactor.js'

export interface ErrorReport {
  readonly command: string
  readonly format: OutputFormat
  readonly now: () => number
  readonly simulated: boolean
  readonly startedAt: number
  readonly stderr: Sink
  readonly stdout: Sink
  readonly verbose: boolean
}

/** Returns the exit code. */
export function reportError(error: unknown, report: ErrorReport): number {
  const {redact} = redactor
  const reported = asReported(error, report.command)
  const result = redactAll(failedResult(reported, report), redact)

  writeErrors(result.errors ?? [], report.stderr)
  if (report.verbose) {
    const screen = openScreen(report.stderr)
    // Only a bug has a stack worth showing: the others say what to do.
    const lines = stacksOf(error, reported).flatMap((stack) => stackLines(redact(stack), screen))
    if (lines.length > 0) report.stderr.write(`${lines.join('\n')}\n`)
  }
  // As at the end of a run: whoever reads the end of a log finds the verdict there.
  if (report.stderr.isTTY !== true && result.outcome === 'failed') {
    // Where the command is missing, a flag stands in its place.
    const command = /^[a-z][a-z ]{0,40}$/.test(result.command) ? result.command : 'k8s-win'
    const verdict = verdictLine({...result, command})
    report.stderr.write(`${sentenceLines(verdict, openScreen(report.stderr)).join('\n')}\n`)
  }

  // Of logs every line is an object, whatever happens.
  const text = report.command === 'logs' ? `${JSON.stringify(result)}\n` : documentText(result)
  if (report.format === 'json') report.stdout.write(text)
  if (report.format === 'ndjson') report.stdout.write(eventText({at: result.finishedAt, result, type: 'run-finished'}))
  return reported.exitCode
}

/** Standard output took no more, and its reader must not take half of a document for the whole. Returns the exit code. */
export function reportLostOutput(code: string, stderr: Sink): number {
  const error = outputLost({code})
  writeErrors([documentOf(error)], stderr)
  return error.exitCode
}

function writeErrors(errors: readonly ErrorDocument[], stderr: Sink): void {
  stderr.write(`${errorLines(errors, openScreen(stderr)).join('\n')}\n`)
}

function asReported(error: unknown, command: string): K8sWinError | ProblemsError {
  if (error instanceof K8sWinError || error instanceof ProblemsError) return error
  const ended = error instanceof InterruptedError || error instanceof DeadlineError
  const stopped = ended ? toUserError(error, command, 'a file, or Windows') : undefined
  if (stopped) return stopped
  // Node.js asks for it wherever a path is relative, and in every setup.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') return workingFolderMissing({})
  return bug({log: '', message: error instanceof Error ? error.message : String(error)}, {cause: error})
}

function failedResult(
  error: K8sWinError | ProblemsError,
  {command, now, simulated, startedAt}: ErrorReport,
): RunResultDocument {
  const ended = {checks: [], command, error, finishedAt: now(), simulated, startedAt, steps: []}
  // Also where it is only one.
  return {...resultOf(ended), errors: problemsOf(error).map((problem) => documentOf(problem))}
}
