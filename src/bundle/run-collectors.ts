// All collectors side by side, each with its own time: one that hangs or breaks costs its own part and nothing else.
import {orAborted} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import type {Collected, Collector, CollectorContext, Failure} from './collector.js'

const COLLECTOR_MS = 15_000

export interface Gathered {
  readonly collected: readonly Collected[]
  readonly failures: readonly Failure[]
}

/** Rejects only with the reason of the context's own signal. */
export async function runCollectors(collectors: readonly Collector[], context: CollectorContext): Promise<Gathered> {
  const outcomes = await Promise.all(collectors.map((collector) => runCollector(collector, context)))
  context.signal.throwIfAborted()
  return {
    collected: outcomes.flatMap((outcome) => ('entries' in outcome ? [outcome] : [])),
    failures: outcomes.flatMap((outcome) => ('reason' in outcome ? [outcome] : [])),
  }
}

async function runCollector(collector: Collector, context: CollectorContext): Promise<Collected | Failure> {
  const deadline = context.host.clock.deadline(COLLECTOR_MS)
  const signal = AbortSignal.any([context.signal, deadline.signal])
  try {
    return await orAborted(collector.collect({...context, signal}), signal)
  } catch (error) {
    return {collector: collector.id, reason: reasonOf(error)}
  } finally {
    deadline.cancel()
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof DeadlineError) return error.message
  if (!(error instanceof Error)) return String(error)
  const {reason} = error as {readonly reason?: unknown}
  return typeof reason === 'string' ? `${error.message}: ${reason}` : error.message
}
