// What reset removes from the container runtime, while it runs: the kubelet's pods, and with --purge images.
import {crictlConfiguration} from '../../components/containerd.js'
import {CONTAINERD_DATA, layoutOf} from '../../config/layout.js'
import type {RuntimeName} from '../../config/model.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {containerdAbsent, containerdStopped, dockerStopped} from '../../errors/host.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import {whileServiceRuns} from '../../host/containerd/failure.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {waitFor} from '../../host/wait.js'
import {Win32Error} from '../../machine/win32.js'
import {applyFiles} from '../../pipeline/desired/files/file.js'
import {verifiedProgram} from '../../pipeline/desired/programs/programs.js'
import type {StepContext} from '../../pipeline/run/step.js'
import {shortList} from '../../pipeline/short-list.js'

const MOST_NAMES = 10
const STARTING_MS = 2 * 60_000
const RESPONDS_MS = 10_000
const CONFIG_STEP = 'containerd-config'

/** What one reset has found out about the runtime. */
export interface RuntimeFindings {
  /** Something that k8s-win did not create is in containerd's data, which therefore stays. */
  isShared: boolean
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
    const title = RUNTIME_TITLES[name]
    const isSilent = [dockerStopped, containerdStopped, containerdAbsent, containerdFailed].some((one) => one.is(error))
    const {isOurs} = context.config.containerd
    if (isSilent && !(await context.host.services.status(name)))
      return warn(
        name === 'containerd' && !isOurs
          ? leftIn(context)
          : `${title} is no longer installed on this host, so there is nothing to remove from it`,
      )
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
    const isIts = [containerdAbsent, containerdStopped, containerdFailed].some((one) => one.is(error))
    throw advice !== undefined && isIts ? failure.with({fix: `${advice}.`}) : failure
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

/** Without its configuration crictl fails, and nothing could be removed with it. */
async function restoreCrictlConfig(context: StepContext): Promise<void> {
  const {config, journal} = context
  const path = layoutOf(config.baseDir).containerd.crictlConfig
  if (!journal.entries(CONFIG_STEP, 'file').some((entry) => entry.path === path)) return
  await applyFiles(context, CONFIG_STEP, [{content: crictlConfiguration(config.containerd), path}])
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

export async function removeContainers(context: StepContext, findings: RuntimeFindings): Promise<void> {
  const {changed, host, journal, warn} = context
  const {runtime} = host
  if (runtime.name === 'containerd') await restoreCrictlConfig(context)
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

  const others = isUsed(context) && context.config.containerd.isOurs ? await host.containerd.others() : []
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
  if (!isUsed(context) || findings.isShared || !isDataOurs(context)) return
  const count = await host.containerd.removeImages()
  if (count > 0) changed(`remove ${count} more ${count === 1 ? 'image' : 'images'} of pods`)
}
