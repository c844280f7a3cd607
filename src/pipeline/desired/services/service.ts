// Steps that keep a service: registered as wanted, running, and healthy for a while.
import {type Former, formerOf} from '../../../components/releases/predecessors.js'
import {type Daemon, logsOf, SERVED} from '../../../config/daemons.js'
import {serviceNotHealthy} from '../../../errors/health.js'
import {portOwnerUnknown} from '../../../errors/unhealthy-node.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import type {Host} from '../../../host/host.js'
import {notItsOwn} from '../../../host/local-server.js'
import type {ServiceSpec} from '../../../host/services/services.js'
import {isWin32} from '../../../host/services/stop.js'
import {waitFor} from '../../../host/wait.js'
import {mayBeOld, noteRead} from './configuration-read.js'
import {readDaemonWords, withKnown} from '../../run/known-failure.js'
import {drifted, type Finding, inPlace, missing, type StepContext, type StepId} from '../../run/step.js'
import {findFormer, isForeignService, removeForeignService, removeFormer} from '../adoption.js'
import {ensureFolder} from '../files/folder.js'
import {loneHalf} from './log-runner-pair.js'
import {demandBalancersMakeable} from '../network/proven-balancers.js'
import {callService, stopNamingPods, asRefusal, startService} from './stop-service.js'
import type {Kind, Things} from '../../ledger/kind.js'

/** Why a service with a configuration file differs from what setup left. */
export const NOT_RESTARTED = 'The service was changed, or it was not restarted since its configuration was written.'

export interface DesiredService {
  readonly daemon: Daemon
  /** The state of its process says nothing about the daemon; a later step judges by what the daemon creates. */
  readonly judgedByItsWork?: true
  /** Answers 200 while the daemon is healthy; undefined where there is no such address. */
  readonly health?: string
  /** Of an error of `responds`: whether it is the daemon that does not respond. Otherwise its state is unknown. */
  isSilence?(error: K8sWinError): boolean
  /** Rejects as long as the daemon does not respond, where it is not asked by HTTP. */
  responds?(host: Host): Promise<void>
  readonly spec: ServiceSpec
  /** The file of the program that shawl runs, where the state of the service must not stand for it. */
  readonly wrapped?: string
}

const HEALTH_MS = 5000
/** A daemon with an invalid configuration ends within seconds. */
const STABLE_MS = 5000
const HEALTHY_WITHIN_MS = 120_000
/** One that Windows has just started gets this time before it is restarted. */
const SILENT_MS = 30_000

export async function inspectService(context: StepContext, desired: DesiredService): Promise<Finding> {
  const {name} = desired.spec
  const changed = context.config.revivesOnly ? inPlace() : await inspectRegistration(context, desired)
  if (changed.state !== 'in-place') return changed
  const status = await context.host.services.status(name)
  if (status?.state !== 'running') return drifted(`${name} is ${status?.state ?? 'gone'}`)
  const half = await loneHalf(context, desired.daemon, status.processId)
  if (half) return drifted(`${name} runs ${half.alone} without ${half.missing}`)
  const problem = await healthProblem(context, desired)
  if (problem?.error && portOwnerUnknown.is(problem.error)) throw problem.error
  if (problem) return drifted(`${name} is running but ${problem.said}`)
  return inPlace(`${name} is running as configured`)
}

async function inspectRegistration(context: StepContext, desired: DesiredService): Promise<Finding> {
  const {name} = desired.spec
  const differences = await context.host.services.compare(desired.spec)
  if (differences === 'absent') return missing(`the service ${name} does not exist`)
  if (differences.length > 0) return drifted(...differences.map((difference) => `${name}: ${difference}`))
  if (await needsStart(context, desired)) return drifted(`${name} may be running with an older configuration`)
  if (context.config.adopt && !isClaimed(context, name)) return drifted(`${name} is not managed by k8s-win yet`)
  const former = await findFormer(context, formerFor(context, desired))
  return former.length > 0 ? drifted(...former) : inPlace()
}

