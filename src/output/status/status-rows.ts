// The rows of the status screen: one line per part of a node.
import {COMMON_DAEMONS} from '../../config/daemons.js'
import {CONTAINERD, IDENTITIES, KUBELET} from '../../config/model.js'
import {credentialsLapsed, kubeconfigMissing} from '../../errors/cluster.js'
import {kubeletCertificateLapsed} from '../../errors/unhealthy-node.js'
import {duration} from '../text/figures.js'
import type {
  ServiceReport,
  StatusArea,
  StatusDocument,
  StatusProblem,
  UserSettings,
} from '../../pipeline/run/status-report.js'

export interface StatusRow {
  readonly label: string
  /** "not-checked": neither good nor bad. */
  readonly mark: 'bad' | 'good' | 'not-checked'
  readonly text: string
}

export function statusRows(document: StatusDocument): StatusRow[] {
  const {drift, firewall, identities, images, network, node, problems, programs, runtime, services} = document
  const now = Date.parse(document.finishedAt)
  const row = (
    label: string,
    area: StatusArea,
    text: string | null | undefined,
    isHealthy = true,
    isOfPart = (_: StatusProblem): boolean => true,
  ): StatusRow => {
    if (text === undefined || text === null) return {label, mark: 'not-checked', text: 'not checked'}
    const hasProblem = problems.some((problem) => problem.area === area && isOfPart(problem))
    return {label, mark: isHealthy && !hasProblem ? 'good' : 'bad', text: text || 'nothing'}
  }
  // The cluster reports a node as Ready for a while after its kubelet has stopped.
  const isKubeletDown = services.some(({name, state}) => name === KUBELET && state !== 'running')
  const files = row(
    'programs',
    'programs',
    programs && programsText(programs),
    isAll(programs, 'verified', 'not-checked'),
  )
  return [
    row('node', 'node', node && nodeText(node, isKubeletDown), node?.ready === true && !isKubeletDown),
    row('identity', 'identity', identities?.map((one) => identityText(one, problems, now)).join('; ')),
    runtimeRow(document, row('docker', 'runtime', runtime && runtimeText(runtime), runtime?.running)),
    ...COMMON_DAEMONS.map(({service: name}) => {
      const service = services.find((one) => one.name === name)
      const isRunning = service?.state === 'running'
      return row(name, 'services', service && serviceText(service, now), isRunning, ({subject}) => subject === name)
    }),
    row('network', 'network', network && networkText(network), network?.present),
    row('firewall', 'firewall', firewall && rulesText(firewall), isAll(firewall, 'open')),
    files.mark === 'good' && !isAll(programs, 'verified') ? {...files, mark: 'not-checked'} : files,
    row('images', 'images', images && imagesText(images), isAll(images, 'present')),
    ...(document.settings ? [row('settings', 'services', settingsText(document.settings), true, () => false)] : []),
    {...row('drift', 'drift', drift && driftText(drift)), mark: driftMark(drift)},
    ...watchRow(document),
  ]
}

/** "set by the user: kubelet maxPods, --v; flanneld --healthz-port" */
function settingsText({args, kubeletConfig}: UserSettings): string {
  const parts = IDENTITIES.map((program) => [
    ...(program === KUBELET ? Object.keys(kubeletConfig) : []),
    ...Object.keys(args[program]).map((flag) => `--${flag}`),
  ])
  const named = parts.flatMap((names, index) => (names.length > 0 ? [`${IDENTITIES[index]} ${names.join(', ')}`] : []))
  return `set by the user: ${named.join('; ')}`
}

/** containerd's service is setup's own, unless it was there before, and its row is the runtime's. */
function runtimeRow({finishedAt, problems, runtime, services}: StatusDocument, row: StatusRow): StatusRow {
  const service = services.find(({name}) => name === CONTAINERD)
  if (!service && runtime?.name !== CONTAINERD) return row
  const isDown = (service && service.state !== 'running') || problems.some(({subject}) => subject === CONTAINERD)
  const text = [
    ...(row.mark === 'not-checked' ? [] : [row.text]),
    ...(service ? [serviceText(service, Date.parse(finishedAt))] : []),
  ].join('; ')
  return {label: CONTAINERD, mark: isDown && row.mark === 'good' ? 'bad' : row.mark, text}
}

/** "running for 2 h, restarts 0; healthy for 2 h; last repair: flanneld, 5 min ago" */
function watchRow({finishedAt, problems, services, watch}: StatusDocument): StatusRow[] {
  const service = services.find(({name}) => name === 'k8s-win')
  if (watch === undefined && !service) return []
  const now = Date.parse(finishedAt)
  const ago = (time: string): string => duration(Math.max(0, now - Date.parse(time)))
  const last = watch?.repairs.at(-1)
  const isDown = service !== undefined && service.state !== 'running'
  const isBad = isDown || problems.some(({area, subject}) => area === 'services' && subject === 'k8s-win')
  const said = watch?.stale
    ? [Date.parse(watch.at) > now ? 'its report is of a later time' : `no report for ${ago(watch.at)}`]
    : [
        watch ? `${watch.verdict.replace('gave-', 'given ')} for ${ago(watch.since)}` : 'no report',
        // A line of its own has the pause.
        ...(watch?.detail === undefined || watch.verdict === 'paused' ? [] : [watch.detail]),
      ]
  const text = [
    ...(service ? [serviceText(service, now)] : []),
    ...(isDown ? [] : said),
    ...(last
      ? [`last repair: ${last.what}, ${ago(last.at)} ago${last.outcome === 'repaired' ? '' : `, ${last.outcome}`}`]
      : []),
  ]
  const isFine = watch?.verdict === 'healthy' && !watch.stale
  const mark = isBad ? 'bad' : isFine ? 'good' : 'not-checked'
  return [{label: 'watch', mark, text: text.join('; ')}]
}

