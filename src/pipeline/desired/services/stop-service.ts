// Starting and stopping services, with known refusals of the service manager as errors.
import {win32} from 'node:path'
import {DAEMON, DAEMONS} from '../../../config/daemons.js'
import {CONTAINERD_ROOT} from '../../../config/layout.js'
import {CONTAINERD, type ContainerdPlace, FLANNELD, KUBELET} from '../../../config/model.js'
import {runtimeKept} from '../../../errors/health.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import {serviceRefused} from '../../../errors/windows.js'
import {pasted} from '../../../errors/define.js'
import {type ProcessPath, Win32Error} from '../../../machine/win32.js'
import type {MachineEnvironment} from '../../../host/environment.js'
import type {Services} from '../../../host/services/services.js'
import {recognise} from '../../../signatures/index.js'
import type {StepContext} from '../../run/step.js'
import {shortList} from '../../short-list.js'
import {nodeCluster} from '../cluster/node-cluster.js'
import {demandBalancersMakeable, demandBalancersMakeableLater} from '../network/proven-balancers.js'

/** Unknown refusals are returned as they are. */
export function asRefusal(service: string, operation: string, error: unknown): unknown {
  if (!(error instanceof Win32Error)) return error
  const known = recognise(String(error.code), 'service-manager')
  if (!known) return error
  const meaning = known.cause.replace(/\.$/, '')
  const remedy = known.fix.replaceAll('<service>', service)
  return serviceRefused({code: String(error.code), meaning, operation, remedy, service}, {cause: error})
}

const SERVICES: readonly string[] = DAEMONS.map(({service}) => service)

export async function callService(service: string, operation: string, call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    throw asRefusal(service, operation, error)
  }
}

/** Starts a service of k8s-win, and again those that were stopped together with it. */
export async function startService({changed, host, signal, warn}: StepContext, name: string): Promise<void> {
  await host.services.start(name, signal)
  const {failed, started} = await host.services.startAgain(SERVICES)
  for (const one of started) changed(`start the service ${one} again, which was stopped together with ${name}`)
  for (const one of failed)
    warn(`the service ${one} was stopped together with ${name} and does not start again. Run: net start ${pasted(one)}`)
}

/** Stops a service of k8s-win, and starts it again. */
export async function restartService(context: StepContext, name: string): Promise<void> {
  await demandBalancersMakeable(context, name)
  await context.host.services.stop(name, context.signal)
  await startService(context, name)
}

type Stopping = Pick<StepContext, 'config' | 'host' | 'progress' | 'signal' | 'warn'>

/** Stops a service for good. One not created by k8s-win is left alone, unless it is adopted. */
export const restService = (context: Stopping, name: string, startType?: 'demand'): Promise<void> =>
  stopWith(context, name, () => context.host.services.rest(name, context.signal, startType))

/** Stops it until it is started, by a command or with Windows. */
export const haltService = (context: Stopping, name: string): Promise<void> =>
  stopWith(context, name, () => context.host.services.halt(name, context.signal))

async function stopWith(
  {config, host, progress, warn}: Stopping,
  name: string,
  stop: () => Promise<void>,
): Promise<void> {
  if (!config.adopt && !(await host.services.isOurs(name))) return
  const before = host.services.stopped()
  progress({text: `waiting for the service ${name} to stop`})
  await callService(name, 'stopped', stop)
  for (const one of host.services.stopped()) {
    if (!before.includes(one) && !SERVICES.includes(one.toLowerCase()))
      warn(`the service ${one} was stopped, because it depends on ${name}`)
  }
}

/**
 * Stops a service that is about to be removed. A restart of Windows before its removal must not start it: it would create
 * what was removed already, like the node object and its network, and no record would say that k8s-win created them.
 */
export const retireService = (context: StepContext, name: string): Promise<void> => restService(context, name, 'demand')

/**
 * Before the kubelet registers a node that the cluster does not have: a flanneld that waits for it would create its network
 * then, which would cut off what is still being downloaded. Its own step starts it when that is done.
 */
export async function stopWaitingFlanneld(context: StepContext): Promise<void> {
  const isRunning = async (): Promise<boolean> => (await context.host.services.status(FLANNELD))?.state === 'running'
  if (!(await isRunning())) return
  await restService(context, FLANNELD)
  if (!(await isRunning())) context.changed(`stop the service ${FLANNELD} until the node is registered`)
}

/**
 * Stops a service whose program changes. Every pod runs containerd's shim, which Windows does not replace meanwhile: so the
 * kubelet stops, which would start pods again, then the pods are removed, and then containerd stops. A restart of Windows
 * must not start a newer one before it is recorded that it opens its root.
 */
