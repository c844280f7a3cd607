// What is expensive, or changes the node, runs in a child process that ends: a repair, and an inspection. One JSON document
// comes back, which is read as that of a stranger.
import {isNumber, isText, shaped} from '../../config/shape.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {shortened} from '../../errors/shortened.js'
import {childFailed} from '../../errors/windows.js'
import {listAt, parseJson} from '../../host/document.js'
import type {Machine} from '../../machine/machine.js'
import type {EffectKind} from '../../machine/win32.js'
import {problemsOf} from '../result.js'
import {askToYield} from '../run-lock.js'
import {type ChildOutcome, inCamelCase, type Trouble} from './model.js'
import type {WatchInput} from './watch.js'

/** Less than all steps may take together: what hangs is reported, and tried again later. */
export const REPAIR_MS = 20 * 60_000
/** For its start and its inspection. */
const OVERHEAD_MS = 5 * 60_000
const INSPECT_MS = 10 * 60_000
/** A repair that was asked to stop ends within seconds. Where shawl ends the watch before that, libuv's job ends both. */
const STOP_MS = 10_000
const LARGEST_BYTES = 2 ** 20
const MOST_PROBLEMS = 50
const LONGEST_TEXT = 2000

/** Neither rejects but for the signal's reason: a child that failed is an outcome. */
export function openChildren({
  assets,
  baseDir,
  machine,
}: Pick<WatchInput, 'assets' | 'baseDir' | 'machine'>): Required<Pick<WatchInput, 'inspect' | 'repair'>> {
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
      return outcomeIn(stdout) ?? failed(`exit code ${exitCode}. ${stderr}`.trim())
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
export const writeOutcome = async (work: Promise<ChildOutcome>): Promise<string> =>
  JSON.stringify(await work.catch(refused))

function refused(error: unknown): ChildOutcome {
  if (!(error instanceof K8sWinError || error instanceof ProblemsError)) throw error
  return {changed: 0, exitCode: error.exitCode, problems: problemsOf(error).map((one) => problemFor(one, 'node'))}
}

const isProblem = shaped<Pick<Trouble, 'component' | 'error'>>({
  component: isText,
  error: shaped({fix: isText, id: isText, message: isText}),
})
const isOutcome = shaped<Pick<ChildOutcome, 'changed' | 'exitCode'>>({changed: isNumber, exitCode: isNumber})

export function outcomeIn(text: string): ChildOutcome | undefined {
  const document = parseJson(text)
  if (!isOutcome(document)) return undefined
  const isNamed = ({component, error}: Pick<Trouble, 'component' | 'error'>): boolean =>
    /^[A-Z][A-Z0-9_]{0,60}$/.test(error.id) && /^[a-z][a-z-]{0,30}$/.test(component)
  const problems = listAt(document, 'problems').filter(isProblem).slice(0, MOST_PROBLEMS).filter(isNamed)
  const {changed, exitCode} = document
  return {changed, exitCode, problems: problems.map(({component, error}) => problemFor(error, component))}
}

const failed = (seen: string): ChildOutcome => {
  const error = childFailed({seen})
  return {changed: 0, exitCode: error.exitCode, problems: [problemFor(error, 'node')]}
}

export function problemFor({fix, id, message}: Trouble['error'], component: string): ChildOutcome['problems'][number] {
  const error = {fix: shortened(fix, LONGEST_TEXT), id, message: shortened(message, LONGEST_TEXT)}
  return {component, error, reason: inCamelCase(id)}
}
