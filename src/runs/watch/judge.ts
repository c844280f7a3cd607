// What follows from what was seen: the troubles, and at most one repair that is due now. Pure: what it remembers is an
// argument, and so is the time, which never goes back.
import {daemonsOf} from '../../config/daemons.js'
import {type Decided, FLANNELD, KUBE_PROXY} from '../../config/model.js'
import type {StepId} from '../../config/step-ids.js'
import {SHORT_LIFE_MS} from '../../host/services/daemon-log.js'
import {watchGaveUp} from '../../errors/unhealthy-node.js'
import {type Found, findTroubles, isRestartedBy, type ServiceMemory, stepsAgainst} from './find-troubles.js'
import type {Trouble, WatchRepair} from './model.js'
import type {Seen} from './observe.js'
import {BALANCERS, compareBalancers, type ComparedBalancers, suspected} from './suspected-balancers.js'

const HOUR_MS = 3_600_000
export const MOST_REPAIRS = 6
/** After the n-th repair of an hour: the sixth is a quarter of an hour after the first. */
const BACK_OFF_MS = 30_000
/** After a suspicion that the cluster has disproved: Services come and go all day, and each comparison asks the API server. */
const DISPROVED_MS = 10 * 60_000
/** A component is given up until something changes, or it is healthy for as long as this. */
const HEALTHY_MS = 5 * 60_000
interface ComponentMemory {
  /** In what state of its programs and configuration; '' where that is not known. */
  readonly gaveUp?: string | undefined
  readonly nextAt: number
  /** When its repairs began, the last hour's. */
  readonly repairs: readonly number[]
  /** The last one failed because the cluster did not respond, or had nothing to do. */
  readonly isOpen: boolean
  readonly healthyAt: number
}

export interface Memory extends ComparedBalancers {
  readonly components: Readonly<Record<string, ComponentMemory>>
  /** When it last stood aside: what was stopped meanwhile is waited for from then on. */
  readonly heldAt: number
  readonly services: Readonly<Record<string, ServiceMemory>>
  /** Since when there is a trouble, by component and reason. */
  readonly since: Readonly<Record<string, number>>
}

export const NOTHING_KNOWN: Memory = {
  balancers: [],
  components: {},
  heldAt: -Infinity,
  hnsProcess: 0,
  proxyProcess: 0,
  services: {},
  since: {},
}

export interface DueRepair {
  /** What it is charged to. */
  readonly components: readonly string[]
  /** Those of them that are only suspected. */
  readonly suspected: readonly string[]
  readonly steps: readonly StepId[]
  /** "flanneld and the overlay network" */
  readonly what: string
}

export interface Judgement {
  readonly due?: DueRepair | undefined
  /** What it gives up on now. */
  readonly givenUp: readonly {readonly what: string; readonly why: string}[]
  /** Something is given up. */
  readonly hasGivenUp: boolean
  /** What is wrong will be repaired, by others or by watch. */
  readonly isRepairable: boolean
  readonly memory: Memory
  readonly troubles: readonly Trouble[]
}

export interface Circumstances {
  readonly config: Decided
  /** It stands aside. */
  readonly isHeld: boolean
  /** From 0 to below 1. */
  readonly random: number
  /** The steps of the repair that is in progress. */
  readonly repairing: readonly StepId[] | undefined
  /** In milliseconds, since whenever. */
  readonly time: number
}

/** What its repairs are counted for, and given up. A kube-proxy that dies does not wait for what was only suspected. */
const accountOf = ({isSuspicion, trouble, what}: Found): string => (isSuspicion ? what : trouble.component)

/** What died and was then stopped by a user is another trouble. */
const keyOf = ({isIntent, trouble: {component, reason}}: Found): string => `${component} ${reason} ${isIntent}`

