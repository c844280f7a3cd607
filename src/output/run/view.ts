// What a view is: a listener that shows a run's events, and can be stopped at any moment.
import type {Ticker} from '../../machine/real/ticker.js'
import type {EventListener} from '../../pipeline/run/events.js'

export interface View {
  readonly listen: EventListener
  /** Leaves the terminal in order; for a run that ends without its last event. */
  stop(): void
}

/** The part of a stream that views use. */
export interface Sink {
  readonly columns?: number | undefined
  readonly isTTY?: boolean | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
}

export interface TextViewOptions {
  /** Commands to try after a success, one a line. */
  readonly next: readonly string[]
  /** The run's clock, which stamps the events. */
  readonly now: () => number
  readonly stream: Sink
  readonly ticker: Ticker
  readonly verbose: boolean
}
