// The rows of the terminal view that move: the checks under way, or the running steps with their bytes, and how far the run is.
import {amount, duration} from '../text/figures.js'
import type {RunBoard, RunningStep} from './run-board.js'
import {padded} from './terminal-lines.js'
import {printable, textWidth, truncate, truncateMiddle} from '../text/text-shape.js'
import type {Theme} from '../text/theme.js'
import {tallyCount} from './verdict.js'

/** What is cut to less than this tells nothing. */
const SHORTEST_TEXT = 20

export interface RowsLook {
  readonly columns: number
  readonly frame: number
  readonly height: number
  readonly now: number
  readonly theme: Theme
  readonly width: number
}

/** At most `height` rows of at most `width` columns. */
export function liveRows(board: RunBoard, look: RowsLook): string[] {
  const {frame, height, now, theme, width} = look
  const spinner = theme.changed(theme.spinner[frame % theme.spinner.length] ?? '')
  const elapsed = duration(Math.max(0, now - board.startedAt))
  if (height < 1) return []
  if (board.phase === 'checking') {
    const text = truncate(
      `Checking the host and the cluster: ${tallyCount(board.checks)} done`,
      width - 2,
      theme.ellipsis,
    )
    return [`${spinner} ${text}${fitted(`  ${elapsed}`, width - 2 - textWidth(text), theme)}`]
  }
  if (board.phase !== 'stepping') return []

  const footer = height > 2 ? [theme.dim(truncate(footerText(board, elapsed), width, theme.ellipsis))] : []
  const {running} = board
  const room = height - footer.length
  const shown = running.length > room ? running.slice(0, room - 1) : running
  const more = running.length - shown.length
  return [
    ...shown.map((step) => runningRow(step, spinner, look)),
    ...(more === 0 ? [] : [theme.dim(truncate(`  and ${more} more`, width, theme.ellipsis))]),
    ...footer,
  ]
}

/** `⠋ title   46 MB of 91 MB, 50%  6.0s  downloading kubernetes…tar.gz` */
function runningRow(step: RunningStep, spinner: string, {columns, now, theme, width}: RowsLook): string {
  const title = padded(truncate(printable(step.title), columns, theme.ellipsis), columns)
  const took = duration(Math.max(0, now - step.startedAt))
  const counted = amount(step.current, step.total)
  const room = width - 2 - textWidth(title)
  const details = [[counted, took], [took]]
    .map((parts) => `  ${parts.filter((part) => part !== '').join('  ')}`)
    .find((text) => text.length <= room)
  if (details === undefined) return `${spinner} ${title.trimEnd()}`

  const left = room - details.length - 2
  const text = left < SHORTEST_TEXT ? '' : truncateMiddle(printable(step.text), left, theme.ellipsis)
  return `${spinner} ${title}${theme.dim(`${details}${text === '' ? '' : `  ${text}`}`)}`
}

function footerText(board: RunBoard, elapsed: string): string {
  const {finished, titles, warnings} = board
  const warned = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`
  return `  ${finished} of ${Math.max(finished, titles.length)} steps done${warned}  ${elapsed}`
}

const fitted = (text: string, room: number, theme: Theme): string => (text.length <= room ? theme.dim(text) : '')