export function judge(seen: Seen, before: Memory, circumstances: Circumstances): Judgement {
  const {config, isHeld, repairing, time} = circumstances
  const services = rememberServices(seen, before, repairing)
  // Between two whole checks only the states of the services are new: load balancers of one moment are not held against a
  // kube-proxy of another.
  const compared = seen.lives ? compareBalancers(seen, before, circumstances) : before
  const found = [...findTroubles(seen, services, config), ...suspected(compared.suspicion, time)]
  const since = Object.fromEntries(found.map((one) => [keyOf(one), before.since[keyOf(one)] ?? time] as const))
  const heldAt = isHeld ? time : before.heldAt
  const age = (one: Found): number => time - (since[keyOf(one)] ?? time)
  const isRipe = (one: Found): boolean =>
    Math.min(age(one), time - heldAt) >= one.patienceMs && one.trouble.repairedBy.length > 0
  const untouched = found.filter((one) => !isRipe(one) && (one.isIntent || one.trouble.component === 'runtime'))
  const against = stepsAgainst(new Set(untouched.map(({trouble}) => trouble.component)), config)
  // Without the first of them the others are in vain.
  const stepsOf = ({trouble: {repairedBy}}: Found): StepId[] =>
    repairedBy.slice(0, 1).some((step) => against.has(step)) ? [] : repairedBy.filter((step) => !against.has(step))
  // A repair of the network restarts daemons, too.
  const chargedWith = (one: Found): string[] => [
    accountOf(one),
    ...daemonsOf(config).flatMap(({service, step}) => (stepsOf(one).includes(step) ? [service] : [])),
  ]
  const components = rememberComponents(seen, before, found, time)
  const givenUp: {what: string; why: string}[] = []
  // Every repair would leave everything as it is (recover/check-node.ts), unless the address itself can be put back.
  const isMoved = seen.addressLost !== undefined && !seen.lost?.length
  const due = found.filter((one) => {
    const known = components[accountOf(one)] ?? NEW_COMPONENT
    if (isHeld || repairing || isMoved || !isRipe(one) || stepsOf(one).length === 0) return false
    if (known.gaveUp !== undefined || time < known.nextAt) return false
    if (known.repairs.length < MOST_REPAIRS) return chargedWith(one).every((name) => !isSpent(components[name]))
    // A cluster may respond again any time.
    if (known.isOpen) return false
    givenUp.push({what: one.what, why: one.trouble.error.message})
    components[accountOf(one)] = {...known, gaveUp: seen.stamp ?? ''}
    return false
  })
  const shown = found.filter((one) => age(one) >= one.shownAfterMs)
  const isGivenUp = (one: Found): boolean => components[accountOf(one)]?.gaveUp !== undefined
  const charged = (of: readonly Found[]): string[] => [...new Set(of.flatMap(chargedWith))]
  const proven = charged(due.filter((one) => !one.isSuspicion))
  return {
    ...(due.length > 0 && {
      due: {
        components: charged(due),
        suspected: charged(due).filter((name) => !proven.includes(name)),
        steps: [...new Set(due.flatMap(stepsOf))],
        what: [...new Set(due.map(({what}) => what))].join(' and '),
      },
    }),
    givenUp,
    hasGivenUp: shown.some(isGivenUp),
    isRepairable: shown.some((one) => stepsOf(one).length > 0 && !isGivenUp(one)),
    memory: {...compared, components, heldAt, services, since},
    troubles: shown.map((one) => (isGivenUp(one) ? withGivenUp(one, config) : one.trouble)),
  }
}

/** What a repair is charged to, by its name; the others are named after their component. */
const CHARGED: Readonly<Record<string, readonly string[]>> = {
  [BALANCERS]: [BALANCERS, KUBE_PROXY],
  "the host's network": ['network'],
  'the overlay network': ['network', FLANNELD, KUBE_PROXY],
  'the source VIP': ['network', KUBE_PROXY],
}

/** After the repairs of the watch before; `now` is time 0. Whether the cluster was silent then is not known. */
export function afterRepairs(repairs: readonly WatchRepair[], now: number): Memory {
  return repairs.reduce((memory, {at, outcome, what}) => {
    const names = what.split(' and ').flatMap((name) => CHARGED[name] ?? [name])
    if (outcome === 'gave up') return changed(memory, names.slice(0, 1), (one) => ({...one, gaveUp: ''}))
    const [known, time] = [{gaveUp: undefined, isOpen: true}, Math.min(0, at - now)]
    // What it has stopped before it was ended was not stopped by a user.
    const stopped = outcome === 'begun' ? names.map((name) => [name, {...NEW_SERVICE, isOurs: true}] as const) : []
    const services = {...memory.services, ...Object.fromEntries(stopped)}
    const next = {...memory, services}
    return changed(next, [...new Set(names)], (one) => ({...one, ...known, repairs: [...one.repairs, time]}))
  }, NOTHING_KNOWN)
}

/** When a repair begins: it counts, however the watch itself ends. */
export const withRepair = (memory: Memory, {components}: DueRepair, time: number): Memory =>
  changed(memory, components, (one) => ({...one, repairs: [...one.repairs, time], nextAt: time}))

interface RepairEnd {
  readonly error?: Trouble['error'] | undefined
  /** There was nothing to change. */
  readonly isIdle: boolean
  /** Another run was quicker, or it was asked to stop: nothing was tried. */
  readonly isRefused: boolean
  /** The cluster did not respond. */
  readonly isSilent: boolean
}

