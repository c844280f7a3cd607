// The view for a terminal: what is done stays, what is running moves below it.
import type {TimedEvent} from '../../pipeline/run/events.js'
import {LiveRegion} from '../text/live-region.js'
import {Reminders} from './reminders.js'
import {RunBoard} from './run-board.js'
import {changeLines, checkLines, checksLine, endLines, noticeLines, stepLine, titleColumns} from './terminal-lines.js'
import {liveRows} from './terminal-rows.js'
import type {Theme} from '../text/theme.js'
import {changesToTell, checkText, tallyCount} from './verdict.js'
import type {TextViewOptions, View} from './view.js'

const FRAME_MS = 100

export interface TerminalViewOptions extends TextViewOptions {
  readonly theme: Theme
}

export function terminalView({next, now, stream, theme, ticker, verbose}: TerminalViewOptions): View {
  const region = new LiveRegion(stream)
  const board = new RunBoard()
  const reminders = new Reminders()
  let frame = 0
  let checksTold = false
  let stopTicking: (() => void) | undefined

  const columns = (): number => titleColumns(board.titles, region.width)
  const rows = (): string[] => {
    const {height, width} = region
    return liveRows(board, {columns: columns(), frame, height, now: now(), theme, width})
  }

  const print = (lines: readonly string[]): void => {
    region.print(lines, rows())
    reminders.wrote(lines.length)
  }

  const stop = (): void => {
    stopTicking?.()
    stopTicking = undefined
    board.stop()
    region.clear()
  }

  /** Once, when they are through. */
  const tellChecks = (at: string): string[] => {
    if (checksTold || tallyCount(board.checks) === 0) return []
    checksTold = true
    return [checksLine(board.checks, Date.parse(at) - board.startedAt, columns(), region.width, theme)]
  }

  const linesOf = (event: TimedEvent): string[] => {
    const {width} = region
    switch (event.type) {
      case 'run-started': {
        return [theme.bold(`k8s-win ${event.command}: ${event.steps.length} steps`)]
      }
      case 'check': {
        return verbose || event.check.result !== 'pass' ? checkLines(event.check, width, theme) : []
      }
      case 'step-started': {
        return tellChecks(event.at)
      }
      case 'progress': {
        return []
      }
      case 'step-finished': {
        const told = changeLines(changesToTell(event.step, verbose), width, theme)
        return [stepLine(event.step, columns(), width, theme), ...told]
      }
      case 'log': {
        return noticeLines(event.message, event.level, width, theme)
      }
      case 'run-finished': {
        const end = [...tellChecks(event.at), ...endLines(event.result, next, width, theme)]
        const forgotten = reminders.outOfSight(region.windowRows - end.length - 1)
        const again = forgotten.flatMap((text) => noticeLines(text, 'warn', width, theme))
        return again.length === 0 ? end : ['', 'Warnings, once more:', ...again, ...end]
      }
    }
  }

  const listen = (event: TimedEvent): void => {
    if (event.type === 'run-finished') stop()
    board.note(event)
    if (event.type === 'run-started') {
      stopTicking ??= ticker(FRAME_MS, () => {
        frame += 1
        region.draw(rows())
      })
    }
    if (event.type === 'check' && event.check.result === 'warn') reminders.warn(checkText(event.check))
    if (event.type === 'log' && event.level === 'warn') reminders.warn(event.message)
    const lines = linesOf(event)
    // The ticker draws progress: a download tells it far more often than anyone can see.
    if (lines.length > 0) print(lines)
    else if (event.type !== 'progress') region.draw(rows())
  }
  return {listen, stop}
}
