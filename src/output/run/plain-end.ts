// The last lines of an unattended run: launchers that keep only the end of the output need the verdict, its cause and its fix there.
import type {ErrorDocument, RunResultDocument} from '../../pipeline/run/events.js'
import {errorLines} from '../text/problems.js'
import {truncate, truncateMiddle} from '../text/text-shape.js'
import {launcherLine, shortVerdict} from './launcher-lines.js'
import {bytesOf, clean, plainLine, stamped} from './plain-lines.js'
import type {RunState} from './run-state.js'
import {errorsOf, nodeLine, recapLine, verdictLine} from './verdict.js'

/** Azure's custom script extension keeps no more (learn.microsoft.com, custom-script-windows). */
const KEPT_BYTES = 4096
const WRONG_INPUT = 2
/** The length of each part of an error that is shortened. */
const SHORT = {cause: 400, fix: 400, message: 160}

export interface PlainEnding {
  readonly at: string
  readonly redact: (text: string) => string
  readonly state: RunState
}

/** Three lines: the warnings, the log, the result. Errors stand between: of them nothing may be out of sight. */
export function plainEnd(result: RunResultDocument, {at: now, redact, state}: PlainEnding): string[] {
  // A mistake in the command line is not of a moment: nothing has begun, as where no view is open yet.
  const isBegun = state.command !== '' || result.launcher !== undefined
  const at = result.exitCode === WRONG_INPUT && !isBegun ? '' : now
  const errors = errorsOf(result)
  const handed = launcherLine(result)
  const whole = errorLines(errors, {clean, width: Infinity}).map((line) => stamped(at, line))
  const said = [redact(verdictLine(result)), nodeLine(result), recapLine(result)]
  const end = [
    ...(result.log === undefined ? [] : [plainLine(at, `log: ${truncateMiddle(clean(result.log), 300, '...')}`)]),
    ...(handed === undefined ? [] : [plainLine(at, redact(`launcher: ${handed}`))]),
    plainLine(at, said.filter((part) => part !== undefined).join('. ')),
    ...(result.launcher?.name === 'azure-cse' ? [shortVerdict(result, redact)] : []),
  ]
  const room = KEPT_BYTES - bytesOf(end)
  const failure = bytesOf(whole) <= room ? whole : [...whole, ...inShort(at, errors, room)]
  return [...warningLine(at, state, room - bytesOf(failure)), ...failure, ...end]
}

/** Those that a launcher has kept are only counted. */
function warningLine(at: string, state: RunState, room: number): string[] {
  const all = new Set(state.warnings.map(({text}) => text)).size
  const forgotten = state.outOfSight(room)
  const kept = all - forgotten.length
  const parts = [...forgotten, ...(kept === 0 ? [] : [`${kept}${forgotten.length === 0 ? '' : ' more'}, see above`])]
  return all === 0 ? [] : [plainLine(at, `warnings: ${parts.join(' | ')}`)]
}

/** As many errors as there is room for, each cut to what matters. */
function inShort(at: string, errors: readonly ErrorDocument[], room: number): string[] {
  const short = (text: string, length: number): string => truncate(clean(text), length, '...')
  const lines = [plainLine(at, 'In short:')]
  for (const [index, {cause, fix, id, message}] of errors.entries()) {
    const block = [
      plainLine(at, `${id}: ${short(message, SHORT.message)}`),
      stamped(at, `  Cause: ${short(cause, SHORT.cause)}`),
      stamped(at, `  Fix: ${short(fix, SHORT.fix)}`),
    ]
    const more = plainLine(at, `and ${errors.length - index} more, see above`)
    if (bytesOf([...lines, ...block, more]) > room) return [...lines, more]
    lines.push(...block)
  }
  return lines
}
