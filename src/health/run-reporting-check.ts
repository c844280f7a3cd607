// A reporting check returns the state of one part of a running node, and its problems. It only reads, and has its own
// deadline: a check that hangs or fails never hides the others.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {Node} from '../config/model.js'
import {commandIn, type K8sWinError} from '../errors/k8s-win-error.js'
import {hostOptions, openHost} from '../host/host.js'
import {DeadlineError} from '../machine/clock.js'
import type {Assets, Machine} from '../machine/machine.js'
import {watchPendingEffects} from '../machine/pending-effects.js'
import type {Journal} from '../pipeline/ledger/journal.js'
import type {NotChecked} from '../pipeline/run/status-report.js'
import type {StepId} from '../pipeline/run/step.js'
import {toUserError} from '../pipeline/run/to-user-error.js'
import type {Check, Finding, FoundProblem} from '../preflight/check.js'
import {Facts, type FactsOptions} from '../preflight/facts.js'
import {runCheck} from '../preflight/run-check.js'
import type {Signature} from '../signatures/index.js'

export interface CheckScope extends FactsOptions {
  readonly assets: Assets
  readonly config: Node
  readonly journal: Journal
  readonly machine: Machine
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal
}

/** What an error of the catalogue means for a running node. A check may know more than the catalogue. */
export function problemOf(
  error: K8sWinError,
  about: Pick<FoundProblem, 'area' | 'subject'> & Partial<FoundProblem>,
): FoundProblem {
  const {fix, id, message: seen, reason: cause, wanted = 'no such problem'} = error
  // The same command is setup, for which the catalogue is written.
  const next = (about.next ?? fix).replace(/^Run the same command with (--\S+)/, 'Run "k8s-win setup $1"')
  return {cause, command: commandIn(next), id, seen, wanted, ...about, next}
}

/** Cause and fix of a known failure, if the problem is one. */
export const explainedBy = (known: Signature | undefined): Partial<FoundProblem> =>
  known ? {cause: known.cause, next: known.fix, signature: known.id} : {}

export interface NodeFinding<Report> extends Finding<Report> {
  readonly check: CheckId | NodeCheckId
  readonly durationMs: number
  readonly part?: Check['part']
  readonly problems: readonly FoundProblem[]
  /** Steps whose drift is not reported again. */
  readonly steps: readonly StepId[]
  readonly notChecked: readonly NotChecked[]
  readonly warnings: readonly string[]
}

/** For one check: a healthy node and its cluster respond within milliseconds. */
export const LOCAL_MS = 5000

/** A check that cannot check anything throws it, with the reason. */
export class NotCheckedError extends Error {}

/** Rejects only when the signal is aborted. */
export async function runReportingCheck<Report>(
  scope: CheckScope,
  check: Check<Report, Node>,
): Promise<NodeFinding<Report>> {
  const {assets, config, isJournalIncomplete = false, journal, machine, patience = 1, signal} = scope
  const {machine: watched, waitsFor} = watchPendingEffects(machine)
  const deadlineMs = (check.deadlineMs ?? LOCAL_MS) * patience
  const host = openHost(watched, hostOptions(assets, config))
  const ran = await runCheck(check, {
    clock: machine.clock,
    deadlineMs,
    facts: (either) => new Facts(config, host, journal, {isJournalIncomplete, patience, signal: either}),
    signal,
    waitsFor,
  })
  const about = {check: check.id, durationMs: ran.durationMs, part: check.part}
  if (!ran.finding) {
    const notChecked = [{what: check.what ?? check.title, why: whyNotChecked(ran.error, {deadlineMs}, ran.waiting)}]
    return {...about, notChecked, problems: [], steps: check.steps ?? [], warnings: []}
  }
  const {notChecked = [], problems = [], warnings = [], ...found} = ran.finding
  return {...about, ...found, notChecked, problems, steps: problems.flatMap(({steps = []}) => steps), warnings}
}

export function whyNotChecked(error: unknown, {deadlineMs}: {readonly deadlineMs: number}, waiting?: string): string {
  if (error instanceof DeadlineError) {
    return `no response within ${deadlineMs / 1000} s${waiting === undefined ? '' : `: ${waiting}`}`
  }
  if (error instanceof NotCheckedError) return error.message
  const known = toUserError(error, 'status')
  if (known) return `${known.message}. ${known.reason}`
  return `the check failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`
}

export function withProblems<Report>(
  finding: NodeFinding<Report>,
  more: readonly FoundProblem[] = [],
): NodeFinding<Report> {
  const steps = more.flatMap(({steps: some = []}) => some)
  return {...finding, problems: [...finding.problems, ...more], steps: [...finding.steps, ...steps]}
}
