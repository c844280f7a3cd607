// What of a node is wrong by what was seen, what would repair it, and how long those who restart daemons anyway get first: the
// service manager and shawl. No I/O.
import {isOutside} from '../../components/overlay.js'
import {DAEMON, type Daemon, DAEMONS, daemonsOf} from '../../config/daemons.js'
import {CONTAINERD, type Decided, FLANNELD, KUBE_PROXY, NETWORK_NAME, type RuntimeName} from '../../config/model.js'
import type {StepId} from '../../config/step-ids.js'
import {hnsStopped} from '../../errors/condition.js'
import {networkNotRestored} from '../../errors/health.js'
import {containerdStopped, dockerStopped} from '../../errors/host.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import * as unhealthy from '../../errors/unhealthy-node.js'
import {hnsRefused} from '../../errors/windows.js'
import {inCamelCase, type Trouble} from './model.js'
import {type DaemonHealth, notItsOwn} from '../../host/local-server.js'
import {SHORT_LIVES} from '../../host/services/daemon-log.js'
import type {Life} from '../../host/services/services.js'
import {HNS, othersRuntime, type Seen} from './observe.js'

/** What is remembered of a service from one check to the next. */
export interface ServiceMemory {
  /** How often the service manager has counted that it crashed; unknown before it has run for the whole reset period. */
  readonly crashes?: number | undefined
  /** It stopped during a repair. */
  readonly isOurs: boolean
  readonly life?: Life | undefined
  /** Of the service itself, while it is running; 0 otherwise. */
  readonly processId: number
  /** How many of its last lives were short. */
  readonly shorts: number
}

export interface Found {
  /** A user wants it so, for as long as the patience lasts. */
  readonly isIntent?: boolean
  /** A repair that finds nothing to change disproves it. */
  readonly isSuspicion?: boolean
  /** Before it is repaired. */
  readonly patienceMs: number
  /** Before it is shown: a single probe may fail. */
  readonly shownAfterMs: number
  readonly trouble: Trouble
  /** In words. */
  readonly what: string
}

/** Longer than the service manager's own delay. */
const MANAGER_MS = 15_000
const ORDERLY_MS = 10 * 60_000
/** Two checks. */
const NOTICE_MS = 30_000
const ERROR_SERVICE_SPECIFIC = 1066
const ERROR_SERVICE_NEVER_STARTED = 1077
const OVERLAY_STEPS: readonly StepId[] = ['flanneld-service', 'overlay-network', 'source-vip', 'kubeproxy-service']
type Services = Readonly<Record<string, ServiceMemory>>

export const findTroubles = (seen: Seen, known: Services, config: Decided): Found[] =>
  seen.states
    ? [
        ...daemonsOf(config).flatMap((daemon) => ofDaemon(daemon, seen, known[daemon.service]) ?? []),
        ...ofRuntime(seen, config),
        ...ofNetwork(seen),
      ]
    : []

function ofDaemon(daemon: Daemon, seen: Seen, known: ServiceMemory | undefined): Found | undefined {
  const {patienceMs, program, service, step, wrapper} = daemon
  // The start of flanneld records the host's network, and that step compares it.
  const steps: readonly StepId[] = service === FLANNELD ? [step, 'overlay-network'] : [step]
  const found = (error: K8sWinError, reason: string, more: Partial<Found> = {}, repairedBy = steps): Found => ({
    patienceMs,
    shownAfterMs: 0,
    trouble: {component: service, error, reason: `${inCamelCase(program)}${reason}`, repairedBy},
    what: service,
    ...more,
  })
  const down = (is: string, cause: string): K8sWinError => unhealthy.serviceDown({cause, seen: is, service})
  const status = seen.states?.[service]
  const {failureActions: {restartDelaysMs: delays = []} = {}, startType} = seen.configs?.[service] ?? {}
  if (!status) return found(unhealthy.serviceMissing({service}), 'Missing', {isIntent: true}, [])
  if (startType === 'disabled') return found(unhealthy.serviceDisabled({service}), 'Disabled', {isIntent: true}, [])
  if (startType === 'demand') {
    const error = down('has the start type demand', 'Its start type was changed. Nothing starts it with Windows.')
    return found(error, 'OnDemand', {isIntent: true}, [])
  }
  const {state, win32ExitCode: code} = status
  if (state === 'stopped') {
    // shawl restarts its program whatever its exit code: it reports that only when it was asked to stop (docs/facts.md#services).
    const isAsked = code === 0 || (wrapper === 'shawl' && code === ERROR_SERVICE_SPECIFIC)
    const isInterrupted = seen.interrupted?.includes(service) === true
    const isOrderly = isAsked && known?.isOurs !== true && !isInterrupted
    if (isOrderly) {
      const error = down('is stopped', 'It was stopped in order. After 10 minutes it is started again.')
      return found(error, 'Stopped', {isIntent: true, patienceMs: ORDERLY_MS})
    }
    // At boot Windows does not try again; later the service manager does, with the delay of this crash: the last one repeats.
    const isLeft = code === ERROR_SERVICE_NEVER_STARTED || known?.isOurs === true || isInterrupted
    const nextMs = known?.crashes ? delays[Math.min(known.crashes, delays.length) - 1] : Math.max(0, ...delays)
    const delayMs = isLeft ? 0 : (nextMs ?? 0)
    const error = down(`is stopped (exit code ${code})`, 'Its program exited or did not start; its log shows why.')
    return found(error, 'Stopped', {patienceMs: delayMs + MANAGER_MS})
  }
  if (state !== 'running') {
    const error = down(`is ${state}`, 'It is starting or stopping; if this does not change, its program hangs.')
    const isIntent = state !== 'start-pending' && known?.isOurs !== true
    return found(error, 'Stopped', {isIntent, shownAfterMs: NOTICE_MS, ...(isIntent && {patienceMs: ORDERLY_MS})})
  }
  if ((known?.shorts ?? 0) >= SHORT_LIVES)
    return found(down('keeps restarting', 'Its program keeps exiting; its log shows why.'), 'Crashing', {patienceMs: 0})
  const health = seen.health?.[service]
  if (!health || health.state === 'ok') return undefined
  const repairedBy = notItsOwn(health) ? [] : steps
  return found(health.error, HEALTH_REASONS[health.state], {shownAfterMs: NOTICE_MS}, repairedBy)
}

