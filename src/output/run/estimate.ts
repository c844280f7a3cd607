// How long the rest of a setup or upgrade takes, from what its steps usually take and from the transfers under way.
import type {RunStepId} from '../../pipeline/run/events.js'
import {timeLeft} from '../text/figures.js'
import type {RunState} from './run-state.js'

/** Seconds of the steps that download, pull or wait: images at about 20 MB per second, as in the summary of a plan. */
const TYPICAL: Readonly<Partial<Record<RunStepId, number>>> = {
  'base-images': 180,
  'containerd-binaries': 5,
  'containerd-service': 6,
  'drain-node': 30,
  'fetch-binaries': 10,
  'kubelet-service': 6,
  'kubeproxy-service': 12,
  'kubernetes-binaries': 5,
  'node-certificate': 5,
  'node-ready': 10,
  'overlay-network': 10,
  'sandbox-image': 10,
  'windows-features': 60,
}
/** A run that finds everything in place is over before an estimate says something. */
const BEGINNING_MS = 5000
const COARSE_MS = 10_000

/** "about 3 min left"; empty where nothing can be said. */
export function estimateText(state: RunState, now: number): string {
  if (!['setup', 'upgrade'].includes(state.command) || now - state.startedAt < BEGINNING_MS) return ''
  const typicalMs = (id: RunStepId): number => (TYPICAL[id] ?? 0) * 1000
  const running = [...state.running.values()].map(({id, startedAt, transfer}) =>
    Math.max(transfer?.leftMs(now) ?? 0, typicalMs(id) - (now - startedAt)),
  )
  // Running steps run side by side, those that wait mostly one after the other.
  const waiting = [...state.waiting].reduce((sum, id) => sum + typicalMs(id), 0)
  const ms = Math.max(0, ...running) + waiting
  return ms === 0 ? '' : `about ${timeLeft(Math.ceil(ms / COARSE_MS) * COARSE_MS)} left`
}
