// Drift: every step inspects its part again as setup would, and changes nothing.
import type {CheckId, NodeCheckId} from '../config/check-ids.js'
import type {Node} from '../config/model.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {drifted as driftedError, portOwnerUnknown} from '../errors/unhealthy-node.js'
import {hnsRefused} from '../errors/windows.js'
import type {Cluster} from '../host/cluster/cluster.js'
import type {Host} from '../host/host.js'
import {orGivenUp} from '../host/wait.js'
import type {DriftStatus, NotChecked} from '../pipeline/run/status-report.js'
import type {Finding, Step, StepId} from '../pipeline/run/step.js'
import type {Facts} from '../preflight/facts.js'
import type {Journal} from '../pipeline/ledger/journal.js'
import {type ClusterAnswer, isOfKubeconfig} from './node.js'
import {check, type Check, type FoundProblem, notChecked} from '../preflight/check.js'
import {type CheckScope, LOCAL_MS, type NodeFinding, problemOf, runReportingCheck} from './run-reporting-check.js'

/** Steps that need the cluster wait for the check of the node, which queries it once for all. */
const WITH_CLUSTER_MS = LOCAL_MS + 3000
const DNS_MS = 3000
interface StepDrift {
  readonly finding?: NodeFinding<DriftStatus> | undefined
  readonly step: Step
}

/** The check that reports what a step would report too; `why`: the step cannot be judged for this reason. */
export interface Cover {
  readonly check: CheckId | NodeCheckId
  readonly why?: string
}

/** With the DNS address that the cluster reports now, or else the one on the node. */
export async function inspectSteps(
  scope: CheckScope,
  facts: Facts,
  steps: readonly Step[],
  cluster: Promise<ClusterAnswer>,
): Promise<StepDrift[]> {
  if (steps.length === 0) return []
  const isSilent = 'silence' in (await cluster)
  const current = isSilent ? undefined : await orGivenUp(scope.machine.clock, DNS_MS, facts.clusterDNS())
  const config = {...scope.config, clusterDNS: current ?? scope.config.clusterDNS}
  return Promise.all(
    steps.map(async (step) =>
      config.skip.includes(step.id)
        ? {step}
        : {finding: await runReportingCheck({...scope, config}, driftCheck(step, scope.journal, cluster)), step},
    ),
  )
}

/** The drift of all steps: what another check reports is not reported again. */
export function driftOf(
  drift: readonly StepDrift[],
  covered: ReadonlyMap<StepId, Cover>,
): NodeFinding<readonly DriftStatus[]> {
  const own = drift.filter(({step}) => !covered.has(step.id)).flatMap(({finding}) => finding ?? [])
  const report = drift.map((one) => statusOf(one, covered.get(one.step.id)))
  const others = report.filter(({state, step}) => covered.has(step) && !UNDRIFTED.includes(state)).map(({step}) => step)
  const [cover] = others.flatMap((step) => covered.get(step) ?? [])
  return {
    check: 'drift',
    ...(cover && {
      ...notChecked(`${others.join(', ')}: ${cover.why ?? reportedBy(cover)}`),
      dependsOn: cover.check,
    }),
    durationMs: Math.max(0, ...own.map(({durationMs}) => durationMs)),
    notChecked: [...own.flatMap(({notChecked}) => notChecked), ...withoutCluster(own)],
    problems: own.flatMap(({problems}) => problems),
    report,
    steps: [],
    warnings: own.flatMap(({warnings}) => warnings),
  }
}

export const DRIFT = {healthy: 'every step is as setup left it', id: 'drift', on: 'node', title: 'Drift'} as const
const UNDRIFTED: readonly string[] = ['in-place', 'skipped']
const reportedBy = ({check}: Cover): string => `reported by the check "${check}"`

function statusOf({finding, step: {id: step, title}}: StepDrift, cover: Cover | undefined): DriftStatus {
  if (!finding) return {evidence: ['skipped in the last setup'], state: 'skipped', step, title}
  const {notChecked, report} = finding
  if (!report) return {evidence: notChecked.map(({why}) => why), state: 'not-checked', step, title}
  if (report.state === 'in-place' || cover?.why === undefined) return report
  return {...report, evidence: [cover.why], state: 'not-checked'}
}

