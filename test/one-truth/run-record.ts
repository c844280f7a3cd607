// A run as it reported itself: how it ended, what every step did, what it changed and what it asked.
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {STEPS} from '../../src/steps/index.js'
import {effectText, type LogLine, parseLog} from './log-lines.js'
import {normal} from './normal.js'
import type {Observation} from './observation.js'
import {ownerOf, SHARED} from './step-of-effect.js'

const SHARED_CHANGES = 'changes that several steps need'
/** Steps that wait for others' work: whether there was still something to wait for is a matter of time. */
const WAITING = new Set(['node-ready', 'node-registered'])
/** Whether the certificate was there before setup waited for it is a matter of time, too; the rest of that step is not. */
const ISSUED = 'step node-certificate did: the cluster issued'
const REQUESTS = '/certificatesigningrequests'
/** The bytes of a pull, which are read as long as it takes, and whether the program that tells them may be run. */
const PULLED = /^(?:run read .*\\ctr\.exe \[.*"content",|win32 read survey .*\\ctr\.exe)/
/** On a computer whose clock was just set, two processes disagree on the time for a minute (V8 on Windows, base/platform/time.cc). */
const OF_THE_COMPUTER = new Set(['server-clock'])
/** Made by whichever comes first of the steps side by side. */
const SHARED_FOLDER = /: create .*\\downloads$/

export interface EndedRun {
  readonly code: number
  /** The text of <BaseDir>\logs\k8s-win\setup-*.log.trace; empty where the run has none, for it changes nothing. */
  readonly log: string
  /** Another run, in the middle of this one. */
  readonly meanwhile?: EndedRun
  readonly result: RunResultDocument
}

export function observeRun(run: EndedRun): Observation {
  const ending = endingOf(run)
  if (run.log === '') return {ending}
  const lines = parseLog(run.log)
  return {
    ending,
    ...changes(lines),
    'asked, and what was last answered': asked(lines),
  }
}

export function endingOf({code, result}: EndedRun): string[] {
  const {checks, error, errors = error ? [error] : [], exitCode, node, outcome, recap, steps} = result
  const lines = [
    `exit code ${code}, in the document ${exitCode}, outcome ${outcome}`,
    `failed ${recap.failed}, skipped ${recap.skipped}, in place ${recap.ok + recap.changed}`,
    ...(node ? [`node ${JSON.stringify(node)}`] : []),
    ...errors.flatMap(({cause, fix, id, message}) => [
      `error ${id}`,
      `error ${id} message: ${message}`,
      `error ${id} cause: ${cause}`,
      `error ${id} fix: ${fix}`,
    ]),
    ...checks
      .filter(({id}) => !OF_THE_COMPUTER.has(id))
      .map(({fix, id, message, result: verdict}) => `check ${id}: ${verdict}, ${message} ${fix ?? ''}`.trim()),
    ...steps.map(({error: failure, id, state}) => `step ${id}: ${stateOf(id, state)} ${failure?.id ?? ''}`.trim()),
    ...steps
      .filter(({id}) => !WAITING.has(id))
      .flatMap(({changes, id, state}) =>
        changes.map((change) => `step ${id} ${state === 'would-change' ? 'would' : 'did'}: ${change}`),
      )
      .filter((line) => !SHARED_FOLDER.test(line) && !line.startsWith(ISSUED)),
  ]
  return lines.map(normal)
}

/** Which steps changed something, or would. */
export function stepsAtWork({steps}: RunResultDocument): string[] {
  const atWork = steps.filter(({id, state}) => !WAITING.has(id) && (state === 'changed' || state === 'would-change'))
  return atWork.map(({id}) => id)
}

const stateOf = (id: string, state: string): string =>
  WAITING.has(id) && (state === 'changed' || state === 'in-place') ? 'reached' : state

/**
 * In order within a step, which is one thread; and no step begins before one it needs has ended. Together that is all the
 * order there is. Folders that steps share are reported once.
 */
function changes(lines: readonly LogLine[]): Observation {
  const headings: Record<string, string[]> = {}
  const put = (heading: string, line: string): unknown => (headings[heading] ??= []).push(normal(line))
  const atWork = new Set<string>()
  for (const line of lines) {
    if ('effect' in line) {
      const {effect} = line
      if (effect.kind === 'read') continue
      const text = effectText(effect)
      const step = SHARED.test(text) ? SHARED_CHANGES : `changes of ${ownerOf(effect, atWork)}`
      // A service is asked to stop until it has: how often, and whether its process still answers, is a matter of time.
      if (effect.what !== 'stopService') put(step, `${text} -> ${effect.outcome}`)
      else if (headings[step]?.at(-1) !== text) put(step, text)
    } else if (line.event.type === 'step-started') {
      const {id} = line.event
      const early = STEPS.find((step) => step.id === id)?.needs.filter((need) => atWork.has(need)) ?? []
      for (const need of early) put('steps out of order', `${id} began before ${need} had ended`)
      atWork.add(id)
    } else if (line.event.type === 'step-finished') atWork.delete(line.event.step.id)
  }

  for (const [heading, found] of Object.entries(headings)) headings[heading] = membersInOrder(found)
  if (headings[SHARED_CHANGES]) headings[SHARED_CHANGES] = [...new Set(headings[SHARED_CHANGES])].sort()
  return headings
}

/** The members of an archive are written side by side. */
function membersInOrder(lines: readonly string[]): string[] {
  const isMember = (line: string | undefined): boolean => /^files change writeChunks .*\.staged\\/.test(line ?? '')
  return lines.reduce<string[]>((ordered, line) => {
    let at = ordered.length
    while (isMember(line) && isMember(ordered[at - 1]) && String(ordered[at - 1]) > line) at--
    return ordered.toSpliced(at, 0, line)
  }, [])
}

/** How often something is asked is a matter of time; the last answer is what the run went on with. */
function asked(lines: readonly LogLine[]): string[] {
  const last = new Map<string, string>()
  for (const line of lines) {
    if ('effect' in line && line.effect.kind === 'read') last.set(normal(effectText(line.effect)), line.effect.outcome)
  }

  for (const text of last.keys()) if (text.includes(REQUESTS) || PULLED.test(text)) last.delete(text)
  return [...last].map(([text, outcome]) => `${text} -> ${outcome}`).sort()
}
