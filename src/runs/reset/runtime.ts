// What reset removes from the container runtime, while it runs: the kubelet's pods, and with --purge images.
import {win32} from 'node:path'
import {DAEMON} from '../../config/daemons.js'
import {CONTAINERD_DATA, CONTAINERD_ROOT, layoutOf} from '../../config/layout.js'
import {CONTAINERD, type RuntimeName} from '../../config/model.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {containerdAbsent, containerdStopped, dockerStopped} from '../../errors/host.js'
import {containerdKept} from '../../errors/reset.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import {whileServiceRuns} from '../../host/containerd/failure.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {waitFor} from '../../host/wait.js'
import {Win32Error} from '../../machine/win32.js'
import {verifiedProgram} from '../../pipeline/desired/programs/programs.js'
import type {Step, StepContext} from '../../pipeline/run/step.js'
import {shortList} from '../../pipeline/short-list.js'

const MOST_NAMES = 10
const STARTING_MS = 2 * 60_000
const RESPONDS_MS = 10_000
const LAYER = {deadlineMs: 10_000, everyMs: 1000}
/** Of containers and images (containerd, plugins/snapshots/windows). */
const SNAPSHOTS = win32.join(CONTAINERD_ROOT, 'io.containerd.snapshotter.v1.windows', 'snapshots')

/** What one reset has found out about the runtime. */
export interface RuntimeFindings {
  /** Ended as the last resort: its pods and images went without it. */
  isEnded: boolean
  /** What pods and images are removed with is whole. */
  isRestored: boolean
  /** Something that k8s-win did not create is in containerd's data, which therefore stays. */
  isShared: boolean
  /** With --purge: nothing of it is to stay. */
  readonly mayEnd: boolean
  readonly warned: Set<string>
}

/** containerd has answered before, so something may be in it. */
const isUsed = ({host, journal}: StepContext): boolean =>
  host.runtime.name === 'containerd' &&
  (journal.entries('kubelet-service', 'service').length > 0 ||
    journal.all().some(({step}) => step === 'base-images' || step === 'sandbox-image'))

const isDataOurs = ({journal}: StepContext): boolean => journal.entries('containerd-service', 'tree').length > 0

/** Without the runtime its containers and images are gone; one that is only stopped still has them. */
export async function withRuntime(
  context: StepContext,
  name: RuntimeName,
  findings: RuntimeFindings,
  work: () => Promise<void>,
): Promise<void> {
  const warn = (text: string): void => {
    if (!findings.warned.has(text)) context.warn(text)
    findings.warned.add(text)
  }
  try {
    await work()
  } catch (error) {
    if (findings.isEnded) return
    const title = RUNTIME_TITLES[name]
    const isSilent = [dockerStopped, containerdStopped, containerdAbsent, containerdFailed].some((one) => one.is(error))
    const {isOurs} = context.config.containerd
    if (isSilent && !(await context.host.services.status(name)))
      return warn(
        name === 'containerd' && !isOurs
          ? leftIn(context)
          : `${title} is no longer installed on this host, so there is nothing to remove from it`,
      )
    if (name === 'containerd' && (await isLost(context, findings, error)))
      return endAsLastResort(context, findings, warn)
    const isRunning = (await context.host.services.status(name))?.state === 'running'
    const advice = name === 'containerd' && !isOurs ? await adviceOfForeign(context, isRunning) : undefined
    if (name === 'containerd' && !context.signal.aborted)
      warn(
        advice === undefined
          ? 'containerd and what its pods need are kept, because pods or images could not be removed. If containerd does not recover, delete its service ("net stop containerd", "sc.exe delete containerd") and run reset again'
          : `what pods need is kept, because pods or images could not be removed from the containerd of this host. ${advice}`,
      )
    if (!(error instanceof K8sWinError)) throw error
    const failure = isRunning ? whileServiceRuns(error) : error
    throw advice !== undefined && isOfContainerd(error) ? failure.with({fix: `${advice}.`}) : failure
  }
}

const isOfContainerd = (error: unknown): boolean =>
  [containerdAbsent, containerdStopped, containerdFailed].some((one) => one.is(error))

/**
 * k8s-win's own containerd with its own data, of which nothing is to stay: what it needs cannot be restored, or it does not
 * respond, although it was started.
 */
