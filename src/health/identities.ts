// The kubeconfigs and certificates of the daemons: present, readable, valid now, and for how long.
import type {X509Certificate} from 'node:crypto'
import {execProblem} from '../components/releases/exec-versions.js'
import {kubeconfigOf} from '../components/identity.js'
import {IDENTITIES, type Identity, type Node} from '../config/model.js'
import {kubeconfigMissing, kubeconfigUnreadable} from '../errors/cluster.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {kubeletCertificateLapsed, kubeletCertificateStale} from '../errors/unhealthy-node.js'
import {day, userOf, validUntil} from '../host/cluster/credential-validity.js'
import {certificateIn} from '../host/cluster/key-material.js'
import {kubeconfigAt} from '../host/cluster/kubeconfig-file.js'
import {within} from '../host/wait.js'
import {DeadlineError} from '../machine/clock.js'
import {isOf, staleCertificate} from '../pipeline/desired/cluster/kubelet-certificate.js'
import {resumedJoin} from '../pipeline/desired/cluster/join-state.js'
import {asKubelet, storedCertificate} from '../pipeline/desired/cluster/kubelet-store.js'
import type {IdentityStatus} from '../pipeline/run/status-report.js'
import {judgeCredentials, SOON_MS, UNRENEWED_SHARE} from '../preflight/checks/identity-checks.js'
import {check, type FoundProblem} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {LOCAL_MS, problemOf} from './run-reporting-check.js'

/** For the API server to which the certificate is presented. The check of the node reports that it does not respond. */
const PRESENTED_MS = 4000

export const identitiesCheck = check<readonly IdentityStatus[], Node>(
  'node-identities',
  {
    cost: 'cluster',
    deadlineMs: LOCAL_MS + PRESENTED_MS,
    healthy: 'present and valid',
    on: 'node',
    part: 'identities',
    steps: ['base-dir'],
    title: 'Kubeconfigs and certificates',
    what: 'the kubeconfigs',
  },
  async (context) => {
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
)

interface CheckedIdentity {
  readonly problem?: FoundProblem
  readonly status: IdentityStatus
  readonly warning?: string
}

/** `hasOwn`: the certificate in the kubelet's store has no problem. */
async function kubeconfigIn(
  {config, host}: Facts<Node>,
  file: string,
  usedBy: readonly Identity[],
  hasOwn: boolean,
): Promise<CheckedIdentity> {
  const [own] = usedBy.filter((identity) => config.identityFiles[identity] !== undefined)
  // A setup that did not finish has stored no options.
  const resumed = config.join ? undefined : await resumedJoin(host, config.baseDir)
  const isJoining = config.join !== undefined || resumed !== undefined
  const cluster = resumed ? ` --server ${resumed.server} --ca-cert-hash ${resumed.caCertHashes.join(',')}` : ''
  const renew =
    isJoining && own === undefined
      ? `run "k8s-win setup${cluster} --token-file <file>" with a new bootstrap token ("k8s-win token create")`
      : `run "k8s-win setup --${own === undefined ? '' : `${own}-`}kubeconfig <file>" with a new kubeconfig from the cluster`
  const status: IdentityStatus = {file, usedBy, user: null, validUntil: null}
  const wanted = 'a kubeconfig that the cluster accepts'
  const about = {area: 'identity', steps: ['base-dir'], subject: file, wanted} as const
  try {
    const kubeconfig = await kubeconfigAt(host, file)
    const [unknown] = usedBy.flatMap((identity) => execProblem(config, identity, kubeconfig) ?? [])
    if (unknown) throw unknown
    const now = host.clock.now()
    const until = validUntil(kubeconfig)
    const isKept = hasOwn && (await asKubelet(host, kubeconfig, () => config.nodeName)) !== kubeconfig
    const isRenewed = isJoining && own === undefined
    const {problem, warning} = judgeCredentials(kubeconfig, usedBy, {isKept, isRenewed}, now)
    const clock = `check that the clock of this host is correct: it shows ${new Date(now).toISOString()}`
    return {
      ...(problem && {problem: problemOf(problem, {...about, next: `Renew them: ${renew}; ${clock}.`})}),
      status: {
        ...status,
        user: userOf(kubeconfig) ?? null,
        validUntil: until === undefined || Number.isNaN(until) ? null : new Date(until).toISOString(),
      },
      ...(warning !== undefined && {
        warning: `${file}: ${warning}, and ${isRenewed ? 'the kubelet did not renew it' : 'nothing renews it'}: ${renew}`,
      }),
    }
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    // The fix of the catalogue names a flag of setup.
    const copy = isJoining ? '' : `Copy the cluster's kubeconfig there, or `
    const isReplaced = kubeconfigMissing.is(error) || (isJoining && kubeconfigUnreadable.is(error))
    const next = isReplaced ? sentence(`${copy}${renew}`) : error.fix
    return {problem: problemOf(error, {...about, next}), status}
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** The certificate that the cluster issued to the kubelet, which uses it instead of its kubeconfig's while it is valid. */
async function kubeletCertificate({config, host}: Facts<Node>): Promise<CheckedIdentity | undefined> {
  const stored = await storedCertificate(host)
  const certificate = stored && readableCertificate(stored.content)
  if (!certificate) return undefined
  // Until the first rotation the kubelet stores a copy of its kubeconfig's certificate, which is judged there.
  const kubeconfig = await kubeconfigAt(host, kubeconfigOf(config, 'kubelet')).catch(unasked)
  if (isOf(kubeconfig?.certificate, certificate)) return undefined
  const [file] = stored.paths
  const [from, until, now] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo), host.clock.now()]
  const user = /^CN=(.+)$/m.exec(certificate.subject)?.[1] ?? null
  const status: IdentityStatus = {file, usedBy: ['kubelet'], user, validUntil: new Date(until).toISOString()}
  const about = {area: 'identity', steps: ['kubelet-service'], subject: file} as const
  if (until < now) {
    return {problem: problemOf(kubeletCertificateLapsed({day: day(until), path: file}), about), status}
  }
  const stale = await within(host.clock, PRESENTED_MS, staleCertificate({config, host})).catch(unasked)
  if (stale !== undefined) {
    return {problem: problemOf(kubeletCertificateStale({path: file, reason: stale.why}), about), status}
  }
  const left = until - now
  if (left > SOON_MS || left > (until - from) * UNRENEWED_SHARE) return {status}
  const ends = `the kubelet's certificate ${file} is valid only until ${day(until)} and was not renewed`
  const next = `check that the cluster signs certificates ("kubectl get csr"), or run "k8s-win setup --kubeconfig <file>" with a new one`
  return {status, warning: `${ends}: ${next}`}
}

/** Other checks report a kubeconfig without a server, and a server that does not respond. */
function unasked(error: unknown): undefined {
  if (!(error instanceof DeadlineError || error instanceof K8sWinError)) throw error
}

/** Undefined if it holds none, which the step "kubelet-service" reports. */
function readableCertificate(content: string): X509Certificate | undefined {
  try {
    return certificateIn(content)
  } catch {
    return undefined
  }
}
