// The service of a daemon: registered, running, and healthy.
import {win32} from 'node:path'
import {hasLogRunner} from '../components/log-runner.js'
import {DAEMON, type Daemon, logsOf, WATCH} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {CONTAINERD, KUBE_PROXY, NETWORK_NAME, type Node} from '../config/model.js'
import {loadBalancerMissing, servicesUnreadable, sourceVipMissing} from '../errors/health.js'
import {foreignService} from '../errors/host.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {shortened} from '../errors/shortened.js'
import {
  daemonWithoutRunner,
  serviceDisabled,
  serviceDown,
  serviceMissing,
  watchSilent,
} from '../errors/unhealthy-node.js'
import {type DaemonHealth, notItsOwn} from '../host/local-server.js'
import {trustedFiles} from '../host/security/trust.js'
import {klogRestarts, runnerRestarts, SHORT_LIFE_MS, wrappedRun, type WrappedRun} from '../host/services/daemon-log.js'
import type {ServiceStatus} from '../machine/win32.js'
import {loneHalf} from '../pipeline/desired/services/log-runner-pair.js'
import {proveServices} from '../pipeline/desired/network/services-proof.js'
import {isHealthDocument, isStale} from '../pipeline/run/health-document.js'
import {readRecord} from '../pipeline/run/last-run.js'
import type {ServiceReport} from '../pipeline/run/status-report.js'
import {recognise} from '../signatures/index.js'
import {lastWords} from './last-words.js'
import {type Check, check, dependsOn, type FoundProblem, type Ground} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {explainedBy, problemOf} from './run-reporting-check.js'

const HEALTH_MS = 2000
const ERROR_SERVICE_SPECIFIC = 1066
/**
 * With these codes the service manager did not run the program: no file, no access, another processor, disabled, no
 * dependency, no logon, not started since Windows started. The log ends with the run before, which at a shutdown of
 * Windows often complains that containerd or the API server is gone.
 */
const NEVER_RAN: readonly number[] = [2, 3, 5, 193, 1058, 1068, 1069, 1075, 1077]
/** The rest of the last line is in the log. */
const LONGEST_LINE = 300

export const serviceCheck = (daemon: Daemon): Check<ServiceReport, Node> =>
  check<ServiceReport, Node>(
    'node-services',
    {
      healthy: 'running, started with Windows, healthy',
      on: 'node',
      part: 'services',
      steps: [daemon.step],
      title: 'Windows services',
      what: `the service ${daemon.service}`,
    },
    async (context) => {
      const {services} = context.host
      const name = daemon.service
      const [status, startType, isOurs, path = ''] = await Promise.all([
        services.status(name),
        services.startType(name),
        services.isOurs(name),
        services.imagePath(name),
      ])
      const [since, wrapped, restarts, health] = await Promise.all([
        status && status.processId !== 0 ? services.startedAt(status.processId) : undefined,
        daemon.wrapper === 'shawl' ? shawlOf(context, daemon) : undefined,
        daemon.wrapper === 'shawl' ? undefined : klogOf(context, daemon),
        healthOf(context, daemon, status),
      ])
      const report: ServiceReport = {
        exitCode: status?.win32ExitCode ?? 0,
        health: health.state,
        name,
        processId: status?.processId ?? 0,
        restarts: wrapped?.restarts ?? restarts ?? null,
        serviceExitCode: status?.serviceExitCode ?? 0,
        since: since === undefined ? null : new Date(since).toISOString(),
        startType: startType ?? 'absent',
        state: status?.state ?? 'absent',
      }
      const half = status?.state === 'running' ? await loneHalf(context, daemon, status.processId) : undefined
      const wrong = half
        ? {error: daemonWithoutRunner({...half, service: name})}
        : (whatIsWrong(report, isOurs ? undefined : path, health, await sinceNow(context, daemon, wrapped)) ??
          (name === WATCH.service ? await silence(context, report) : undefined))
      return {
        ...(health.state === 'unknown' && {
          notChecked: [{id: health.error.id, what: `the health of ${name}`, why: health.said}],
        }),
        problems: wrong ? [await explained(context, daemon, wrong, report)] : [],
        report,
      }
    },
  )