async function isLost(context: StepContext, findings: RuntimeFindings, error: unknown): Promise<boolean> {
  const {config, host, signal} = context
  const isOurs = config.containerd.isOurs && isDataOurs(context) && (await host.services.isOurs(CONTAINERD))
  if (!isOurs || !findings.mayEnd || findings.isShared || !isOfContainerd(error) || signal.aborted) return false
  if (!findings.isRestored) return true
  return host.containerd.version(RESPONDS_MS).then(() => false, isOfContainerd)
}

/** Where nothing else removes its pods and images. Their endpoints go with the network. */
async function endAsLastResort(
  context: StepContext,
  findings: RuntimeFindings,
  warn: (text: string) => void,
): Promise<void> {
  try {
    await endContainerd(context)
  } catch (error) {
    if (context.signal.aborted || !(error instanceof K8sWinError || error instanceof Win32Error)) throw error
    throw containerdKept({reason: error.message}, {cause: error})
  }

  findings.isEnded = true
  warn(
    'containerd could not be restored, so its pods could not be removed through it: it was ended with them, and its images are removed without it',
  )
}

async function endContainerd({changed, config, host, signal, warn}: StepContext): Promise<void> {
  const {clock, files, remains, services} = host
  // Its wrapper would start it again.
  await services.rest(CONTAINERD, signal, 'demand')
  const folder = win32.dirname(layoutOf(config.baseDir).containerd.program)
  const {program, runs = []} = DAEMON.containerd
  for (const name of [program, ...runs]) {
    const path = win32.join(folder, `${name}.exe`)
    const {denied, ended} = await remains.endProgram(path)
    if (ended > 0) changed(`end ${ended} ${ended === 1 ? 'process' : 'processes'} of ${path}`)
    if (denied.length > 0)
      warn(
        `not ended, because Windows denies access to them: ${shortList(
          denied.map((id) => `${name}.exe (PID ${id})`),
          MOST_NAMES,
        )}`,
      )
  }

  const layers = (await files.status(SNAPSHOTS)) ? await files.list(SNAPSHOTS) : []
  for (const layer of layers) {
    const path = win32.join(SNAPSHOTS, layer)
    if ((await files.status(path))?.kind !== 'directory') continue
    // What ended a moment ago may hold it yet.
    let refusal: unknown
    const isGone = await waitFor(clock, {...LAYER, signal}, () =>
      remains.destroyLayer(path).then(
        () => true as const,
        (error: unknown) => void (refusal = error),
      ),
    )
    if (!isGone) throw refusal as Error
  }

  if (layers.length > 0) changed(`remove ${layers.length} ${layers.length === 1 ? 'layer' : 'layers'} of ${SNAPSHOTS}`)
}

/** Whoever removed its service may have kept its data, and only it can remove something from there. */
function leftIn({config: {containerd}, journal}: StepContext): string {
  const lines = journal.all().map(({entry}) => entry)
  const images = new Set(
    lines.flatMap((entry) => (entry.kind === 'image-pull' || entry.kind === 'image-tag' ? [entry.reference] : [])),
  )
  const what =
    images.size === 0 ? 'Pods of this node stay' : `Pods of this node and the images ${[...images].join(', ')} stay`
  return `the service ${containerd.service} of this host no longer exists, so nothing was removed from its containerd. ${what} in ${containerd.data}, if that was not removed`
}

/** It is the user's: k8s-win neither restarts nor removes it, and does not know its log. */
async function adviceOfForeign(context: StepContext, isRunning: boolean): Promise<string> {
  const {ctr, service} = context.config.containerd
  if (!(await context.host.files.status(ctr))) return `Restore ${ctr} and run reset again`
  if (await isCrictlChanged(context))
    return 'Run "k8s-win setup", which installs crictl again, and then run reset again'
  return isRunning
    ? `Check its log and the free space of its disk; if it hangs, restart its service ("net stop ${pasted(service)}", then "net start ${pasted(service)}"). Then run reset again`
    : `Start its service ("net start ${pasted(service)}") and run reset again`
}

/** Deleted, or replaced by another program. */
async function isCrictlChanged({config, host, journal}: StepContext): Promise<boolean> {
  const {crictl} = layoutOf(config.baseDir).containerd
  if (!(await host.files.status(crictl))) return true
  const recorded = verifiedProgram(journal, 'containerd-binaries', crictl)
  return recorded !== undefined && (await host.files.digest(crictl, 'sha256')) !== recorded.sha256
}

