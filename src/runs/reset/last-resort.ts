// The own containerd of a node cannot be used any more: with --purge it is ended, and its images are removed without it, as
// far as only the kubelet and k8s-win have something in it.
import {win32} from 'node:path'
import {DAEMON} from '../../config/daemons.js'
import {CONTAINERD_DATA, layoutOf} from '../../config/layout.js'
import {CONTAINERD} from '../../config/model.js'
import {containerdKept, containerdShared} from '../../errors/reset.js'
import {containerdFailed} from '../../errors/downloads-and-images.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {othersInDatabase, SNAPSHOTS} from '../../host/containerd/database.js'
import type {Host} from '../../host/host.js'
import {waitFor} from '../../host/wait.js'
import {Win32Error} from '../../machine/win32.js'
import type {StepContext} from '../../pipeline/run/step.js'
import {shortList} from '../../pipeline/short-list.js'
import {
  isDataOurs,
  isOfContainerd,
  isShared,
  isUsed,
  MOST_NAMES,
  newFindings,
  type RuntimeFindings,
} from './runtime-findings.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal'>

const RESPONDS_MS = 10_000
const LAYER = {deadlineMs: 10_000, everyMs: 1000}

/**
 * k8s-win's own containerd with its own data, of which nothing is to stay: what it needs cannot be restored, or it does not
 * respond, although it was started.
 */
export async function isLost(context: StepContext, findings: RuntimeFindings, error: unknown): Promise<boolean> {
  if (isShared(findings) || !isOfContainerd(error) || context.signal.aborted) return false
  if (!(await mayBeEnded(context, findings))) return false
  return !findings.isRestored || !(await responds(context.host))
}

const mayBeEnded = async (context: Context, {mayEnd}: RuntimeFindings): Promise<boolean> =>
  mayEnd && context.config.containerd.isOurs && isDataOurs(context) && context.host.services.isOurs(CONTAINERD)

const responds = ({containerd}: Host): Promise<boolean> =>
  containerd.version(RESPONDS_MS).then(
    () => true,
    (error: unknown) => !isOfContainerd(error),
  )

/** For the plan, and the question: undefined where containerd can be used. */
export async function planLastResort(context: Context, findings: RuntimeFindings): Promise<string | undefined> {
  if (!isUsed(context) || !(await mayBeEnded(context, findings))) return undefined
  if (!findings.isMissing && (await responds(context.host))) return undefined
  const before = 'if containerd cannot be used, although what is missing was restored and it was started'
  try {
    // What the twin has in its containerd is not what the host has.
    await demandNoOthers(context.host, newFindings(findings.mayEnd))
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    return `${before}: keep it and end with exit code 7. ${error.reason}`
  }

  const layers = await layersOf(context.host)
  return `${before}: end it with everything that runs in it, and remove its images without it (${countOf(layers, 'layer')} of ${SNAPSHOTS})`
}

/** Their endpoints go with the network. */
export async function endAsLastResort(context: StepContext, findings: RuntimeFindings): Promise<void> {
  await demandNoOthers(context.host, findings)
  try {
    await endContainerd(context)
  } catch (error) {
    if (context.signal.aborted || !(error instanceof K8sWinError || error instanceof Win32Error)) throw error
    throw containerdKept({reason: error.message}, {cause: error})
  }

  findings.isEnded = true
}

/** Whoever has something in containerd's data loses it with the data. */
async function demandNoOthers({files}: Host, findings: RuntimeFindings): Promise<void> {
  await findOthers(files, findings)
  if (isShared(findings)) throw containerdShared({others: shortList(findings.others ?? [], MOST_NAMES)})
}

/** Its database is read where containerd itself was not asked. */
async function findOthers(files: Host['files'], findings: RuntimeFindings): Promise<void> {
  try {
    findings.others ??= await othersInDatabase(files)
  } catch (error) {
    if (!(error instanceof K8sWinError) || !containerdFailed.is(error)) throw error
    throw containerdShared({others: `unknown (${error.message}: ${error.reason})`}, {cause: error})
  }
}

/** Whether containerd's data stays, which is said once. Asked before its service is removed: without it nobody could ask. */
export async function keepsData(context: StepContext, findings: RuntimeFindings): Promise<boolean> {
  if (!isDataOurs(context)) return false
  await findOthers(context.host.files, findings)
  warnOfOthers(context, findings)
  return isShared(findings)
}

export function warnOfOthers({warn}: Pick<StepContext, 'warn'>, {others = [], warned}: RuntimeFindings): void {
  const text = `${CONTAINERD_DATA} is kept because containerd has what k8s-win did not create: ${shortList(others, MOST_NAMES)}`
  if (others.length > 0 && !warned.has(text)) warn(text)
  warned.add(text)
}

async function endContainerd({changed, config, host, signal, warn}: StepContext): Promise<void> {
  const {clock, remains, services} = host
  // Its wrapper would start it again.
  await services.rest(CONTAINERD, signal, 'demand')
  const folder = win32.dirname(layoutOf(config.baseDir).containerd.program)
  const {program, runs = []} = DAEMON.containerd
  for (const name of [program, ...runs]) {
    const path = win32.join(folder, `${name}.exe`)
    const {denied, ended} = await remains.endProgram(path)
    if (ended > 0) changed(`end ${ended} ${ended === 1 ? 'process' : 'processes'} of ${path}`)
    const left = denied.map((id) => `${name}.exe (PID ${id})`)
    if (left.length > 0) warn(`not ended, because Windows denies access to them: ${shortList(left, MOST_NAMES)}`)
  }

  const layers = await layersOf(host)
  for (const path of layers) {
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

  if (layers.length > 0) changed(`remove ${countOf(layers, 'layer')} of ${SNAPSHOTS}`)
}

/** Folders only. */
async function layersOf({files}: Host): Promise<string[]> {
  const paths = (await files.list(SNAPSHOTS)).map((name) => win32.join(SNAPSHOTS, name))
  const kinds = await Promise.all(paths.map(async (path) => (await files.status(path))?.kind))
  return paths.filter((_, index) => kinds[index] === 'directory')
}

const countOf = (all: readonly unknown[], what: string): string => `${all.length} ${what}${all.length === 1 ? '' : 's'}`
