// What the daemons show the cluster: there, readable, valid now, and for how long.
import {X509Certificate} from 'node:crypto'
import {execProblem} from '../components/exec-versions.js'
import {kubeconfigOf} from '../components/identity.js'
import type {Identity} from '../config/model.js'
import {credentialsLapsed, kubeconfigMissing} from '../errors/cluster.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {kubeletCertificateLapsed, kubeletCertificateStale} from '../errors/unhealthy-node.js'
import {day, userOf, validUntil, whyLapsed} from '../host/cluster/credential-validity.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import {within} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import {isOf, staleCertificate} from '../pipeline/desired/kubelet-certificate.js'
import {asKubelet, storedCertificate} from '../pipeline/desired/kubelet-store.js'
import type {IdentityStatus} from '../pipeline/run/status-report.js'
import {type FoundProblem, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

const IDENTITIES: readonly Identity[] = ['kubelet', 'kube-proxy', 'flanneld']
const DAY_MS = 24 * 3_600_000
/** Time enough to get another one. Nothing renews the certificate in a kubeconfig. */
const SOON_MS = 30 * DAY_MS
/**
 * The kubelet rotates its own certificate at 70 to 90 % of its life (client-go, certificate_manager.go,
 * nextRotationDeadline): one that has less left was not rotated, however short its whole life is.
 */
const UNROTATED_SHARE = 0.1
/** For the API server, to which the kubelet's certificate is presented: that it is silent the probe of the node reports. */
const PRESENTED_MS = 4000

export const identitiesProbe: Probe<readonly IdentityStatus[]> = {
  check: 'node-identities',
  deadlineMs: LOCAL_MS + PRESENTED_MS,
  async look(context) {
    const users = new Map<string, Identity[]>()
    for (const identity of IDENTITIES) {
      const file = kubeconfigOf(context.config, identity)
      users.set(file, [...(users.get(file) ?? []), identity])
    }

    const rotated = await kubeletCertificate(context)
    const hasOwn = rotated !== undefined && !rotated.problem
    const files = await Promise.all([...users].map(([file, usedBy]) => kubeconfigIn(context, file, usedBy, hasOwn)))
    const seen = [...files, ...(rotated ? [rotated] : [])]
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

/** `hasOwn`: nothing is wrong with the certificate in the kubelet's store. */
async function kubeconfigIn(
  context: ProbeContext,
  file: string,
  usedBy: readonly Identity[],
  hasOwn: boolean,
): Promise<Looked> {
  const {command, config, host} = context
  const [own] = usedBy.filter((identity) => config.identityFiles[identity] !== undefined)
  const anew = command(`setup --${own === undefined ? '' : `${own}-`}kubeconfig <file>`)
  const status: IdentityStatus = {file, usedBy, user: null, validUntil: null}
  const about = {
    area: 'identity',
    steps: ['base-dir'],
    subject: file,
    wanted: 'a kubeconfig the cluster accepts',
  } as const
  try {
    const kubeconfig = await kubeconfigAt(host, file)
    const [unknown] = usedBy.flatMap((identity) => execProblem(config, identity, kubeconfig) ?? [])
    if (unknown) throw unknown
    const now = host.clock.now()
    const until = validUntil(kubeconfig)
    const known: IdentityStatus = {
      ...status,
      user: userOf(kubeconfig) ?? null,
      validUntil: until === undefined || Number.isNaN(until) ? null : new Date(until).toISOString(),
    }
    const lapsed = whyLapsed(kubeconfig, now)
    const isAsKubelet = hasOwn && (await asKubelet(host, kubeconfig, () => config.nodeName)) !== kubeconfig
    const shownBy = isAsKubelet ? usedBy.filter((identity) => identity !== 'kubelet') : usedBy
    if (lapsed !== undefined && shownBy.length === 0) {
      const kept = `${file}: ${lapsed} The kubelet uses its own certificate as long as that is valid`
      return {status: known, warning: `${kept}: ${anew} with a new kubeconfig from the cluster`}
    }
    if (lapsed !== undefined) {
      const cause = `${lapsed} The cluster rejects it, or the clock of this host is wrong: it shows ${new Date(now).toISOString()}.`
      const next = `${anew} with a new kubeconfig from the cluster`
      const error = credentialsLapsed({reason: lapsed, who: shownBy.join(', ')})
      return {
        problem: problemOf(error, {...about, cause, next, seen: `expired or not yet valid: ${lapsed}`}),
        status: known,
      }
    }
    if (until === undefined || until - now > SOON_MS) return {status: known}
    const ends = `the credentials in ${file} (${usedBy.join(', ')}) are valid only until ${day(until)}`
    return {status: known, warning: `${ends}, and nothing renews them: ${anew} with a new kubeconfig from the cluster`}
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    // Its own fix names a flag of setup.
    const next = kubeconfigMissing.is(error) ? `${anew}; or copy the cluster's kubeconfig there` : error.fix
    return {problem: problemOf(error, {...about, next}), status}
  }
}

/** What the kubelet got from the cluster itself, and uses in place of its kubeconfig's while it is valid. */
async function kubeletCertificate({command, config, host}: ProbeContext): Promise<Looked | undefined> {
  const stored = await storedCertificate(host)
  const certificate = stored && certificateIn(stored.content)
  if (!certificate) return undefined
  // Until the cluster has signed another one, the kubelet has a copy of its kubeconfig's, which is judged already.
  const kubeconfig = await kubeconfigAt(host, kubeconfigOf(config, 'kubelet')).catch(unasked)
  if (isOf(kubeconfig?.certificate, certificate)) return undefined
  const [file] = stored.paths
  const [from, until, now] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo), host.clock.now()]
  const user = /^CN=(.+)$/m.exec(certificate.subject)?.[1] ?? null
  const status: IdentityStatus = {file, usedBy: ['kubelet'], user, validUntil: new Date(until).toISOString()}
  const base = {area: 'identity', steps: ['kubelet-service'], subject: file} as const
  if (until < now) {
    const about = {...base, wanted: 'a certificate that is valid now'}
    return {problem: problemOf(kubeletCertificateLapsed({day: day(until), path: file}), about), status}
  }
  const stale = await within(host.clock, PRESENTED_MS, staleCertificate({config, host})).catch(unasked)
  if (stale !== undefined) {
    const about = {...base, wanted: 'a certificate the cluster accepts'}
    return {problem: problemOf(kubeletCertificateStale({path: file, reason: stale.why}), about), status}
  }
  const left = until - now
  if (left > SOON_MS || left > (until - from) * UNROTATED_SHARE) return {status}
  const ends = `the kubelet's certificate ${file} is valid only until ${day(until)} and was not renewed`
  const next = `check that the cluster signs certificates: kubectl get csr; or ${command('setup --kubeconfig <file>')} with a new one`
  return {status, warning: `${ends}: ${next}`}
}

/** A kubeconfig that names no server, or a server without an answer: both are reported by others. */
function unasked(error: unknown): undefined {
  if (!(error instanceof DeadlineError || error instanceof K8sWinError)) throw error
}

/** Undefined where it holds none: that the kubelet does not start with it the step reports. */
function certificateIn(content: string): X509Certificate | undefined {
  try {
    return new X509Certificate(content)
  } catch {
    return undefined
  }
}