/** One line for all steps that need the cluster. */
function withoutCluster(own: readonly NodeFinding<DriftStatus>[]): NotChecked[] {
  const open = own.flatMap(({report}) => (report?.state === 'not-checked' ? report : []))
  const [why] = open.flatMap(({evidence}) => evidence)
  if (why === undefined) return []
  return [{what: `what only the cluster can report (${open.map(({step}) => step).join(', ')})`, why}]
}

/** A step queried a cluster that does not respond. */
class SilentClusterError extends Error {}

const driftCheck = (step: Step, journal: Journal, cluster: Promise<ClusterAnswer>): Check<DriftStatus, Node> =>
  check<DriftStatus, Node>(
    DRIFT.id,
    {...DRIFT, cost: 'cluster', deadlineMs: step.inspectMs ?? WITH_CLUSTER_MS, what: `the step ${step.id}`},
    async (facts) => {
      const about = {step: step.id, title: step.title}
      const warnings: string[] = []
      try {
        const finding = await step.inspect({
          changed: () => {},
          config: facts.config,
          host: hostForSteps(facts.host, cluster),
          journal,
          progress: () => {},
          signal: facts.signal,
          warn: (message) => void warnings.push(message),
        })
        const report = {...about, ...finding}
        return {problems: finding.state === 'in-place' ? [] : [drifted(step, finding)], report, warnings}
      } catch (error) {
        // The check of the identities reports an unusable kubeconfig.
        if (error instanceof SilentClusterError || isOfKubeconfig(error)) {
          const evidence = [isOfKubeconfig(error) ? unasked(error.message) : error.message]
          return {report: {...about, evidence, state: 'not-checked'}, warnings}
        }
        // A step without a response has found nothing.
        if (!(error instanceof K8sWinError) || hnsRefused.is(error) || portOwnerUnknown.is(error)) throw error
        const report = {...about, evidence: [error.message], state: 'drifted'} as const
        const wanted = `as setup left it ("${step.title}")`
        return {problems: [problemOf(error, {...areaOf(step), wanted})], report, warnings}
      }
    },
  )

const unasked = (why: string): string => `the cluster could not be reached: ${why}`

/** What runs status or doctor may be another k8s-win than the one that setup has copied. */
function hostForSteps(host: Host, cluster: Promise<ClusterAnswer>): Host {
  const answered = async () => {
    const answer = await cluster
    if ('silence' in answer) throw new SilentClusterError(unasked(answer.silence))
    return answer.node
  }
  // HNS alone does not show what Services need, so a step that asks for them cannot judge without the cluster.
  const answering = (cluster: Cluster): Cluster => ({
    ...cluster,
    node: answered,
    services: async (namespace, name) => (await answered(), cluster.services(namespace, name)),
  })
  return {
    ...host,
    assets: {...host.assets, program: {command: host.assets.program.command}},
    cluster: (kubeconfig) => answering(host.cluster(kubeconfig)),
  }
}

const AFTER_SETUP = 'It was changed or removed after setup, manually or by another tool.'
const areaOf = ({id}: Step) => ({area: 'drift', steps: [id], subject: id}) as const

function drifted(step: Step, {evidence}: Finding): FoundProblem {
  const {driftCause: cause = AFTER_SETUP, id, title} = step
  const seen = evidence.map(readable).join('; ')
  return problemOf(driftedError({cause, seen, step: id, title}), {...areaOf(step), seen})
}

const COMMAND_LINES = /^(\S+): imagePath is (.*), wanted (.*)$/s

export function readable(evidence: string): string {
  const [, service = '', seen = '', wanted = ''] = COMMAND_LINES.exec(evidence) ?? []
  return service === '' ? evidence : `${service}: its command line ${difference(seen, wanted)}`
}

function difference(seen: string, wanted: string): string {
  const [has, wants] = [seen.split(' '), wanted.split(' ')]
  const extra = has.filter((word) => !wants.includes(word)).join(' ')
  const lacking = wants.filter((word) => !has.includes(word)).join(' ')
  if (extra !== '' && lacking !== '') return `has ${extra} instead of ${lacking}`
  if (extra !== '') return `has ${extra} in addition`
  return lacking === '' ? 'has the same arguments in another order' : `lacks ${lacking}`
}