export async function applyService(context: StepContext, step: StepId, desired: DesiredService): Promise<void> {
  const {spec} = desired
  const {services} = context.host
  const {revivesOnly = false} = context.config
  const differences = revivesOnly ? [] : await takeOver(context, step, desired)
  const status = await services.status(spec.name)
  const half = await loneHalf(context, desired.daemon, status?.processId ?? 0)
  const isUnread = await needsStart(context, desired)
  const isOutdated = differences === 'absent' || differences.length > 0 || isUnread
  const isSilent = !isOutdated && !half && status?.state === 'running' && (await staysSilent(context, desired))
  if (isOutdated || half || isSilent) {
    const isAffected = status?.state !== 'running' || differences === 'absent' || differences.some(concernsProcess)
    if (differences !== 'absent' && (isAffected || isUnread || half || isSilent)) {
      await demandBalancersMakeable(context, spec.name)
      // Not only stopped: a restart in between would continue with the previous configuration.
      const rest = (): Promise<void> => services[revivesOnly ? 'stop' : 'rest'](spec.name, context.signal)
      await stopNamingPods(context, spec.name, () => callService(spec.name, 'stopped', rest))
    }
    if (!revivesOnly) await callService(spec.name, 'registered', () => services.ensure(spec, context.signal))
    if (differences.length > 0) {
      context.changed(`${differences === 'absent' ? 'create' : 'change'} the service ${spec.name}`)
    } else if (half) context.changed(`stop the service ${spec.name}, which runs ${half.alone} without ${half.missing}`)
    else if (isSilent) context.changed(`stop the service ${spec.name}, which is running but does not respond`)
    else context.changed(`stop the service ${spec.name}, which may be running with an older configuration`)
  }

  const isDown = (await services.status(spec.name))?.state !== 'running'
  if (isDown) {
    context.progress({text: `starting ${spec.name}`})
    await begin(context, desired)
    context.changed(`start the service ${spec.name}`)
  }

  const {configuredBy} = desired.daemon
  if (configuredBy !== undefined && (isDown || !revivesOnly)) await noteRead(context.journal, configuredBy, spec.name)

  await waitUntilHealthy(context, desired)
}

/** What differs. */
async function takeOver(
  context: StepContext,
  step: StepId,
  desired: DesiredService,
): Promise<'absent' | readonly string[]> {
  const {name} = desired.spec
  if (await isForeignService(context, name)) await removeForeignService(context, name)
  await removeFormer(context, formerFor(context, desired))
  const differences = await context.host.services.compare(desired.spec)
  await claim(context, step, name)
  await ensureFolder(context, step, logsOf(context.config, desired.daemon))
  return differences
}

/** Of the kubelet only watch restarts one that hangs: it has seen for how long. */
async function staysSilent(context: StepContext, desired: DesiredService): Promise<boolean> {
  if (!desired.responds && !context.config.revivesOnly) return false
  const options = {deadlineMs: SILENT_MS, everyMs: 1000, signal: context.signal}
  let problem: Problem | undefined
  const responds = await waitFor(context.host.clock, options, async () => {
    problem = await healthProblem(context, desired)
    return problem === undefined ? true : undefined
  })
  if (problem?.error) throw problem.error
  // Nothing is stopped because an answer is missing.
  if (problem?.unknown) throw problem.unknown
  return !responds
}

/** Of a difference as `Services.compare` words it: the others are the service manager's alone, and a running process keeps running. */
export const concernsProcess = (difference: string): boolean =>
  /^(?:account|environment|imagePath) is /.test(difference)

/** A service of k8s-win may not be recorded, because the journal was lost. */
async function claim(context: StepContext, step: StepId, name: string): Promise<void> {
  const {config, host, journal} = context
  if (isClaimed(context, name)) return
  const isThere = (await host.services.status(name)) !== undefined
  if (isThere && !config.adopt && !(await host.services.isOurs(name))) return
  await journal.record(step, {kind: 'service', name})
  if (isThere) context.changed(`take over the service ${name}`)
}

const isClaimed = ({journal}: StepContext, name: string): boolean =>
  journal.all().some(({entry}) => entry.kind === 'service' && entry.name === name)

const needsStart = async (context: StepContext, {daemon: {configuredBy}, spec}: DesiredService): Promise<boolean> =>
  !context.config.revivesOnly && configuredBy !== undefined && mayBeOld(context, configuredBy, spec.name)

