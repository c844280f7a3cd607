// What was changed on the node: the drift of all steps and the checks of status, without the cluster. Only reported.
import {DAEMONS, hasOwnContainerd} from '../../config/daemons.js'
import {CONTAINERD} from '../../config/model.js'
import {imageMissing, nodeAddressLost, serviceMissing} from '../../errors/unhealthy-node.js'
import {isSilence} from '../../health/root-cause.js'
import {HttpError} from '../../machine/http.js'
import {interceptMachine, readOnlyMachine, rememberingMachine} from '../../machine/intercept.js'
import type {Machine} from '../../machine/machine.js'
import {createRedactor} from '../../output/text/redact.js'
import {isBaseImage} from '../../pipeline/desired/containers/image.js'
import {problemText, type StatusArea, type StatusProblem} from '../../pipeline/run/status-report.js'
import {runPhases, type Session} from '../run.js'
import type {LockHolder} from '../run-lock.js'
import {CHECK_NODE, type HealthInput, type NodeRun} from '../status/node-health.js'
import {problemFor} from './child.js'
import type {ChildOutcome} from './model.js'

/** The exit code of status. */
const DEGRADED = 8

export interface ChildInput extends Pick<Session, 'assets' | 'machine' | 'signal'> {
  readonly baseDir: string
  /** Of this process. */
  readonly caller: Pick<LockHolder, 'processId' | 'user'>
}

/** Rejects with a ProblemsError for what is wrong with the base directory, and when the signal is aborted. */
export async function runInspect({assets, baseDir, machine, signal}: ChildInput): Promise<ChildOutcome> {
  const input: HealthInput = {
    assets,
    baseDir,
    environment: {},
    machine: rememberingMachine(readOnlyMachine(offlineMachine(machine))),
    redactor: createRedactor(),
    signal,
    typed: (name) => `k8s-win ${name}`,
  }
  const run = {...input, isOffline: true, phase: '', reviews: 'none'} as NodeRun
  await runPhases(CHECK_NODE, run)
  const found = run.health?.roots ?? run.known.problems
  const runtime = hasOwnContainerd(run.known.config) ? CONTAINERD : 'runtime'
  const problems = found.filter(isReported).map((one) => {
    const {area, id, next: fix, subject} = one
    const component = componentOf(subject, area)
    const isRuntime = [CONTAINERD, 'runtime'].includes(component)
    return problemFor({fix, id, message: problemText(one)}, isRuntime ? runtime : component)
  })
  return {changed: 0, exitCode: problems.length > 0 ? DEGRADED : 0, problems}
}

const offlineMachine = (machine: Machine): Machine =>
  interceptMachine(machine, async ({args: [url = ''], via}, perform) => {
    if (via === 'http' && url.startsWith('https:')) throw new HttpError(url, 'ECONNREFUSED', 'the cluster is not asked')
    return perform()
  })

/** The loop sees by itself, and more often, what died: by area, subject or ID. An inspection would show it until the next one. */
const SEEN_BY_LOOP: readonly string[] = ['network', 'services', 'overlay-network', 'source-vip', nodeAddressLost.id]

/**
 * The kubelet removes images that no container uses as soon as their drive is 85 % full, base images first, because their own name is
 * never used (pkg/kubelet/images/image_gc_manager.go). Nothing is wrong with such a node: whoever needs one pulls it.
 */
const isCollected = ({id, subject}: StatusProblem): boolean => id === imageMissing.id && isBaseImage(subject)

const isReported = (problem: StatusProblem): boolean =>
  problem.id === serviceMissing.id ||
  (!isCollected(problem) &&
    !SEEN_BY_LOOP.includes(problem.area) &&
    !SEEN_BY_LOOP.includes(problem.subject) &&
    !SEEN_BY_LOOP.includes(problem.id) &&
    !isSilence(problem))

const OF_AREA: Readonly<Partial<Record<StatusArea, string>>> = {
  firewall: 'network',
  images: 'runtime',
  network: 'network',
  runtime: 'runtime',
}

/** Of a step, or of what a problem is about. */
export const componentOf = (subject: string, area: StatusArea = 'drift'): string =>
  DAEMONS.find(({configuredBy, service, step}) => [configuredBy, service, step].some((one) => one === subject))
    ?.service ??
  (/^(?:cni-|overlay-|source-|firewall)/.test(subject) ? 'network' : OF_AREA[area]) ??
  'node'
