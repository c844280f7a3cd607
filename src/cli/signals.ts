// Ctrl-C and its relatives: the first asks the run to stop, the second ends the program. A console that closes stops it too.
import type {EventBus} from '../pipeline/run/events.js'
import {InterruptedError} from '../pipeline/run/to-user-error.js'

const INTERRUPTED = 130

/** SIGBREAK is Ctrl-Break on Windows. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const

export interface SignalSource {
  exit(code: number): void
  off(name: string, listener: () => void): unknown
  on(name: string, listener: () => void): unknown
}

export interface SignalWatch {
  close(): void
  /** Aborted by the first stop signal. */
  readonly signal: AbortSignal
}

export function watchSignals(source: SignalSource, onStopping: () => void): SignalWatch {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) return
    controller.abort(new InterruptedError())
    onStopping()
  }
  const stopOrExit = (): void => {
    if (controller.signal.aborted) source.exit(INTERRUPTED)
    else stop()
  }

  for (const name of STOP_SIGNALS) source.on(name, stopOrExit)
  // CTRL_CLOSE_EVENT: Windows ends the process some seconds after it, whatever a handler does (libuv's src/win/signal.c).
  // They are used to stop with the journal, the log and the result whole; so a second signal of the kind ends nothing.
  source.on('SIGHUP', stop)
  return {
    close() {
      for (const name of STOP_SIGNALS) source.off(name, stopOrExit)
      source.off('SIGHUP', stop)
    },
    signal: controller.signal,
  }
}

/** Says once that the run stops. When it is over its verdict is the last word. */
export function stoppingNotice(bus: EventBus): () => void {
  let isOver = false
  bus.listen(({type}) => {
    if (type === 'run-finished') isOver = true
  })
  const message = 'Stopping after the current operation.'
  return () => {
    if (!isOver) bus.warn(message)
  }
}
