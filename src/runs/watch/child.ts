// What is expensive, or changes the node, runs in a child process that ends: a repair, and an inspection. One JSON document
// comes back, which is read as that of a stranger.
import type {StepId} from '../../config/step-ids.js'
import {isNumber, isText, shaped} from '../../config/shape.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {childFailed} from '../../errors/windows.js'
import {listAt, parseJson} from '../../host/document.js'
import type {Assets, Machine} from '../../machine/machine.js'
import type {EffectKind} from '../../machine/win32.js'
import type {ErrorDocument} from '../../pipeline/run/events.js'
import {problemsOf} from '../result.js'
import {askToYield} from '../run-lock.js'
import type {ChildOutcome} from './model.js'

/** Less than all steps may take together: what hangs is reported, and tried again later. */
export const REPAIR_MS = 20 * 60_000
/** For its start and its inspection. */
const OVERHEAD_MS = 5 * 60_000
const INSPECT_MS = 10 * 60_000
/** A repair that was asked to stop ends within seconds. Where shawl ends the watch before that, libuv's job ends both. */
const STOP_MS = 10_000
export const DEGRADED_EXIT = 8
const LARGEST_BYTES = 2 ** 20
const MOST_PROBLEMS = 50
const LONGEST_TEXT = 2000

interface Parent {
  readonly assets: Assets
  readonly baseDir: string
  readonly machine: Machine
}

export interface Children {
  inspect(signal: AbortSignal): Promise<ChildOutcome>
  repair(steps: readonly StepId[], signal: AbortSignal): Promise<ChildOutcome>
}

/** Neither rejects but for the signal's reason: a child that failed is an outcome. */
export function openChildren({assets, baseDir, machine}: Parent): Children {
  const start = async (
    flag: string,
    effect: EffectKind,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<ChildOutcome> => {
    const [program = '', ...own] = assets.program.command
    const args = [...own, 'run-watch', `--base-dir=${baseDir}`, flag]
    try {
      const options = {deadlineMs, effect, maxOutputBytes: LARGEST_BYTES, signal}
      const {exitCode, stderr, stdout} = await machine.run(program, args, options)
      return outcomeIn(stdout) ?? failed(`It ended with ${exitCode}. ${stderr.slice(0, LONGEST_TEXT)}`.trim())
    } catch (error) {
      signal.throwIfAborted()
      return failed(error instanceof Error ? error.message : String(error))
    }
  }
  return {
    inspect: (signal) => start('--inspect', 'read', INSPECT_MS, signal),
    async repair(steps, signal) {
      const stop = stopping(machine, signal)
      return start(`--repair=${steps.join(',')}`, 'change', REPAIR_MS + OVERHEAD_MS, stop.signal).finally(() =>
        stop.cancel(),
      )
    },
  }
}

/** The child has a console of its own, which Ctrl-C does not reach: it is asked as any run asks it, and killed later. */
function stopping(machine: Machine, signal: AbortSignal): {cancel: () => void; signal: AbortSignal} {
  const [kill, over] = [new AbortController(), new AbortController()]
  const ask = async (): Promise<void> => {
    const withdraw = await askToYield(machine).catch(() => undefined)
    await machine.clock.sleep(STOP_MS, over.signal).catch(() => {})
    kill.abort(signal.reason)
    await withdraw?.()
  }
  const onAbort = (): void => void ask()
  signal.addEventListener('abort', onAbort, {once: true})
  return {
    cancel() {
      signal.removeEventListener('abort', onAbort)
      over.abort()
    },
    signal: kill.signal,
  }
}

/** In the child. */
export async function writeOutcome(work: Promise<ChildOutcome>): Promise<string> {
  const {problems, ...outcome} = await work.catch(refused)
  const plain = problems.map(({component, error: {fix, id, message, reason: cause}}) => ({
    cause,
    component,
    fix,
    id,
    message,
  }))
  return JSON.stringify({...outcome, problems: plain})
}

function refused(error: unknown): ChildOutcome {
  if (!(error instanceof K8sWinError || error instanceof ProblemsError)) throw error
  const problems = problemsOf(error).map(({fix, id, message, reason: cause}) =>
    problemFor({cause, fix, id, message}, 'node'),
  )
  return {changed: 0, exitCode: error.exitCode, problems}
}

type Texts = Pick<ErrorDocument, 'cause' | 'fix' | 'id' | 'message'>

const isProblem = shaped<Texts & {readonly component: string}>({
  cause: isText,
  component: isText,
  fix: isText,
  id: isText,
  message: isText,
})
const isOutcome = shaped<Pick<ChildOutcome, 'changed' | 'exitCode'>>({changed: isNumber, exitCode: isNumber})

export function outcomeIn(text: string): ChildOutcome | undefined {
  const document = parseJson(text)
  if (!isOutcome(document)) return undefined
  const problems = listAt(document, 'problems').filter(isProblem).slice(0, MOST_PROBLEMS)
  const {changed, exitCode} = document
  return {
    changed,
    exitCode,
    problems: problems.flatMap(({cause, component, fix, id, message}) => {
      const cut = (value: string): string => value.slice(0, LONGEST_TEXT)
      const isNamed = /^[A-Z][A-Z0-9_]{0,60}$/.test(id) && /^[a-z][a-z-]{0,30}$/.test(component)
      return isNamed ? [problemFor({cause: cut(cause), fix: cut(fix), id, message: cut(message)}, component)] : []
    }),
  }
}

const failed = (seen: string): ChildOutcome => {
  const {exitCode, fix, id, message, reason: cause} = childFailed({seen})
  return {changed: 0, exitCode, problems: [problemFor({cause, fix, id, message}, 'node')]}
}

/** `reason`: NODE_IS_A_COPY is NodeIsACopy. */
export function problemFor({cause, fix, id, message}: Texts, component: string): ChildOutcome['problems'][number] {
  const reason = id.toLowerCase().replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return {component, error: new K8sWinError(id, {cause, exitCode: DEGRADED_EXIT, fix, message}), reason}
}