const HEALTH_REASONS: Readonly<Record<Exclude<DaemonHealth['state'], 'ok'>, string>> = {
  refused: 'Unhealthy',
  sick: 'Unhealthy',
  taken: 'PortTaken',
  unknown: 'HealthUnknown',
}

const RUNTIME_STOPPED: Readonly<Record<RuntimeName, (config: Decided, reason: string) => K8sWinError>> = {
  containerd: ({containerd: {pipe}}, reason) => containerdStopped({pipe, reason}),
  docker: ({dockerPipe: pipe}, reason) => dockerStopped({pipe, reason}),
}

/** Docker, and a containerd that was there before setup, are the user's. */
function ofRuntime({states}: Seen, config: Decided): Found[] {
  const service = othersRuntime(config)
  const state = service === undefined ? 'running' : (states?.[service]?.state ?? 'absent')
  if (state === 'running') return []
  const error = RUNTIME_STOPPED[config.runtime](config, `the service is ${state}`)
  return [reported({component: 'runtime', error, reason: 'RuntimeStopped', repairedBy: []}, 'the runtime')]
}

function ofNetwork({addressLost, hns, isUncompared, lost = [], states}: Seen): Found[] {
  const found = (error: K8sWinError, reason: string, what: string, repairedBy: readonly StepId[] = []): Found =>
    reported({component: 'network', error, reason, repairedBy}, what)
  const all: Found[] = []
  const {state: hnsState = 'absent'} = states?.[HNS] ?? {}
  if (hnsState !== 'running') all.push(found(hnsStopped({state: hnsState}), 'HnsStopped', 'HNS'))
  else if (!hns)
    all.push(found(hnsRefused({code: 'none', request: 'GET /networks/', said: 'nothing'}), 'HnsSilent', 'HNS'))
  else if (!hns.overlay) {
    const error = unhealthy.overlayAbsent({network: NETWORK_NAME})
    const {patienceMs} = DAEMON.flanneld
    all.push({...found(error, 'OverlayNetworkMissing', 'the overlay network', OVERLAY_STEPS), patienceMs})
  } else if (hns.vip === undefined || isOutside(hns.overlay.subnet, hns.vip)) {
    const {subnet = 'the pod network'} = hns.overlay
    const cause = 'The reservation of host-local was removed, or is of another pod network.'
    const error = unhealthy.sourceVipUnreserved({cause, seen: hns.vip ?? 'none', subnet})
    all.push(found(error, 'SourceVipMissing', 'the source VIP', ['source-vip', 'kubeproxy-service']))
  }
  if (lost.length > 0) {
    const error = networkNotRestored({commands: 'k8s-win recover', lost: lost.join(', ')})
    all.push(found(error, 'HostNetworkLost', "the host's network", ['overlay-network']))
  } else if (isUncompared) {
    const cause = 'The step could not be done when flanneld was started: its cluster did not respond.'
    const said = {
      seen: "the host's network was not compared yet",
      step: 'overlay-network',
      title: 'Wait for overlay network',
    }
    all.push(
      found(unhealthy.drifted({...said, cause}), 'HostNetworkNotCompared', "the host's network", ['overlay-network']),
    )
  }
  if (addressLost && lost.length === 0)
    all.push(found(unhealthy.nodeAddressLost({...addressLost, hint: ''}), 'NodeAddressChanged', 'the address'))
  return all
}

const reported = (trouble: Trouble, what: string): Found => ({
  patienceMs: NOTICE_MS,
  shownAfterMs: NOTICE_MS,
  trouble,
  what,
})

/** overlay-network restarts flanneld, and stops kube-proxy where it replaces a network: kube-proxy's own step starts it. */
export const isRestartedBy = (step: StepId, service: string): boolean =>
  DAEMONS.some((one) => one.service === service && one.step === step) ||
  ([FLANNELD, KUBE_PROXY].includes(service) && step === 'overlay-network')

/** Steps that would touch what a user wants as it is: these daemons', and what restarts them. */
export function stepsAgainst(intents: ReadonlySet<string>, config: Decided): ReadonlySet<StepId> {
  const steps: StepId[] = daemonsOf(config).flatMap(({service, step}) => (intents.has(service) ? [step] : []))
  // overlay-network restarts flanneld, and the address is one of its network.
  if (intents.has(FLANNELD)) steps.push('overlay-network', 'source-vip')
  // Without its runtime it can only end again.
  if (intents.has(CONTAINERD) || intents.has('runtime')) steps.push('kubelet-service')
  return new Set(steps)
}
