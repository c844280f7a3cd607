// A run beside another: it must say which one it met.
import type {EndedRun} from './run-record.js'

/** `holder` is the process that is at work, `args` are its arguments. */
export function secondRun(run: EndedRun, holder: number, args: readonly string[]): EndedRun {
  const {cause = '', id} = run.result.error ?? {}
  if (id !== 'LOCK_HELD') throw new Error(`The second run ended with ${id ?? run.result.outcome}.`)
  const isRight =
    new RegExp(`^The lock is held by process ${holder}\\b`).test(cause) &&
    cause.includes(`setup --json ${args.join(' ')}`.trim())
  if (!isRight) throw new Error(`Process ${holder} runs setup ${args.join(' ')}, but: ${cause}`)
  return run
}