/**
 * Somebody may have deleted what pods and images are removed with. Whatever cannot be brought back is missed by what needs
 * it. containerd has to read it before.
 */
async function restoreNeeds(context: StepContext, findings: RuntimeFindings, needs: readonly Step[]): Promise<void> {
  const {host, signal, warn} = context
  const restored: string[] = []
  const changed = (what: string): void => {
    restored.push(what)
    context.changed(what)
  }
  for (const {restore, title} of needs) {
    try {
      await restore?.({...context, changed})
    } catch (error) {
      if (!(error instanceof K8sWinError) || signal.aborted) throw error
      findings.isRestored = false
      warn(`a part of "${title}" was deleted and cannot be restored (${error.message}: ${error.reason})`)
    }
  }

  if (restored.length === 0 || !(await host.services.isOurs(host.runtime.name))) return
  const isReady = (): Promise<true | undefined> =>
    host.containerd.info(RESPONDS_MS).then(
      ({conditions}) => conditions.every(({isMet}) => isMet) || undefined,
      () => undefined,
    )
  const isRead = await waitFor(host.clock, {deadlineMs: RESPONDS_MS, everyMs: 1000, signal}, isReady)
  if (!isRead) await host.services.rest(host.runtime.name, signal, 'demand')
}

/**
 * For pods and images: an earlier reset may have stopped it, a user disabled it, or it hangs. One that does not start is
 * reported by what needs it.
 */
async function startOwnRuntime({host, progress, signal}: StepContext): Promise<void> {
  const {clock, containerd, runtime, services} = host
  const state = async (): Promise<string | undefined> => (await services.status(runtime.name))?.state
  if (runtime.name === 'docker' || !(await services.isOurs(runtime.name))) return
  const isSilent = (): Promise<boolean> =>
    containerd.version(RESPONDS_MS).then(
      () => false,
      (error: unknown) => containerdStopped.is(error) || containerdFailed.is(error),
    )
  if ((await state()) === 'running' && !(await isSilent())) return
  progress({text: `waiting for ${runtime.name} to start`})
  await services.rest(runtime.name, signal, 'demand')
  await services.start(runtime.name, signal).catch((error: unknown) => {
    if (!(error instanceof Win32Error)) throw error
  })
  await waitFor(clock, {deadlineMs: STARTING_MS, everyMs: 1000, signal}, async () =>
    (await state()) === 'stopped' ? 'stopped' : runtime.version().catch(() => undefined),
  )
}

/** `needs`: steps without which nothing can be removed, first what needs the others. */
export async function removeContainers(
  context: StepContext,
  findings: RuntimeFindings,
  needs: readonly Step[],
): Promise<void> {
  const {changed, config, host, journal, warn} = context
  const {runtime} = host
  if (isUsed(context) && (await host.services.status(config.containerd.service)))
    await restoreNeeds(context, findings, needs)
  // When it starts, it creates the folder of its CNI configuration, which an earlier reset may have removed.
  if (isUsed(context)) await startOwnRuntime(context)
  if (journal.entries('kubelet-service', 'service').length > 0) {
    const {running} = await runtime.pods()
    const count = await runtime.removePods()
    // Running containers are named, because their loss matters.
    const live =
      running.length === 0
        ? ''
        : `, of which ${running.length} ${running.length === 1 ? 'is' : 'are'} running: ${running.join(', ')}`
    if (count > 0) changed(`remove ${count} ${count === 1 ? 'container' : 'containers'} of pods${live}`)
  }

  const others = isUsed(context) && config.containerd.isOurs ? await host.containerd.others() : []
  if (others.length === 0) return
  findings.isShared = true
  warn(
    `${CONTAINERD_DATA} is kept because containerd has what k8s-win did not create: ${shortList(others, MOST_NAMES)}`,
  )
}

/**
 * Every image that a pod used, before the folder that they are in: containerd also removes their snapshots, which Windows
 * does not always let others delete (microsoft/hcsshim, DestroyLayer).
 */
export async function removeRemainingImages(context: StepContext, findings: RuntimeFindings): Promise<void> {
  const {changed, host} = context
  if (!isUsed(context) || findings.isEnded || findings.isShared || !isDataOurs(context)) return
  const count = await host.containerd.removeImages()
  if (count > 0) changed(`remove ${count} more ${count === 1 ? 'image' : 'images'} of pods`)
}
