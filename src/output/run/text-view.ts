// What the two text views share: they listen to the run's events, keep its state, and tick while it lasts.
import type {Ticker} from '../../machine/real/ticker.js'
import type {EventListener, RunResultDocument, TimedEvent} from '../../pipeline/run/events.js'
import {RunState} from './run-state.js'
import {tallyCount} from './verdict.js'

/** Shows a run's events, and can be stopped at any moment. */
export interface View {
  readonly listen: EventListener
  /** Leaves the terminal in order; for a run that ends without its last event. */
  stop(): void
}

export interface TextViewOptions {
  /** Commands to try after a success, one per line. */
  readonly next: readonly string[]
  /** The run's clock, which stamps the events. */
  readonly now: () => number
  /** For a dry run: prints the plan elsewhere instead of the steps here, and returns how many lines it has. */
  readonly plan?: ((result: RunResultDocument) => number) | undefined
  /** For the view's own words: commands in them as a user would type them on this host. */
  readonly redact?: (text: string) => string
  readonly ticker: Ticker
  readonly verbose: boolean
}

export const unchanged = (text: string): string => text

export interface Drawing {
  /** Called while the state is still as before the event. */
  before?(event: TimedEvent): void
  /** What was drawn to be drawn again. */
  clear?(): void
  /** The tally of the checks, once, when they are through. */
  checksLine(at: string): string
  linesOf(event: TimedEvent): string[]
  print(lines: readonly string[], event: TimedEvent): void
  tick(): void
  readonly tickMs: number
}

export function textView({plan, ticker}: TextViewOptions, draw: (state: RunState) => Drawing): View {
  const state = new RunState()
  const drawing = draw(state)
  let areChecksReported = false
  let stopTicking: (() => void) | undefined

  const stop = (): void => {
    stopTicking?.()
    stopTicking = undefined
    state.stop()
    drawing.clear?.()
  }

  const checks = ({at, type}: TimedEvent): string[] => {
    const isDue = type === 'step-started' || type === 'run-finished'
    if (!isDue || areChecksReported || tallyCount(state.checks) === 0) return []
    areChecksReported = true
    return [drawing.checksLine(at)]
  }

  const listen = (event: TimedEvent): void => {
    drawing.before?.(event)
    if (event.type === 'run-finished') {
      stop()
      if (plan) state.wrote(plan(event.result))
    }
    state.note(event)
    if (event.type === 'run-started') areChecksReported = false
    if (event.type === 'run-started') stopTicking ??= ticker(drawing.tickMs, () => drawing.tick())
    const isPlanned = plan !== undefined && (event.type === 'step-started' || event.type === 'step-finished')
    drawing.print([...checks(event), ...(isPlanned ? [] : drawing.linesOf(event))], event)
  }
  return {listen, stop}
}
