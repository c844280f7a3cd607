// The service of a daemon: registered, running, and well where it can be asked.
import {kubeProxyLogs} from '../components/kube-proxy.js'
import {KUBE_PROXY, NETWORK_NAME, type NodeConfig} from '../config/model.js'
import {loadBalancerMissing, servicesUnreadable, sourceVipMissing} from '../errors/health.js'
import {foreignService} from '../errors/host.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {daemonUnwell, serviceDisabled, serviceDown, serviceMissing} from '../errors/unhealthy-node.js'
import {klogRestarts, wrappedRun, type WrappedRun} from '../host/services/daemon-log.js'
import {HttpError} from '../machine/http.js'
import type {ServiceStatus} from '../machine/win32.js'
import {proveServices, type ServicesProof} from '../pipeline/desired/services-proof.js'
import type {ServiceReport} from '../pipeline/run/status-report.js'
import {recognise} from '../signatures/index.js'
import {type Daemon, FLANNEL_DAEMON, lastWords} from './daemons.js'
import {type FoundProblem, type Ground, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

const HEALTH_MS = 2000
const ERROR_SERVICE_SPECIFIC = 1066
/** More of a daemon's last line helps nobody here. */
const LONGEST_LINE = 300

export const serviceProbe = (daemon: Daemon): Probe<ServiceReport> => ({
  check: 'node-services',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {services} = context.host
    const name = daemon.service
    const [status, startType, isOurs] = await Promise.all([
      services.status(name),
      services.startType(name),
      services.isOurs(name),
    ])
    const [since, wrapped, restarts, health] = await Promise.all([
      status && status.processId !== 0 ? services.startedAt(status.processId) : undefined,
      daemon === FLANNEL_DAEMON ? shawlOf(context, daemon) : undefined,
      daemon === FLANNEL_DAEMON ? undefined : klogOf(context, daemon),
      askHealth(context, daemon, status),
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
    const wrong = whatIsWrong(report, isOurs, health.said, wrapped)
    return {problems: wrong ? [await explained(context, daemon, wrong, report)] : [], report}
  },
  steps: [daemon.step],
  what: `the service ${daemon.service}`,
})

interface Wrong {
  readonly cause: string
  readonly error: K8sWinError
  /** Its last words may tell why. */
  readonly isDaemons?: true
  readonly next?: string
  readonly restsOn?: readonly Ground[]
  readonly seen: string
  readonly wanted: string
}

function whatIsWrong(
  report: ServiceReport,
  isOurs: boolean,
  said: string,
  wrapped: WrappedRun | undefined,
): Wrong | undefined {
  const {exitCode, health, name: service, serviceExitCode, startType, state} = report
  const wanted = 'running, and started with Windows'
  const down = (cause: string, seen: string): K8sWinError => serviceDown({cause, fix: '', seen, service})
  if (state === 'absent') {
    const error = serviceMissing({service})
    return {cause: error.reason, error, restsOn: ['end of the run'], seen: 'the service does not exist', wanted}
  }
  if (!isOurs) {
    const cause = 'The service was created by another tool or script.'
    const error = foreignService({path: '', service})
    const told = {seen: 'it was not created by k8s-win', wanted: 'the service of k8s-win'}
    return {cause, error, next: 'setup --adopt', ...told}
  }
  if (startType === 'disabled') {
    const error = serviceDisabled({service})
    return {cause: error.reason, error, seen: `it is disabled and ${state}`, wanted}
  }
  if (state === 'stopped') {
    const isAsked = exitCode === 0
    const cause = isAsked ? 'It was stopped.' : 'Its program exited or did not start; its log shows why.'
    const code = exitCode === ERROR_SERVICE_SPECIFIC ? `its own exit code ${serviceExitCode}` : `exit code ${exitCode}`
    const why = isAsked ? ({restsOn: ['end of the run']} as const) : ({isDaemons: true} as const)
    const seen = `it is stopped (${code})`
    return {cause, error: down(cause, seen), ...why, seen, wanted}
  }
  if (state !== 'running') {
    const cause = 'It is starting or stopping; if this does not change, its program hangs.'
    const seen = `it is ${state}`
    return {cause, error: down(cause, seen), isDaemons: true, seen, wanted}
  }
  if (wrapped?.endedWith !== undefined) {
    const seen = `its wrapper is running, but the program exited with ${wrapped.endedWith} and was restarted ${wrapped.restarts} times`
    const cause = 'The program keeps exiting; its log shows why.'
    return {cause, error: down(cause, seen), isDaemons: true, seen, wanted}
  }
  if (health === 'refused' || health === 'sick') {
    const error = daemonUnwell({said, service})
    return {cause: error.reason, error, isDaemons: true, seen: said, wanted: 'its health endpoint returns 200'}
  }
  return undefined
}

async function explained(
  context: ProbeContext,
  daemon: Daemon,
  {cause, error, isDaemons, next = 'setup', ...told}: Wrong,
  {exitCode}: ServiceReport,
): Promise<FoundProblem> {
  const words = isDaemons ? await lastWords(context, daemon) : undefined
  const byCode = isDaemons ? recognise(`Windows error ${exitCode}`, 'service-manager') : undefined
  const known = words?.signature ?? byCode
  const logs = isDaemons ? ` (logs: ${context.command(`logs ${daemon.service}`)})` : ''
  const line = words?.line ? ` Last log line: ${words.line.slice(0, LONGEST_LINE)}` : ''
  return problemOf(error, {
    ...told,
    area: 'services',
    // A code of Windows tells how it ended; the daemon's own words tell why.
    cause: words?.signature?.cause ?? `${byCode?.cause ?? cause}${line}`,
    ...(words?.signature
      ? {next: words.signature.fix}
      : {command: context.command(next), next: `${context.command(next)}${logs}`}),
    ...(known && {signature: known.id}),
    steps: [daemon.step],
    subject: daemon.service,
  })
}

/** Kept logs are a comfort: where they cannot be read, the count is not told. */
const shawlOf = ({config, host}: ProbeContext, daemon: Daemon): Promise<WrappedRun | undefined> =>
  wrappedRun(host.files, daemon.logs(config), daemon.service).catch(() => undefined)

const klogOf = ({config, host}: ProbeContext, daemon: Daemon): Promise<number | undefined> =>
  klogRestarts(host.files, daemon.logs(config)).catch(() => undefined)

async function askHealth(
  {host, signal}: ProbeContext,
  {health: url}: Daemon,
  status: ServiceStatus | undefined,
): Promise<{said: string; state: ServiceReport['health']}> {
  if (url === undefined) return {said: '', state: 'none'}
  if (status?.state !== 'running') return {said: '', state: 'not asked'}
  const request = {deadlineMs: HEALTH_MS, effect: 'read', isProbe: true, method: 'GET', signal, url} as const
  try {
    const answer = await host.http.request(request)
    return {said: `${url} returned ${answer.status}`, state: answer.status === 200 ? 'ok' : 'sick'}
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return {said: `${url} does not respond (${error.code})`, state: 'refused'}
  }
}

const CAUSE =
  'kube-proxy is running but has not created the load balancers: HNS refused it, it has not received the Services, or it is still working, which can take half a minute per Service. Its health endpoint does not show this.'

export const servicesProofProbe: Probe<never> = {
  check: 'services-proof',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {command, config, host} = context
    // A network that is absent, or an HNS that does not answer, is what the probe of the network reports.
    const network = await host.hns.network(NETWORK_NAME).catch(() => undefined)
    if (!network) return {dependsOn: {check: 'overlay-network', why: `the network ${NETWORK_NAME} does not exist`}}
    const proof = await proveServices(context)
    // Its health is the story of its service.
    if (proof.fault === 'health') return {dependsOn: {check: 'node-services', why: proof.seen}}
    const error = errorOf(config, proof)
    if (!error) return {}
    const next = proof.silence ? error.fix : `${command('setup')} (logs: ${command(`logs ${KUBE_PROXY}`)})`
    return {
      problems: [
        problemOf(error, {
          area: 'network',
          ...(proof.silence ? {} : {cause: CAUSE}),
          next,
          seen: proof.seen,
          steps: ['kubeproxy-service'],
          subject: KUBE_PROXY,
          wanted: 'its source VIP and the load balancers of Services in HNS',
        }),
      ],
    }
  },
  what: 'the proof of Services',
}

function errorOf(config: NodeConfig, {fault, seen, silence}: ServicesProof): K8sWinError | undefined {
  if (fault === undefined) return undefined
  if (silence) return servicesUnreadable({fix: silence.fix, reason: silence.reason, seen})
  const told = {logs: kubeProxyLogs(config), seen, tail: ''}
  return fault === 'source-vip' ? sourceVipMissing(told) : loadBalancerMissing(told)
}
