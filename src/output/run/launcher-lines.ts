// What the launcher that started a run makes of its end, in words.
import {AWS_RESTART, CLOUDBASE_AGAIN, CLOUDBASE_RESTART} from '../../config/launchers.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {truncate} from '../text/text-shape.js'
import {clean} from './plain-lines.js'
import {restartText, verdictLine} from './verdict.js'

/** Azure's custom script extension keeps about 256 characters of an error. */
const SHORT_LENGTH = 240

const MEANINGS: Readonly<Record<number, string>> = {
  [AWS_RESTART]: 'it restarts Windows and runs the same command again',
  [CLOUDBASE_AGAIN]: 'it runs the same command again at the next start of Windows',
  [CLOUDBASE_RESTART]: 'it restarts Windows and runs the same command again',
}

/** Undefined where it gets the exit code of the document, which means a failure or a success to it as well. */
export function launcherLine({exitCode, launcher, outcome}: RunResultDocument): string | undefined {
  if (!launcher) return undefined
  const {attempt, attempts, exitCode: handed, name} = launcher
  const kind = outcome === 'restart-required' ? 'restart' : 'try'
  const count = attempt === undefined ? '' : ` (${kind} ${attempt} of ${String(attempts)})`
  if (handed !== exitCode) {
    const meaning = MEANINGS[handed] ?? 'it is not finished; "k8s-win status" shows the result'
    return `${name} gets exit code ${handed}${count}: ${meaning}`
  }
  if (attempt === undefined) return undefined
  if (kind === 'restart') return `${name} gets exit code ${handed}${count}`
  return attempt === attempts ? `${name} does not run it again: ${attempt} tries failed` : undefined
}

/** For a launcher that shows only the last line: how it ended, the error's ID, and the fix. */
export function shortVerdict(result: RunResultDocument, redact: (text: string) => string): string {
  const {error, exitCode} = result
  const advice = result.outcome === 'restart-required' ? restartText(result).replace(/^r/, 'R') : error?.fix
  const text = error ? `${result.command} ${result.outcome} (${exitCode}): ${error.id}. ${advice}` : verdictLine(result)
  return truncate(clean(redact(text)), SHORT_LENGTH, '...')
}