export function afterRepair(
  memory: Memory,
  {components, steps, suspected: doubtful}: DueRepair,
  {error, isIdle, isRefused, isSilent}: RepairEnd,
  time: number,
): Memory {
  const next = changed(memory, components, (one, name) => {
    const isDisproved = isIdle && doubtful.includes(name)
    // Of a daemon that was only suspected it is no repair; how often that is suspected still counts.
    const isFree = isRefused || (isDisproved && name !== BALANCERS)
    const repairs = isFree ? one.repairs.slice(0, -1) : one.repairs
    const firstMs = isDisproved && !isFree ? DISPROVED_MS : BACK_OFF_MS
    // After the last one only its success is waited for.
    const doublings = repairs.length >= MOST_REPAIRS ? 0 : Math.max(0, repairs.length - 1)
    const nextAt = time + firstMs * 2 ** doublings
    return {...one, isOpen: isSilent || isDisproved, nextAt, repairs}
  })
  const {suspicion, ...rest} = next
  if (!suspicion || isRefused || isSilent || !steps.includes('kubeproxy-service')) return next
  // What it left is compared from now on.
  return error ? {...rest, suspicion: {...suspicion, error}} : {...rest, balancers: []}
}

type Change = (one: ComponentMemory, name: string) => ComponentMemory

function changed(memory: Memory, names: readonly string[], change: Change): Memory {
  const entries = names.map((name) => [name, change(memory.components[name] ?? NEW_COMPONENT, name)] as const)
  return {...memory, components: {...memory.components, ...Object.fromEntries(entries)}}
}

const NEW_SERVICE: ServiceMemory = {isOurs: false, processId: 0, shorts: 0}

function rememberServices(seen: Seen, {services}: Memory, repairing: readonly StepId[] = []): Memory['services'] {
  const entries = Object.entries(seen.states ?? {}).map(([name, status]) => {
    const {crashes, isOurs, life, processId, shorts} = services[name] ?? NEW_SERVICE
    const isUp = status?.state === 'running'
    const next = seen.lives?.[name]
    const isSame = next?.id === life?.id && next?.since === life?.since
    const isOther = seen.lives !== undefined && isUp && !isSame
    // Of one that is not there just now it is not known when it ended, only that another one must follow.
    const wasShort = isOther && life !== undefined && (next?.since ?? life.since) - life.since < SHORT_LIFE_MS
    const age = next === undefined ? -1 : (seen.at ?? 0) - next.since
    const isOld = isSame && age >= SHORT_LIFE_MS
    const {resetAfterSeconds = Infinity} = seen.configs?.[name]?.failureActions ?? {}
    // Windows counts since it started, and from 0 after a reset period without a crash (winsvc, SERVICE_FAILURE_ACTIONS).
    const counted = isUp && age >= resetAfterSeconds * 1000 ? 0 : crashes
    const isEnded = processId !== 0 && status?.processId !== processId
    const isCrash = isEnded && (isUp || status?.win32ExitCode !== 0)
    return [
      name,
      {
        crashes: counted === undefined ? undefined : counted + (isCrash ? 1 : 0),
        isOurs: !isUp && (isOurs || (processId !== 0 && repairing.some((step) => isRestartedBy(step, name)))),
        life: next ?? life,
        processId: isUp ? status.processId : 0,
        shorts: isOld ? 0 : shorts + (wasShort ? 1 : 0),
      },
    ] as const
  })
  return seen.states ? {...services, ...Object.fromEntries(entries)} : services
}

const isSpent = (one: ComponentMemory = NEW_COMPONENT): boolean => one.repairs.length >= MOST_REPAIRS

const NEW_COMPONENT: ComponentMemory = {nextAt: 0, repairs: [], isOpen: false, healthyAt: 0}

function rememberComponents(
  {stamp, states}: Seen,
  {components}: Memory,
  found: readonly Found[],
  time: number,
): Record<string, ComponentMemory> {
  const entries = Object.entries(components).map(([name, one]) => {
    const isHealthy = states !== undefined && !found.some((one) => accountOf(one) === name)
    const healthyAt = isHealthy ? one.healthyAt : time
    const isChanged = Boolean(one.gaveUp) && stamp !== undefined && stamp !== one.gaveUp
    const repairs = isChanged ? [] : one.repairs.filter((at) => time - at < HOUR_MS)
    // Windows, or all of the node, may have been started or set up anew since.
    const isOver = isChanged || (one.gaveUp === '' && repairs.length < MOST_REPAIRS)
    const gaveUp = isOver || time - healthyAt >= HEALTHY_MS ? undefined : one.gaveUp
    return [name, {...one, gaveUp, repairs, healthyAt}] as const
  })
  return Object.fromEntries(entries)
}

function withGivenUp({trouble, what}: Found, config: Decided): Trouble {
  const daemon = daemonsOf(config).find(({service}) => service === trouble.component)
  const who = daemon ? (daemon.wrapper === 'shawl' ? 'shawl' : 'The service manager of Windows') : undefined
  const error = watchGaveUp({
    cause: trouble.error.message,
    repairs: String(MOST_REPAIRS),
    restarter: who ? `${who} still restarts it.` : 'Nothing else repairs it.',
    what,
  })
  return {...trouble, error}
}