/** What another installation has in its place. */
const formerFor = ({config}: StepContext, {daemon}: DesiredService): Former => formerOf(config.baseDir, daemon)

/** A daemon that ends before it responds to the service manager makes the start fail: its log says why. */
async function begin(context: StepContext, desired: DesiredService): Promise<void> {
  const {name} = desired.spec
  try {
    await startService(context, name)
  } catch (error) {
    if (!isWin32(error, 1053, 1067)) throw asRefusal(name, 'started', error)
    throw await unhealthy(context, desired, `Its program exited at once (Windows error ${error.code}).`)
  }
}

/** Waits until it has run in one process for a while, and is healthy. */
export async function waitUntilHealthy(context: StepContext, desired: DesiredService): Promise<void> {
  const {clock, services} = context.host
  const {name} = desired.spec
  context.progress({text: `waiting for ${name} to become healthy`})
  let seen: {process?: string | undefined; restarts: number; since: number} = {restarts: -1, since: 0}
  let state = 'stopped'
  let problem: Problem | undefined
  const healthy = await waitFor(
    clock,
    {deadlineMs: HEALTHY_WITHIN_MS, everyMs: 1000, signal: context.signal},
    async () => {
      const status = await services.status(name)
      state = status?.state ?? 'gone'
      if (status?.state !== 'running') return undefined
      // shawl keeps running while its program exits and is restarted. An answer alone does not prove the program: it also
      // exits where another account has opened its pipe first, and answers there.
      const life = await services.life(name, desired.wrapped)
      const process = life && `${life.id} since ${life.since}`
      if (process !== seen.process) {
        seen = {process, restarts: seen.restarts + (process === undefined ? 0 : 1), since: clock.elapsed()}
      }
      if (process === undefined) return undefined

      const stable = desired.judgedByItsWork === true || clock.elapsed() - seen.since >= STABLE_MS
      problem = stable ? await healthProblem(context, desired) : undefined
      return stable && problem === undefined ? true : undefined
    },
  )
  if (healthy) return
  if (problem?.error) throw problem.error
  const reason =
    seen.restarts > 0
      ? `It was started again ${seen.restarts} times within ${HEALTHY_WITHIN_MS / 1000} s.`
      : `After ${HEALTHY_WITHIN_MS / 1000} s it is ${state}${state === 'running' && desired.health ? ` but ${desired.health} does not return 200` : ''}.`
  throw await unhealthy(context, desired, reason)
}

async function unhealthy(context: StepContext, desired: DesiredService, seen: string): Promise<Error> {
  const {known, logs, tail} = await readDaemonWords(context, desired.daemon)
  return withKnown(serviceNotHealthy({logs, seen, service: desired.spec.name, tail}), known)
}

interface Problem {
  /** Where no restart helps. */
  readonly error?: K8sWinError | undefined
  readonly said: string
  /** The daemon could not be asked. */
  readonly unknown?: K8sWinError | undefined
}

/** Undefined where it is healthy. */
async function healthProblem(
  {host}: StepContext,
  {daemon, health, isSilence, responds}: DesiredService,
): Promise<Problem | undefined> {
  if (health !== undefined) {
    const answer = await host.servers.health(daemon, health, {deadlineMs: HEALTH_MS})
    if (answer.state === 'ok') return undefined
    const error = notItsOwn(answer)
    return {error, said: error ? answer.said : `not healthy at ${health}`}
  }
  return responds?.(host).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof K8sWinError)) throw error
      const said = `does not respond: ${error.message}. ${error.reason}`
      return isSilence && !isSilence(error) ? {said, unknown: error} : {said}
    },
  )
}

const STEP_OF: Things = new Map(SERVED.map((daemon) => [daemon.service, daemon.step]))

export const service: Kind = {
  accepts: ({name}, step) => STEP_OF.get(name) === step,
  async remove({changed, host, journal, signal}, step) {
    for (const {name} of journal.entries(step, 'service')) {
      if (!(await host.services.isOurs(name))) continue
      await callService(name, 'removed', () => host.services.remove(name, signal))
      changed(`remove the service ${name}`)
    }
  },
}
