// The judgement of a node as time passes, without a host: what is seen is a function of the time.
import {daemonsOf} from '../../../src/config/daemons.js'
import type {Decided} from '../../../src/config/model.js'
import {serviceNotHealthy} from '../../../src/errors/health.js'
import type {StepId} from '../../../src/config/step-ids.js'
import type {ServiceConfig, ServiceStatus} from '../../../src/machine/win32.js'
import {
  afterRepair,
  type Circumstances,
  type DueRepair,
  judge,
  type Judgement,
  type Memory,
  NOTHING_KNOWN,
  withRepair,
} from '../../../src/runs/watch/judge.js'
import {HNS, othersRuntime, type Seen} from '../../../src/runs/watch/observe.js'
import {setupConfig} from '../../fixtures/setup-config.js'

export const DOCKER = setupConfig({release: '1.22.17'})
export const CONTAINERD = setupConfig({release: '1.32.0'})

export const MINUTE = 60_000
const POLL_MS = 2000
/** A multiple of how often it polls. */
const POLLS = 8
/** Between two whole looks. */
export const WHOLE_MS = POLLS * POLL_MS

const SERVICE: ServiceConfig = {
  account: 'LocalSystem',
  dependencies: [],
  description: '',
  displayName: '',
  failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: [5000, 10_000, 30_000]},
  failureFlag: true,
  imagePath: '',
  startType: 'automatic',
}

export const running = (processId = 1000): ServiceStatus => ({
  processId,
  serviceExitCode: 0,
  state: 'running',
  win32ExitCode: 0,
})

export const stopped = (win32ExitCode: number): ServiceStatus => ({
  processId: 0,
  serviceExitCode: 0,
  state: 'stopped',
  win32ExitCode,
})

/** A node on which everything is well. */
export function well(config: Decided, at = 0) {
  const daemons = daemonsOf(config)
  const names = [...daemons.map(({service}) => service as string), HNS, ...[othersRuntime(config) ?? []].flat()]
  const all = <T>(value: T, of = names): Record<string, T> => Object.fromEntries(of.map((name) => [name, value]))
  return {
    at,
    configs: all(SERVICE),
    health: all(
      {said: '', state: 'ok' as const},
      daemons.flatMap(({health, service}) => (health ? service : [])),
    ),
    hns: {balancers: ['10.96.0.1:443/6', '10.96.0.10:53/17'], overlay: {subnet: '10.244.3.0/24'}, vip: '10.244.3.2'},
    lives: all({id: 1000, since: -3_600_000}),
    lost: [],
    stamp: 'as set up',
    states: all<ServiceStatus | undefined>(running()),
  } satisfies Seen
}

/** With other states of services. */
export const withStates = (seen: Seen, states: Readonly<Record<string, ServiceStatus | undefined>>): Seen => ({
  ...seen,
  states: {...seen.states, ...states},
})

export const withStartType = (seen: Seen, name: string, startType: ServiceConfig['startType']): Seen => ({
  ...seen,
  configs: {...seen.configs, [name]: {...SERVICE, startType}},
})

export interface Followed {
  readonly givenUp: {readonly at: number; readonly what: string}[]
  readonly last: Judgement
  readonly repairs: (DueRepair & {readonly at: number})[]
}

interface Plot {
  /** The repair works, whatever is seen then; `idle`: it has found nothing to change. */
  readonly ends?: (due: DueRepair, at: number) => 'done' | 'failed' | 'idle' | 'refused' | 'silent'
  readonly isHeld?: (at: number) => boolean
  readonly memory?: Memory
  /** The steps of a repair that is in progress. */
  readonly repairing?: (at: number) => readonly StepId[] | undefined
  readonly seenAt: (at: number) => Seen
  /** How long a repair takes. */
  readonly takesMs?: number
}

export function follow(
  config: Decided,
  {
    ends = () => 'failed',
    isHeld = () => false,
    memory: before = NOTHING_KNOWN,
    repairing = () => undefined,
    seenAt,
    takesMs = 0,
  }: Plot,
  ms: number,
  pollMs = POLL_MS,
): Followed {
  const [givenUp, repairs]: [Followed['givenUp'], Followed['repairs']] = [[], []]
  let memory = before
  let doing: {readonly due: DueRepair; readonly until: number} | undefined
  const finish = (due: DueRepair, at: number): void => {
    const end = ends(due, at)
    const error = serviceNotHealthy({logs: '', seen: '', service: '', tail: ''})
    const outcome = {isIdle: end === 'idle', isRefused: end === 'refused', isSilent: end === 'silent'}
    const failure = end === 'failed' ? {error} : {}
    memory = afterRepair(memory, due, {...outcome, ...failure}, at)
    doing = undefined
  }
  for (let at = 0; ; at += pollMs) {
    const seen = seenAt(at)
    if (doing && at >= doing.until) finish(doing.due, at)
    const steps = doing?.due.steps ?? repairing(at)
    const around: Circumstances = {config, isHeld: isHeld(at), random: 0.5, repairing: steps, time: at}
    const last = judge(at % (POLLS * pollMs) === 0 ? seen : {...seen, lives: undefined}, memory, around)
    memory = last.memory
    givenUp.push(...last.givenUp.map(({what}) => ({at, what})))
    if (last.due) {
      repairs.push({...last.due, at})
      memory = withRepair(memory, last.due, at)
      doing = {due: last.due, until: at + takesMs}
      if (takesMs === 0) finish(last.due, at)
    }
    if (at >= ms) return {givenUp, last, repairs}
  }
}
