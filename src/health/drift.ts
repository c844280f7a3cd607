// Drift: every step inspects its part again as setup would, and changes nothing.
import {K8sWinError} from '../errors/k8s-win-error.js'
import {drifted as driftedError} from '../errors/unhealthy-node.js'
import {hnsRefused} from '../errors/windows.js'
import type {Cluster} from '../host/cluster/cluster.js'
import type {DriftStatus} from '../pipeline/run/status-report.js'
import type {Finding, Step, StepId} from '../pipeline/run/step.js'
import {type ClusterAnswer, isOfKubeconfig} from './node.js'
import {CRICTL_MS, type FoundProblem, LOCAL_MS, type Probe, type ProbeContext, problemOf, type Seen} from './probe.js'
import {DIGESTS_MS} from './programs.js'

/** Steps that need the cluster wait for the probe of the node, which queries it once for all. */
const WITH_CLUSTER_MS = LOCAL_MS + 3000
/** These read large files. */
const SLOW: readonly StepId[] = ['containerd-binaries', 'kubernetes-binaries', 'cni-binaries', 'flannel-binary']
/** These run crictl. */
const WITH_CRICTL: readonly StepId[] = ['containerd-service', 'sandbox-image']
const deadlineOf = (id: StepId): number =>
  SLOW.includes(id) ? DIGESTS_MS : WITH_CRICTL.includes(id) ? CRICTL_MS + LOCAL_MS : WITH_CLUSTER_MS

export interface StepDrift {
  readonly isSkipped: boolean
  readonly seen?: Seen<DriftStatus> | undefined
  readonly step: Step
}

/** `unjudged`: why a step could not be judged. Such a step has not drifted. */
export function driftStatus({isSkipped, seen, step}: StepDrift, unjudged: ReadonlyMap<StepId, string>): DriftStatus {
  const {id, title} = step
  const why = unjudged.get(id)
  if (seen?.report && seen.report.state !== 'in-place' && why !== undefined) {
    return {...seen.report, evidence: [why], state: 'not-checked'}
  }
  if (seen?.report) return seen.report
  const evidence = isSkipped ? ['skipped in the last setup'] : (seen?.notChecked ?? []).map((one) => one.why)
  return {evidence, state: isSkipped ? 'skipped' : 'not-checked', step: id, title}
}

/** A step queried a cluster that does not respond. */
class SilentClusterError extends Error {}

export function driftProbe(step: Step, cluster: Promise<ClusterAnswer>): Probe<DriftStatus> {
  const about = {step: step.id, title: step.title}
  return {
    check: 'drift',
    deadlineMs: deadlineOf(step.id),
    async look(context) {
      const warnings: string[] = []
      try {
        const finding = await inspect(step, context, cluster, (message) => void warnings.push(message))
        const report = {...about, ...finding}
        return {problems: finding.state === 'in-place' ? [] : [drifted(step, finding)], report, warnings}
      } catch (error) {
        // The probe of the identities reports an unusable kubeconfig.
        if (error instanceof SilentClusterError || isOfKubeconfig(error)) {
          const evidence = [isOfKubeconfig(error) ? unasked(error.message) : error.message]
          return {report: {...about, evidence, state: 'not-checked'}, warnings}
        }
        // A step without a response has found nothing.
        if (!(error instanceof K8sWinError) || hnsRefused.is(error)) throw error
        const report = {...about, evidence: [error.message], state: 'drifted'} as const
        return {
          problems: [problemOf(error, {...areaOf(step), wanted: `as setup left it ("${step.title}")`})],
          report,
          warnings,
        }
      }
    },
    what: `the step ${step.id}`,
  }
}

const unasked = (why: string): string => `the cluster could not be reached: ${why}`

function inspect(
  step: Step,
  {config, host, journal, signal}: ProbeContext,
  cluster: Promise<ClusterAnswer>,
  warn: (message: string) => void,
): Promise<Finding> {
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
  return step.inspect({
    changed: () => {},
    config,
    host: {
      ...host,
      // What runs status or doctor may be another k8s-win than the one that setup has copied.
      assets: {...host.assets, program: {command: host.assets.program.command}},
      cluster: (kubeconfig) => answering(host.cluster(kubeconfig)),
    },
    journal,
    progress: () => {},
    signal,
    warn,
  })
}

const AFTER_SETUP = 'It was changed or removed after setup, manually or by another tool.'
const CAUSES: Readonly<Partial<Record<StepId, string>>> = {
  'base-dir': 'Access control lists were changed, or other accounts added files, which could run as SYSTEM.',
  'base-images': 'Images were removed, pulled again or tagged differently, or Windows was updated.',
  'containerd-service': 'The service was changed, or it was not restarted since its configuration was written.',
  'flanneld-service': 'The service was changed, or it was not restarted since its configuration was written.',
  'kubelet-service': 'The service was changed, or it was not restarted since its configuration was written.',
  'kubeproxy-service': 'The service or the pod network was changed, and kube-proxy still uses its former source VIP.',
  'machine-environment': 'PATH or KUBECONFIG was edited, or an installer overwrote PATH.',
  'node-registered':
    'The cluster assigned no pod network to the node, or not the one that flannel was configured with.',
}

const areaOf = ({id}: Step) => ({area: 'drift', steps: [id], subject: id}) as const

function drifted(step: Step, {evidence}: Finding): FoundProblem {
  const {id, title} = step
  const [cause, seen] = [CAUSES[id] ?? AFTER_SETUP, evidence.map(readable).join('; ')]
  return problemOf(driftedError({cause, seen, step: id, title}), {...areaOf(step), seen})
}

const COMMAND_LINES = /^(\S+): imagePath is (.*), wanted (.*)$/

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