type Health = DaemonHealth | {readonly state: 'none' | 'not asked'}

interface Wrong {
  readonly error: K8sWinError
  /** The daemon's log may show why. */
  readonly isDaemons?: true
  /** It is shown by the run that has ended, whatever the present one has said yet. */
  readonly isOfEnded?: boolean
  readonly restsOn?: readonly Ground[]
}

function whatIsWrong(
  {exitCode, name: service, serviceExitCode, startType, state}: ServiceReport,
  foreignPath: string | undefined,
  answer: Health,
  wrapped: WrappedRun | undefined,
): Wrong | undefined {
  const down = (seen: string, cause: string): Wrong => ({error: serviceDown({cause, seen, service}), isDaemons: true})
  if (state === 'absent') return {error: serviceMissing({service}), restsOn: ['end of the run']}
  // A containerd that is not k8s-win's cannot be adopted: the check of the runtime reports it.
  if (foreignPath !== undefined && service !== CONTAINERD) return {error: foreignService({path: foreignPath, service})}
  if (startType === 'disabled') return {error: serviceDisabled({service})}
  if (state === 'stopped' && exitCode === 0) {
    const error = serviceDown({cause: 'It was stopped.', seen: 'is stopped (exit code 0)', service})
    return {error, restsOn: ['end of the run']}
  }
  if (state === 'stopped') {
    const code = exitCode === ERROR_SERVICE_SPECIFIC ? `its own exit code ${serviceExitCode}` : `exit code ${exitCode}`
    return down(`is stopped (${code})`, 'Its program exited or did not start; its log shows why.')
  }
  if (state !== 'running') {
    // A run that was ended may have left it on its way.
    const wrong = down(`is ${state}`, 'It is starting or stopping; if this does not change, its program hangs.')
    return {...wrong, restsOn: ['end of the run']}
  }
  if (wrapped?.endedWith !== undefined) {
    const times = wrapped.restarts === undefined ? 'was restarted' : `was restarted ${wrapped.restarts} times`
    const seen = `is running only as a wrapper: the program exited with ${wrapped.endedWith} and ${times}`
    return {...down(seen, 'The program keeps exiting; its log shows why.'), isOfEnded: true}
  }
  if (!('error' in answer) || answer.state === 'unknown') return undefined
  return {error: answer.error, ...(!notItsOwn(answer) && {isDaemons: true})}
}

/** Watch has no health endpoint: one that hangs writes no report. One that was just started has had no time for it. */
async function silence({config, host}: Facts<Node>, {since}: ServiceReport): Promise<Wrong | undefined> {
  // Only administrators can read it.
  if (!(await host.os.isAdministrator())) return undefined
  const found = await readRecord(trustedFiles(host.files, host.trust), layoutOf(config.baseDir).health)
  const times = [since, isHealthDocument(found) ? found.at : null]
  return times.every((at) => at === null || isStale(at, host.clock.now())) ? {error: watchSilent({})} : undefined
}

async function explained(
  context: Facts<Node>,
  daemon: Daemon,
  {error, isDaemons, isOfEnded = false, restsOn = []}: Wrong,
  {exitCode}: ServiceReport,
): Promise<FoundProblem> {
  const about = {area: 'services', restsOn, steps: [daemon.step], subject: daemon.service} as const
  if (!isDaemons) return problemOf(error, about)
  const byCode = recognise(`Windows error ${exitCode}`, 'service-manager')
  if (byCode && NEVER_RAN.includes(exitCode))
    return problemOf(error, {...about, cause: byCode.cause, signature: byCode.id})
  const {line, signature} = await lastWords(context, daemon, {isOfEnded})
  if (signature) return problemOf(error, {...about, ...explainedBy(signature)})
  // Any other code of Windows shows how the service ended; only the daemon's log shows why.
  const last = line === '' ? '' : ` Last log line: ${shortened(line, LONGEST_LINE)}`
  const cause = `${byCode?.cause ?? error.reason}${last}`
  return problemOf(error, {...about, cause, ...(byCode && {signature: byCode.id})})
}

