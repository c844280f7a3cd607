// The last lines of an unattended run: launchers that keep only the end of the output need the verdict, its cause and its fix there.
import type {ErrorDocument, RunResultDocument} from '../../pipeline/run/events.js'
import {errorLines} from '../text/problems.js'
import {truncate, truncateMiddle} from '../text/text-shape.js'
import {launcherLine, shortVerdict} from './launcher-lines.js'
import {bytesOf, clean, plainLine, plainLines, WIDTH} from './plain-lines.js'
import type {RunState} from './run-state.js'
import {errorsOf, nodeLine, recapLine, verdictLine} from './verdict.js'

/** Azure's custom script extension keeps no more (learn.microsoft.com, custom-script-windows). */
const KEPT_BYTES = 4096
/** The length of each part of an error that is shortened. */
const SHORT = {cause: 400, fix: 400, message: 160}

export interface PlainEnding {
  readonly at: string
  readonly next: readonly string[]
  readonly redact: (text: string) => string
  readonly state: RunState
}

export function plainEnd(result: RunResultDocument, {at, next, redact, state}: PlainEnding): string[] {
  const {log, outcome} = result
  const errors = errorsOf(result)
  const [handed, node, recap] = [launcherLine(result), nodeLine(result), recapLine(result)]
  const whole = errorLines(errors, {clean, width: WIDTH - at.length - 1}).map((line) => `${at} ${line}`)
  const verdict = redact(verdictLine(result))
  const end = [
    ...(log === undefined ? [] : plainLines(at, `log: ${truncateMiddle(clean(log), 300, '...')}`)),
    ...(node === undefined ? [] : [plainLine(at, node)]),
    ...(recap === undefined ? [] : [plainLine(at, recap)]),
    ...(handed === undefined ? [] : plainLines(at, redact(`launcher: ${handed}`))),
    // One line, but for a command that is to be copied.
    ...(outcome === 'detached' ? plainLines(at, verdict) : [plainLine(at, verdict)]),
    ...(result.launcher?.name === 'azure-cse' ? [shortVerdict(result, redact)] : []),
  ]
  const room = KEPT_BYTES - bytesOf(end)
  const failure = bytesOf(whole) <= room ? whole : [...whole, ...inShort(at, errors, room)]
  const forgotten = state.outOfSight(KEPT_BYTES - bytesOf(failure) - bytesOf(end))
  return [
    ...(outcome === 'done' ? next.flatMap((command) => plainLines(at, `next: ${command}`)) : []),
    ...forgotten.flatMap((text) => plainLines(at, `earlier warning: ${text}`)),
    ...failure,
    ...end,
  ]
}

/** As many errors as there is room for, each cut to what matters. */
function inShort(at: string, errors: readonly ErrorDocument[], room: number): string[] {
  const short = (text: string, length: number): string => truncate(clean(text), length, '...')
  const lines = [plainLine(at, 'In short:')]
  for (const [index, {cause, fix, id, message}] of errors.entries()) {
    const block = [
      ...plainLines(at, `${id}: ${short(message, SHORT.message)}`),
      ...plainLines(at, `Cause: ${short(cause, SHORT.cause)}`, '  '),
      ...plainLines(at, `Fix: ${short(fix, SHORT.fix)}`, '  '),
    ]
    const more = plainLine(at, `and ${errors.length - index} more, see above`)
    if (bytesOf([...lines, ...block, more]) > room) return [...lines, more]
    lines.push(...block)
  }
  return lines
}
