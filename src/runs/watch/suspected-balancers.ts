// Load balancers that HNS had in the round before, and has no more: a loss is a suspicion, because Services are deleted, too.
// Only the cluster can tell, so a repair compares them.
import {KUBE_PROXY} from '../../config/model.js'
import {loadBalancerMissing} from '../../errors/health.js'
import type {Found} from './find-troubles.js'
import type {Trouble} from './model.js'
import {HNS, type Seen} from './observe.js'

/** What it is called, and what its repairs are counted for. */
export const BALANCERS = 'load balancers'
/** Load balancers that kube-proxy replaces are gone for a moment; and all nodes see a deleted Service at once. */
const SUSPECTED_MS = 30_000
const SPREAD_MS = 2 * 60_000
/** More than these are not remembered: a pause may last for days. */
const MOST_GONE = 100

interface Suspicion {
  readonly dueAt: number
  /** What a repair has failed with; undefined before. */
  readonly error?: Trouble['error']
  /** The load balancers that are gone; none where nobody has seen what went: HNS was restarted, or no watch ran. */
  readonly gone: readonly string[]
}

/** What is remembered from one round to the next. */
export interface ComparedBalancers {
  readonly balancers: readonly string[]
  readonly hnsProcess: number
  readonly proxyProcess: number
  readonly suspicion?: Suspicion | undefined
}

interface Moment {
  /** From 0 to below 1. */
  readonly random: number
  readonly time: number
}

const dueAtOf = ({random, time}: Moment): number => time + SUSPECTED_MS + Math.round(random * SPREAD_MS)

/** When a watch begins after another one: what went in between is in no round. */
export const suspectAll = (moment: Moment): Suspicion => ({dueAt: dueAtOf(moment), gone: []})

export function compareBalancers({hns, states}: Seen, before: ComparedBalancers, moment: Moment): ComparedBalancers {
  const [proxy, service] = [KUBE_PROXY, HNS].map((name) => states?.[name]?.processId ?? 0)
  const {balancers: known, hnsProcess, proxyProcess, suspicion} = before
  const isRestarted = hnsProcess !== 0 && Boolean(service) && service !== hnsProcess
  const suspect = (gone: readonly string[]): Suspicion => {
    const dueAt = suspicion?.dueAt ?? dueAtOf(moment)
    return {dueAt, ...(suspicion?.error && {error: suspicion.error}), gone}
  }
  const ids = {hnsProcess: service || hnsProcess, proxyProcess: proxy || proxyProcess}
  // One that was started deletes all, and creates them anew; of the first one that is seen it is not known when that was.
  if (proxy && proxy !== proxyProcess) {
    const all = {...ids, balancers: hns?.balancers ?? []}
    return proxyProcess === 0 ? {...all, suspicion} : all
  }
  if (isRestarted) return {...ids, balancers: known, suspicion: suspect([])}
  if (!hns || !proxy || suspicion?.gone.length === 0) return {...ids, balancers: known, suspicion}
  const there = new Set(hns.balancers)
  const gone = known.filter((one) => !there.has(one)).slice(0, MOST_GONE)
  return {...ids, balancers: [...hns.balancers, ...gone], suspicion: gone.length > 0 ? suspect(gone) : undefined}
}

/** It is shown only when a repair has proven it. */
export function suspected(suspicion: Suspicion | undefined, time: number): Found[] {
  if (!suspicion || time < suspicion.dueAt) return []
  const seen =
    suspicion.gone.length > 0
      ? `missing: ${suspicion.gone.slice(0, 3).join(', ')}`
      : 'not compared since HNS or the service k8s-win was started'
  const {error = loadBalancerMissing({logs: 'k8s-win logs kubeproxy', seen, tail: ''})} = suspicion
  const shownAfterMs = suspicion.error ? 0 : Infinity
  const trouble: Trouble = {
    component: KUBE_PROXY,
    error,
    reason: 'LoadBalancersLost',
    repairedBy: ['kubeproxy-service'],
  }
  return [{isSuspicion: true, patienceMs: 0, shownAfterMs, trouble, what: BALANCERS}]
}
