// The view for a terminal: finished steps stay, running ones move below them.
import type {Ticker} from '../machine/real/ticker.js'
import type {TimedEvent} from '../pipeline/events.js'
import type {StepId} from '../pipeline/step-id.js'
import {LiveRegion} from './live-region.js'
import {checkLines, endLines, noticeLines, runningLine, type RunningStep, stepLine} from './terminal-lines.js'
import {truncate} from './text-shape.js'
import type {Theme} from './theme.js'
import type {TextViewOptions, View} from './view.js'

const FRAME_MS = 100

export interface TerminalViewOptions extends TextViewOptions {
  /** The run's clock, which stamps the events. */
  readonly now: () => number
  readonly theme: Theme
  readonly ticker: Ticker
}

export function terminalView({next, now, stream, theme, ticker, verbose}: TerminalViewOptions): View {
  const region = new LiveRegion(stream)
  const running = new Map<StepId, RunningStep>()
  let frame = 0
  let stopTicking: (() => void) | undefined

  const draw = (): void => {
    const spinner = theme.spinner[frame % theme.spinner.length] ?? ''
    const steps = [...running.values()]
    const shown = steps.length > region.height ? steps.slice(0, region.height - 1) : steps
    const rows = shown.map((step) => runningLine(step, spinner, now(), region.width, theme))
    const more = steps.length - shown.length
    region.draw(more === 0 ? rows : [...rows, theme.dim(truncate(`  and ${more} more`, region.width))])
  }

  const print = (lines: readonly string[]): void => {
    region.print(lines)
    draw()
  }

  const stop = (): void => {
    stopTicking?.()
    stopTicking = undefined
    running.clear()
    region.clear()
  }

  const listen = (event: TimedEvent): void => {
    switch (event.type) {
      case 'run-started': {
        stopTicking ??= ticker(FRAME_MS, () => {
          frame += 1
          draw()
        })
        print([theme.bold(`k8s-win ${event.command}: ${event.steps.length} steps`)])
        break
      }
      case 'check': {
        if (verbose || event.check.result !== 'pass') print(checkLines(event.check, region.width, theme))
        break
      }
      case 'step-started': {
        running.set(event.id, {startedAt: Date.parse(event.at), text: '', title: event.title})
        draw()
        break
      }
      case 'progress': {
        const step = running.get(event.id)
        if (step === undefined) break
        const {startedAt, title} = step
        const {current, text, total} = event
        // The ticker draws it: a download tells its progress far more often than anyone can see.
        running.set(event.id, {
          startedAt,
          text,
          title,
          ...(current === undefined ? {} : {current}),
          ...(total === undefined ? {} : {total}),
        })
        break
      }
      case 'step-finished': {
        running.delete(event.step.id)
        const changes = verbose ? event.step.changes : []
        print([
          stepLine(event.step, region.width, theme),
          ...changes.flatMap((change) =>
            noticeLines(change, 'info', region.width - 2, theme).map((line) => `  ${line}`),
          ),
        ])
        break
      }
      case 'log': {
        print(noticeLines(event.message, event.level, region.width, theme))
        break
      }
      case 'run-finished': {
        stop()
        print(endLines(event.result, next, region.width, theme))
        break
      }
    }
  }
  return {listen, stop}
}