const isAll = (things: readonly {readonly state: string}[] | null, ...states: readonly string[]): boolean =>
  things?.every(({state}) => states.includes(state)) ?? true

/** A step whose drift another problem explains has drifted too. */
function driftMark(drift: StatusDocument['drift']): StatusRow['mark'] {
  if (drift?.some(({state}) => state === 'drifted' || state === 'missing')) return 'bad'
  return drift === null || drift.some(({state}) => state === 'not-checked') ? 'not-checked' : 'good'
}

type Known<Key extends keyof StatusDocument> = NonNullable<StatusDocument[Key]>

function nodeText(node: Known<'node'>, isKubeletDown: boolean): string {
  const {addresses, name, podCIDR, ready, registered, schedulable, version} = node
  if (!registered) return `${name} is not registered`
  const parts = [
    `${name} ${ready && isKubeletDown ? 'was Ready before its kubelet stopped' : `is ${ready ? 'Ready' : 'NotReady'}`}${schedulable ? '' : ', cordoned'}`,
    version || 'version unknown',
    addresses.join(' ') || 'no address',
    podCIDR === '' ? 'no pod network' : `pods ${podCIDR}`,
  ]
  return parts.join(', ')
}

/** Appended if the file has this problem. */
const UNFIT_IDENTITIES: Readonly<Record<string, string>> = {
  [credentialsLapsed.id]: ', expired or not yet valid',
  [kubeletCertificateLapsed.id]: ', expired',
}

function identityText(
  {file, user, validUntil}: Known<'identities'>[number],
  problems: readonly StatusProblem[],
  now: number,
): string {
  const its = problems.filter(({subject}) => subject === file)
  if (its.some(({id}) => id === kubeconfigMissing.id)) return 'no kubeconfig'
  const unfit = its.map(({id}) => UNFIT_IDENTITIES[id] ?? '').join('')
  const left = Date.parse(validUntil ?? '') - now
  const until =
    validUntil === null
      ? 'validity unknown'
      : `until ${validUntil.slice(0, 10)}${left > 0 ? ` (${duration(left)} left)` : ''}`
  return `${user ?? 'known only to the cluster'}, ${until}${unfit}`
}

function runtimeText({mode, running, service, version}: Known<'runtime'>): string {
  return running ? `${version}, ${mode} containers` : `no response, its service is ${service}`
}

const HEALTH_WORDS: Readonly<Partial<Record<ServiceReport['health'], string>>> = {
  sick: 'unhealthy',
  taken: 'port taken',
}

function serviceText({exitCode, health, restarts, serviceExitCode, since, state}: ServiceReport, now: number): string {
  const isDown = state === 'stopped'
  const age = since === null ? '' : ` for ${duration(Math.max(0, now - Date.parse(since)))}`
  return [
    state === 'absent' ? 'does not exist' : `${state}${age}`,
    ...(state === 'absent' ? [] : [`restarts ${restarts ?? 'unknown'}`]),
    ...(isDown ? [`exit code ${exitCode}${serviceExitCode === 0 ? '' : ` (its own ${serviceExitCode})`}`] : []),
    ...(health === 'none' || health === 'not asked' ? [] : [`healthz ${HEALTH_WORDS[health] ?? health}`]),
  ].join(', ')
}

function networkText({name, port, present, sourceVip, subnet, vni}: Known<'network'>): string {
  if (!present) return `the HNS network ${name} does not exist`
  return [
    `${name} ${subnet || 'with an unknown subnet'}`,
    `VNI ${vni ?? 'unknown'}`,
    `port ${port ?? 'unknown'}`,
    `source VIP ${sourceVip ?? 'none'}`,
  ].join(', ')
}

const rulesText = (rules: Known<'firewall'>): string =>
  rules.map(({port, protocol, state}) => `${protocol} ${port} ${state}`).join(', ')

function programsText(programs: Known<'programs'>): string {
  const versions = new Map(programs.map(({artifact, version}) => [artifact, version]))
  const verified = programs.filter(({state}) => state === 'verified').length
  const named = [...versions].map(([artifact, version]) => `${artifact} ${version || 'unknown'}`).join(', ')
  const unchecked = programs.filter(({state}) => state === 'not-checked').length
  const rest = unchecked === 0 ? '' : `, ${unchecked} not checked`
  return `${named}; ${verified} of ${programs.length} files as verified${rest}`
}

const imagesText = (images: Known<'images'>): string =>
  images
    .map(({reference, state}) => {
      const name = reference.slice(reference.lastIndexOf('/', reference.lastIndexOf('/') - 1) + 1)
      return state === 'present' ? name : `${name} ${state}`
    })
    .join(', ')

function driftText(drift: Known<'drift'>): string {
  const of = (...states: readonly string[]) => drift.filter(({state}) => states.includes(state))
  const [gone, notChecked, skipped] = [of('drifted', 'missing'), of('not-checked'), of('skipped')]
  const counts = [
    gone.length === 0 ? 'none' : gone.map(({step}) => step).join(', '),
    `${of('in-place').length} of ${drift.length} steps as setup left them`,
    ...(notChecked.length === 0 ? [] : [`${notChecked.length} not checked`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
  ]
  return `${counts[0]}; ${counts.slice(1).join(', ')}`
}
