// What the daemons show the cluster: there, readable, and valid now.
import {kubeconfigOf} from '../components/identity.js'
import type {Identity} from '../config/model.js'
import {kubeconfigMissing} from '../errors/cluster.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {day, userOf, validUntil, whyLapsed} from '../host/identity-hint.js'
import {kubeconfigAt} from '../host/kubeconfig-file.js'
import type {IdentityStatus} from '../pipeline/status-report.js'
import {type FoundProblem, LOCAL_MS, type Probe, type ProbeContext} from './probe.js'

const IDENTITIES: readonly Identity[] = ['kubelet', 'kube-proxy', 'flanneld']
/** Time enough to get another one. */
const SOON_MS = 14 * 24 * 3_600_000

export const identitiesProbe: Probe<readonly IdentityStatus[]> = {
  deadlineMs: LOCAL_MS,
  async look(context) {
    const users = new Map<string, Identity[]>()
    for (const identity of IDENTITIES) {
      const file = kubeconfigOf(context.config, identity)
      users.set(file, [...(users.get(file) ?? []), identity])
    }

    const seen = await Promise.all([...users].map(([file, usedBy]) => lookAt(context, file, usedBy)))
    return {
      problems: seen.flatMap(({problem}) => problem ?? []),
      report: seen.map(({status}) => status),
      warnings: seen.flatMap(({warning}) => warning ?? []),
    }
  },
  steps: ['base-dir'],
  what: 'the kubeconfigs',
}

interface Looked {
  readonly problem?: FoundProblem
  readonly status: IdentityStatus
  readonly warning?: string
}

async function lookAt(context: ProbeContext, file: string, usedBy: readonly Identity[]): Promise<Looked> {
  const {command, config, host} = context
  const [own] = usedBy.filter((identity) => config.identityFiles[identity] !== undefined)
  const anew = command(`setup --${own === undefined ? '' : `${own}-`}kubeconfig <file>`)
  const status: IdentityStatus = {file, usedBy, user: null, validUntil: null}
  const problem = (told: Pick<FoundProblem, 'cause' | 'next' | 'seen'>): FoundProblem => ({
    ...told,
    area: 'identity',
    steps: ['base-dir'],
    subject: file,
    wanted: 'a kubeconfig the cluster accepts',
  })
  try {
    const kubeconfig = await kubeconfigAt(host, file)
    const now = host.clock.now()
    const until = validUntil(kubeconfig)
    const known: IdentityStatus = {
      ...status,
      user: userOf(kubeconfig) ?? null,
      validUntil: until === undefined || Number.isNaN(until) ? null : new Date(until).toISOString(),
    }
    const lapsed = whyLapsed(kubeconfig, now)
    if (lapsed !== undefined) {
      const cause = `${lapsed} The cluster lets nobody in with it; or the clock of this host is wrong: it says ${new Date(now).toISOString()}.`
      const next = `${anew} with a fresh one from the cluster`
      return {problem: problem({cause, next, seen: 'its credentials are not valid now'}), status: known}
    }
    if (until === undefined || until - now > SOON_MS) return {status: known}
    return {status: known, warning: `the credentials in ${file} are valid only until ${day(until)}`}
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    // Its own fix names a flag of setup.
    const next = error.id === kubeconfigMissing.id ? `${anew}; or put the cluster's kubeconfig there` : error.fix
    return {problem: problem({cause: error.reason, next, seen: error.message}), status}
  }
}
