// The rows of the terminal view that move: the checks under way, or the running steps with their bytes, and how far the run is.
import type {Screen} from '../screen.js'
import {duration} from '../text/figures.js'
import {count} from '../text/problems.js'
import {textWidth, truncate, truncateMiddle} from '../text/text-shape.js'
import {estimateText} from './estimate.js'
import type {RunningStep, RunState} from './run-state.js'
import {titleText} from './terminal-lines.js'
import {tallyCount} from './verdict.js'

/** Taller lists overwrite what is above them when the window is small (listr2 issue 296). */
const MOST_ROWS = 12
/** A text that is cut to less says nothing. */
const SHORTEST_TEXT = 20

export interface Moment {
  /** The width of the titles. */
  readonly columns: number
  readonly frame: number
  readonly now: number
}

/** At most as many rows as the window has beside the cursor's, each at most as wide as the screen. */
export function liveRows(state: RunState, moment: Moment, screen: Screen): string[] {
  const {frame, now} = moment
  const {clean, rows, theme, width} = screen
  const spinner = theme.changed(theme.spinner[frame % theme.spinner.length] ?? '')
  const elapsed = duration(Math.max(0, now - state.startedAt))
  const height = Math.min(MOST_ROWS, rows - 1)
  if (height < 1) return []
  const waiting = (said: string, since: number): string => {
    const text = truncate(clean(said), width - 2, theme.ellipsis)
    const took = duration(Math.max(0, now - since))
    return `${spinner} ${text}${took.length + 4 <= width - textWidth(text) ? theme.dim(`  ${took}`) : ''}`
  }
  const waitedFor = state.running.size === 0 ? state.wait : undefined
  const wait = waitedFor && waiting(waitedFor.text, waitedFor.startedAt)
  if (state.phase === 'checking') {
    const checking = `Checking the host and the cluster: ${tallyCount(state.checks)} done`
    return [wait ?? waiting(state.command === 'verify' ? 'Running the smoke test' : checking, state.startedAt)]
  }
  if (state.phase !== 'stepping') return []

  const faint = (text: string): string => theme.dim(truncate(text, width, theme.ellipsis))
  const footer = height > 2 ? [faint(footerText(state, elapsed, now))] : []
  const running = [...state.running.values()]
  const room = height - footer.length
  const shown = running.length > room ? running.slice(0, room - 1) : running
  const more = running.length - shown.length
  return [
    ...shown.map((step) => runningRow(step, spinner, moment, screen)),
    ...(more === 0 ? [] : [faint(`  and ${more} more`)]),
    ...(wait === undefined ? [] : [wait]),
    ...footer,
  ]
}

/** `⠋ title   46/91 MB  12 MB/s  4 s left  6.0s  downloading kubernetes…tar.gz` */
function runningRow(step: RunningStep, spinner: string, {columns, now}: Moment, screen: Screen): string {
  const {clean, theme, width} = screen
  const title = titleText(step.title, columns, screen)
  const took = duration(Math.max(0, now - step.startedAt))
  const counted = step.transfer?.text(now) ?? ''
  const said = clean(step.text ?? '')
  const room = width - 4 - textWidth(title)
  const all = [counted, took].filter(Boolean).join('  ')
  const left = room - all.length - 2
  const rest = said === '' || left < SHORTEST_TEXT ? '' : `  ${truncateMiddle(said, left, theme.ellipsis)}`
  // Where there is no room for the text, its verb still says whether bytes are pulled or extracted.
  const doing = counted === '' ? '' : `${said.split(' ', 1)[0]} ${counted}`.trimStart()
  const shorter = rest === '' ? [...(doing === '' ? [] : [`${doing}  ${took}`, doing]), all, took] : [all + rest]
  const details = shorter.find((text) => textWidth(text) <= room)
  return details === undefined ? `${spinner} ${title.trimEnd()}` : `${spinner} ${title}${theme.dim(`  ${details}`)}`
}

function footerText(state: RunState, elapsed: string, now: number): string {
  const {finished, titles, warnings} = state
  const parts = [
    `${finished} of ${Math.max(finished, titles.length)} steps done`,
    ...(warnings.length === 0 ? [] : [count(warnings.length, 'warning')]),
  ]
  return `  ${[parts.join(', '), elapsed, estimateText(state, now)].filter(Boolean).join('  ')}`
}
