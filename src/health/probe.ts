// A probe looks at one part of a node and says what is there and what is wrong with it. It reads only, and has its own
// deadline: one that hangs or breaks never hides the others.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {NodeConfig} from '../config/model.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {type Host, openHost} from '../host/host.js'
import {orAborted} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import type {Assets, Machine} from '../machine/machine.js'
import {watchUnderWay} from '../machine/pending-effects.js'
import type {Journal} from '../pipeline/ledger/journal.js'
import type {StatusProblem, Unseen} from '../pipeline/run/status-report.js'
import type {StepId} from '../pipeline/run/step.js'
import {toUserError} from '../pipeline/run/to-user-error.js'

export interface ProbeScene {
  readonly assets: Assets
  readonly config: NodeConfig
  readonly journal: Journal
  readonly machine: Machine
  /** "k8s-win setup -BaseDir D:\k": as people would type it here. */
  readonly command: (name: string) => string
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal
}

export interface ProbeContext extends Omit<ProbeScene, 'assets' | 'machine'> {
  readonly host: Host
}

/** What a problem says nothing without: a run that came to its end, what the journal notes, what setup stored. */
export type Ground = 'end of the run' | 'journal' | 'stored values'

/** A problem as a probe tells it, with the steps whose drift it explains. */
export interface FoundProblem extends Omit<StatusProblem, 'command'> {
  /** Undefined: the one that `next` names in quotes. */
  readonly command?: string | null | undefined
  readonly restsOn?: readonly Ground[]
  readonly steps?: readonly StepId[]
}

type About = Pick<FoundProblem, 'area' | 'subject' | 'wanted'> & Partial<FoundProblem>

/** What to do is one command. */
export const byCommand = (command: string) => ({command, next: command})

/** What an error of the catalogue means for a running node; the probe may know more of cause and fix than the catalogue. */
export const problemOf = ({fix, id, message, reason}: K8sWinError, about: About): FoundProblem => ({
  cause: reason,
  id,
  next: fix,
  seen: message,
  ...about,
})

/** The check that reports why this one has nothing to say. */
export interface Owner {
  readonly check: CheckId | NodeCheckId
  readonly why: string
}

export interface Findings<Report> {
  readonly dependsOn?: Owner
  /** What to do about the warnings. */
  readonly fix?: string
  readonly problems?: readonly FoundProblem[]
  /** None where there was no answer, which is a problem of its own. */
  readonly report?: Report
  /** For people, where nothing is wrong. */
  readonly summary?: string
  readonly warnings?: readonly string[]
}

export interface Probe<Report> {
  /** The check of doctor that shows what it found. */
  readonly check: CheckId | NodeCheckId
  readonly deadlineMs: number
  look(context: ProbeContext): Promise<Findings<Report>>
  /** Steps that look at the same: where this could not, they could not either. */
  readonly steps?: readonly StepId[]
  /** What it looks at, in words. */
  readonly what: string
}

export interface Seen<Report> {
  readonly check: CheckId | NodeCheckId
  readonly dependsOn?: Owner
  readonly durationMs: number
  readonly fix?: string
  readonly problems: readonly FoundProblem[]
  readonly report?: Report
  readonly summary?: string
  /** Those whose drift need not be told beside it. */
  readonly steps: readonly StepId[]
  readonly unseen: readonly Unseen[]
  readonly warnings: readonly string[]
}

/** What a probe of this node itself gets: a healthy one answers in a few milliseconds. */
export const LOCAL_MS = 5000

/** Rejects only when the signal is aborted. */
export async function runProbe<Report>(scene: ProbeScene, probe: Probe<Report>): Promise<Seen<Report>> {
  const {assets, config, machine, signal, ...rest} = scene
  const {machine: watched, waitsFor} = watchUnderWay(machine)
  const startedAt = machine.clock.now()
  const about = () => ({check: probe.check, durationMs: machine.clock.now() - startedAt})
  const deadline = machine.clock.deadline(probe.deadlineMs)
  const either = AbortSignal.any([signal, deadline.signal])
  let waiting: string | undefined
  deadline.signal.addEventListener('abort', () => (waiting = waitsFor()), {once: true})
  try {
    const host = openHost(watched, {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe})
    const found = await orAborted(probe.look({...rest, config, host, signal: either}), either)
    const {problems = [], warnings = [], ...seen} = found
    return {...about(), ...seen, problems, steps: problems.flatMap(({steps = []}) => steps), unseen: [], warnings}
  } catch (error) {
    signal.throwIfAborted()
    const unseen = [{what: probe.what, why: whyUnseen(error, probe, waiting)}]
    return {...about(), problems: [], steps: probe.steps ?? [], unseen, warnings: []}
  } finally {
    deadline.cancel()
  }
}

export function whyUnseen(error: unknown, {deadlineMs}: Pick<Probe<unknown>, 'deadlineMs'>, waiting?: string): string {
  if (error instanceof DeadlineError) {
    return `no response within ${deadlineMs / 1000} s${waiting === undefined ? '' : `: ${waiting}`}`
  }
  const known = toUserError(error, 'status')
  if (known) return `${known.message}. ${known.reason}`
  return `the check failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`
}

export function withProblems<Report>(seen: Seen<Report>, more: readonly FoundProblem[] = []): Seen<Report> {
  const steps = more.flatMap(({steps: some = []}) => some)
  return {...seen, problems: [...seen.problems, ...more], steps: [...seen.steps, ...steps]}
}
