// What the service k8s-win has found out about the node: health.json, which status shows and other programs read.
import {anyOf, isText, isTime, listOf, optional, shaped} from '../../config/shape.js'
import type {Timestamp} from './events.js'

export interface HealthDocument {
  /** When it was written: on every change, and at least every 5 minutes. */
  readonly at: Timestamp
  /** Why nothing is repaired: paused, a restart of Windows is pending. */
  readonly detail?: string
  readonly problems: readonly {
    readonly fix: string
    /** Stable, of the catalogue of errors (docs/errors.md). */
    readonly id: string
    readonly message: string
  }[]
  /** The newest last. */
  readonly repairs: readonly {
    readonly at: Timestamp
    /** `begun`: it is in progress, or was ended with the service. */
    readonly outcome: 'begun' | 'failed' | 'gave up' | 'repaired'
    /** What was repaired: "flanneld", "overlay network". */
    readonly what: string
  }[]
  readonly schemaVersion: 1
  /** When the verdict became what it is. */
  readonly since: Timestamp
  readonly simulated: boolean
  readonly verdict: 'degraded' | 'gave-up' | 'healthy' | 'paused' | 'recovering' | 'unknown'
}

export const HEALTH_EVERY_MS = 5 * 60_000
/** It has missed one time to write, and more. */
const STALE_MS = 2 * HEALTH_EVERY_MS + 60_000

/** Its writer hangs or was killed, or the clock was changed. */
export const isStale = (at: Timestamp, now: number): boolean => Math.abs(now - Date.parse(at)) > STALE_MS

/** A power loss or a full disk leaves anything. */
export const isHealthDocument = shaped<HealthDocument>({
  at: isTime,
  detail: optional(isText),
  problems: listOf(shaped({fix: isText, id: isText, message: isText})),
  repairs: listOf(shaped({at: isTime, outcome: anyOf('begun', 'failed', 'gave up', 'repaired'), what: isText})),
  since: isTime,
  verdict: anyOf('degraded', 'gave-up', 'healthy', 'paused', 'recovering', 'unknown'),
})
