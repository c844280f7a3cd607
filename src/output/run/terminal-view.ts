// The view for a terminal: what is done stays, what is running moves below it.
import type {TimedEvent} from '../../pipeline/run/events.js'
import type {Screen} from '../screen.js'
import {LiveRegion} from '../text/live-region.js'
import {changeLines, checkLines, checksLine, endLines, noticeLines, stepLine, titleColumns} from './terminal-lines.js'
import {liveRows} from './terminal-rows.js'
import {type TextViewOptions, textView, unchanged, type View} from './text-view.js'
import {changesToShow, titleLine} from './verdict.js'

const FRAME_MS = 100

export function terminalView(options: TextViewOptions & {readonly screen: Screen}): View {
  const {next, now, redact = unchanged, screen, verbose} = options
  return textView(options, (state) => {
    const region = new LiveRegion(screen)
    let frame = 0
    const columns = (): number => titleColumns(state.titles, screen)
    const rows = (): string[] => liveRows(state, {columns: columns(), frame, now: now()}, screen)

    const linesOf = (event: TimedEvent): string[] => {
      switch (event.type) {
        case 'run-started':
          return [screen.theme.bold(titleLine(event.command, event.steps.length))]
        case 'check':
          return verbose || state.isNotable(event.check) ? checkLines(event.check, screen) : []
        case 'step-finished': {
          const {step} = event
          return [stepLine(step, columns(), screen), ...changeLines(changesToShow(step, verbose), screen)]
        }
        case 'log':
          return noticeLines(event.message, event.level, screen)
        case 'run-finished':
          return endLines(event.result, {next, redact}, screen)
        default:
          return []
      }
    }

    return {
      checksLine: (at) => checksLine(state, Date.parse(at) - state.startedAt, columns(), screen),
      clear: () => region.clear(),
      linesOf,
      print(lines, {type}) {
        const forgotten = type === 'run-finished' ? state.outOfSight(screen.rows - lines.length - 1) : []
        const again = forgotten.flatMap((text) => noticeLines(text, 'warn', screen))
        const all = again.length === 0 ? lines : ['', 'Earlier warnings:', ...again, ...lines]
        // The ticker draws progress: a download reports it far more often than anyone can see.
        if (all.length > 0) region.print(all, rows())
        else if (type !== 'progress') region.draw(rows())
        state.wrote(all.length)
      },
      tick() {
        frame += 1
        region.draw(rows())
      },
      tickMs: FRAME_MS,
    }
  })
}
