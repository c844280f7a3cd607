// What reset removes from the container runtime, while it runs: the kubelet's pods, and with --purge images.
import {layoutOf} from '../../config/layout.js'
import type {RuntimeName} from '../../config/model.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {containerdAbsent, containerdStopped, dockerStopped} from '../../errors/host.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import {whileServiceRuns} from '../../host/containerd/failure.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {waitFor} from '../../host/wait.js'
import {Win32Error} from '../../machine/win32.js'
import {verifiedProgram} from '../../pipeline/desired/programs/programs.js'
import type {Step, StepContext} from '../../pipeline/run/step.js'
import {shortList} from '../../pipeline/short-list.js'
import {endAsLastResort, isLost, warnOfOthers} from './last-resort.js'
import {isDataOurs, isOfContainerd, isShared, isUsed, MOST_NAMES, type RuntimeFindings} from './runtime-findings.js'

const STARTING_MS = 2 * 60_000
const RESPONDS_MS = 10_000

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
    if (findings.isEnded && isOfContainerd(error)) return
    if (findings.isEnded) throw error
    const title = RUNTIME_TITLES[name]
    const isSilent = [dockerStopped, containerdStopped, containerdAbsent, containerdFailed].some((one) => one.is(error))
    const {isOurs} = context.config.containerd
    if (isSilent && !(await context.host.services.status(name)))
      return warn(
        name === 'containerd' && !isOurs
          ? leftIn(context)
          : `${title} is no longer installed on this host, so there is nothing to remove from it`,
      )
    if (name === 'containerd' && (await isLost(context, findings, error))) {
      await endAsLastResort(context, findings)
      return warn(
        'containerd could not be restored, so its pods could not be removed through it: it was ended with them, and its images are removed without it',
      )
    }

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
      if (restored.length > 0) findings.isMissing = true
    } catch (error) {
      if (!(error instanceof K8sWinError) || signal.aborted) throw error
      findings.isMissing = true
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
  const {changed, config, host, journal} = context
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

  if (!isUsed(context) || !config.containerd.isOurs) return
  const ending = await host.containerd.runningOthers()
  if (ending.length > 0) changed(`end what k8s-win did not create: ${shortList(ending, MOST_NAMES)}`)
  findings.others = await host.containerd.others()
  warnOfOthers(context, findings)
}

/**
 * Every image that a pod used, before the folder that they are in: containerd also removes their snapshots, which Windows
 * does not always let others delete (microsoft/hcsshim, DestroyLayer).
 */
export async function removeRemainingImages(context: StepContext, findings: RuntimeFindings): Promise<void> {
  const {changed, host} = context
  if (!isUsed(context) || findings.isEnded || isShared(findings) || !isDataOurs(context)) return
  const count = await host.containerd.removeImages()
  if (count > 0) changed(`remove ${count} more ${count === 1 ? 'image' : 'images'} of pods`)
}