/** A program that keeps ending counts as ended, also while it happens to run; one that has run for a while does not. */
async function sinceNow(
  {host: {clock, services}}: Facts<Node>,
  {program, service}: Daemon,
  wrapped: WrappedRun | undefined,
): Promise<WrappedRun | undefined> {
  if (wrapped?.keepsEndingWith === undefined || wrapped.endedWith !== undefined) return wrapped
  const life = await services.life(service, `${program}.exe`)
  const isYoung = life === undefined || clock.now() - life.since < SHORT_LIFE_MS
  return isYoung ? {...wrapped, endedWith: wrapped.keepsEndingWith} : wrapped
}

/** Without readable logs the number of restarts is unknown. */
const shawlOf = ({config, host}: Facts<Node>, daemon: Daemon): Promise<WrappedRun | undefined> =>
  wrappedRun(host.files, logsOf(config, daemon), daemon.service).catch(() => undefined)

const klogOf = ({config, host: {files}}: Facts<Node>, daemon: Daemon): Promise<number | undefined> => {
  const folder = logsOf(config, daemon)
  const restarts = hasLogRunner(config)
    ? runnerRestarts(files, win32.join(folder, `${daemon.program}.log`))
    : klogRestarts(files, folder)
  return restarts.catch(() => undefined)
}

async function healthOf(
  {config, host, options: {patience = 1}, signal}: Facts<Node>,
  daemon: Daemon,
  status: ServiceStatus | undefined,
): Promise<Health> {
  if (!daemon.health) return {state: 'none'}
  if (status?.state !== 'running') return {state: 'not asked'}
  return host.servers.health(daemon, daemon.health(config), {deadlineMs: HEALTH_MS * patience, signal})
}

const CAUSE =
  'kube-proxy is running but has not created the load balancers: HNS refused it, it has not received the Services, or it is still working, which can take half a minute per Service. Its health endpoint does not show this.'

export const servicesProofCheck = check<never, Node>(
  'services-proof',
  {
    cost: 'cluster',
    healthy: 'kube-proxy has programmed them in HNS',
    on: 'node',
    title: 'Kubernetes Services',
    what: 'the proof of Services',
  },
  async (context) => {
    // The check of the network reports an absent network, and an HNS that does not respond.
    const network = await context.host.hns.network(NETWORK_NAME).catch(() => undefined)
    if (!network) return dependsOn('overlay-network', `the network ${NETWORK_NAME} does not exist`)
    const {fault, isUnreported, seen, silence} = await proveServices(context)
    if (isUnreported) return {notChecked: [{what: 'the load balancers of Services', why: seen}]}
    if (fault === undefined) return {}
    // The check of the service reports its health.
    if (fault === 'health') return dependsOn('node-services', seen)
    const about = {
      area: 'network',
      seen,
      steps: ['kubeproxy-service'],
      subject: KUBE_PROXY,
      wanted: 'its source VIP and the load balancers of Services in HNS',
    } as const
    if (silence) {
      const {fix, reason} = silence
      return {problems: [problemOf(servicesUnreadable({fix, reason, seen}), about)]}
    }
    const raised = fault === 'source-vip' ? sourceVipMissing : loadBalancerMissing
    const next = `Run "k8s-win recover". If this does not help, see "k8s-win logs ${KUBE_PROXY}".`
    const error = raised({logs: logsOf(context.config, DAEMON.kubeproxy), seen, tail: ''})
    // What else it says may be over: with HNS it has spoken since.
    const {signature} = await lastWords(context, DAEMON.kubeproxy)
    const refusal = signature?.seenIn.includes('hns') ? signature : undefined
    return {problems: [problemOf(error, {...about, cause: CAUSE, next, ...explainedBy(refusal)})]}
  },
)
