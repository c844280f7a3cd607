// Ctrl-C and its relatives: the first asks the run to stop, the second ends the program. A lost console does neither.
import type {EventBus} from '../pipeline/events.js'
import {InterruptedError} from '../pipeline/explain.js'

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
    if (controller.signal.aborted) {
      source.exit(INTERRUPTED)
      return
    }
    controller.abort(new InterruptedError())
    onStopping()
  }
  // The console was closed, or the network under a remote one is being rebuilt by this very run: go on.
  const ignore = (): void => undefined

  for (const name of STOP_SIGNALS) source.on(name, stop)
  source.on('SIGHUP', ignore)
  return {
    close() {
      for (const name of STOP_SIGNALS) source.off(name, stop)
      source.off('SIGHUP', ignore)
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
  const message = 'Stopping after the current operation; run the same command again to go on.'
  return () => {
    if (!isOver) bus.emit({level: 'warn', message, type: 'log'})
  }
}
