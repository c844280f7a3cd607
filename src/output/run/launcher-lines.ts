// What the launcher that started a run makes of its end, in words.
import type {LauncherReport, RunResultDocument} from '../../pipeline/run/events.js'
import {truncate} from '../text/text-shape.js'
import {clean} from './plain-lines.js'
import {verdictLine} from './verdict.js'

/** Azure's custom script extension keeps about 256 characters of an error. */
const SHORT_LENGTH = 240

const MEANINGS: Readonly<Record<number, string>> = {
  1002: 'it runs the same command again at the next start of Windows',
  1003: 'it restarts Windows and runs the same command again',
  3010: 'it restarts Windows and runs the same command again',
}

/** Undefined where it gets the exit code of the document, which means a failure or a success to it as well. */
export function launcherLine({exitCode, launcher}: RunResultDocument): string | undefined {
  if (!launcher || launcher.exitCode === exitCode) return launcher && lastTry(launcher)
  const meaning = MEANINGS[launcher.exitCode] ?? 'it is not finished; "k8s-win status" shows the result'
  return `${launcher.name} gets exit code ${launcher.exitCode}: ${meaning}${countText(launcher)}`
}

function lastTry({attempt, attempts, name}: LauncherReport): string | undefined {
  return attempt === undefined || attempt !== attempts
    ? undefined
    : `${name} does not run it again: ${attempt} tries failed`
}

const countText = ({attempt, attempts}: LauncherReport): string =>
  attempt === undefined ? '' : ` (${attempt} of ${String(attempts)})`

/** For a launcher that shows only the last line: how it ended, the error's ID, and the fix. */
export function shortVerdict(result: RunResultDocument): string {
  const {error, exitCode} = result
  const text = error
    ? `${result.command} ${result.outcome} (${exitCode}): ${error.id}. ${error.fix}`
    : verdictLine(result)
  return truncate(clean(text), SHORT_LENGTH, '...')
}