export async function restForChange(context: StepContext, name: string): Promise<void> {
  await demandBalancersMakeableLater(context, name)
  if (name !== CONTAINERD) return restService(context, name)
  if (context.config.endsPods === false) await podsToEnd(context, name)
  await restService(context, KUBELET)
  await stopNamingPods(context, name, async (pods) => {
    if (pods && pods.length > 0) await context.host.runtime.removePods()
    await restService(context, name, 'demand')
  })
}

/**
 * Stopping containerd ends the pods, so they are named (docs/facts.md#a-node-with-containerd). `stop` is called with them;
 * with undefined where containerd does not respond.
 */
export async function stopNamingPods(
  context: StepContext,
  name: string,
  stop: (pods: readonly string[] | undefined) => Promise<void>,
): Promise<void> {
  const pods = await podsToEnd(context, name)
  await stop(pods)
  if (pods?.length !== 0) context.changed(podsEndedText(pods))
}

/** Undefined where containerd does not respond. */
export const podsEndedText = (pods: readonly string[] | undefined): string =>
  `end what runs in containerd, of which the kubelet starts its pods again${pods ? `: ${shortList(pods)}` : ' (containerd could not list them)'}`

/**
 * Throws where they may not be ended. The state of its service says nothing: that is the wrapper's. One that does not respond
 * cannot list them: each pod has a shim, so none runs without one; otherwise they are those that the cluster has on this node.
 */
export async function podsToEnd(
  context: StepContext,
  name: string,
  refused: (parameters: {pods: string; service: string}) => Error = runtimeKept,
): Promise<readonly string[] | undefined> {
  const {config, host} = context
  const isContainerd = [CONTAINERD, config.containerd.service].includes(name)
  const {state = 'stopped'} = (await host.services.status(name)) ?? {}
  if (!isContainerd || state === 'stopped') return []
  const pods = await unlessRefused(() => runningIn(context))
  if (pods?.length === 0 || (pods === undefined && (await hasNoShims(host, config.containerd)))) return []
  if (config.endsPods !== false) return pods
  const known = pods ?? (await unlessRefused(async () => podsOfNode(context)))
  throw refused({
    pods: known && known.length > 0 ? shortList(known) : 'unknown, as neither it nor the cluster lists them',
    service: name,
  })
}

/** The kubelet's pods, and in a containerd that k8s-win installed what others run there. */
async function runningIn({config, host}: StepContext): Promise<readonly string[]> {
  const {running} = await host.runtime.pods()
  return config.containerd.isOurs ? [...running, ...(await host.containerd.runningOthers())] : running
}

/** containerd looks for its shims in Path, before which it puts this folder (plugins/services/opt), and beside itself. */
const OPT_BIN = win32.join(CONTAINERD_ROOT, 'opt', 'bin')
const SHIMS: readonly string[] = DAEMON.containerd.runs.map((program) => `${program}.exe`)

interface ProcessCalls {
  readonly environment: Pick<MachineEnvironment, 'isOnPath'>
  readonly services: Pick<Services, 'processes' | 'processPaths'>
}

/**
 * None that this containerd may have started; one whose path Windows denies may be one. Any account can run a program of their
 * name. A list without a single process is no answer.
 */
export async function hasNoShims(
  {environment, services}: ProcessCalls,
  {program}: Pick<ContainerdPlace, 'program'>,
): Promise<boolean> {
  const running = (await unlessRefused(services.processes)) ?? []
  if (running.length === 0) return false
  const own = [win32.dirname(program), OPT_BIN].map((folder) => folder.toLowerCase())
  const mayBeShim = async ({path}: ProcessPath): Promise<boolean> => {
    if (path === undefined) return true
    const folder = win32.dirname(path).toLowerCase()
    return own.includes(folder) || environment.isOnPath(folder)
  }
  const judged = await unlessRefused(async () => {
    const named = SHIMS.filter((shim) => running.some(({name}) => name.toLowerCase() === shim))
    const found = (await Promise.all(named.map((name) => services.processPaths(name)))).flat()
    return Promise.all(found.map(mayBeShim))
  })
  return judged !== undefined && !judged.includes(true)
}

const podsOfNode = async (context: StepContext): Promise<string[]> =>
  (await (await nodeCluster(context)).podsOf(context.config.nodeName)).map(
    ({name, namespace}) => `${namespace}/${name}`,
  )

async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof K8sWinError || error instanceof Win32Error) return undefined
    throw error
  }
}
