// The node in a base directory: its records and its health. The phases that status and doctor share.
import type {NamedService} from '../../pipeline/desired/services/own-services.js'
import {win32} from 'node:path'
import {homeOfService} from '../../components/node-home.js'
import {COMMON_DAEMONS} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {optionOf} from '../../config/options/options.js'
import {DEFAULT_DOCKER_PIPE} from '../../config/options/parse-option.js'
import {checkHealth, type Health} from '../../health/check-health.js'
import {groundedBy} from '../../health/check-rows.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {within} from '../../host/wait.js'
import {redactAll} from '../../output/text/redact.js'
import {whatIsMissing} from '../../pipeline/owned/find-by-marks.js'
import {Facts, type Reviews} from '../../preflight/facts.js'
import {stepsFor} from '../../steps/index.js'
import type {NodeRequest} from '../known-node.js'
import {registerSecrets} from '../register-secrets.js'
import type {Phase, PhasedRun, Session} from '../run.js'
import {type NodeRecords, comparedWithServices, readRecords} from './records.js'
import {settleNode} from './settle-node.js'

export interface HealthInput extends NodeRequest, Pick<Session, 'assets' | 'redactor'> {
  /** A command as typed on this host: "k8s-win setup -BaseDir D:\k". */
  readonly typed: (name: string, baseDir: string | undefined) => string
}

/** A run of status or doctor. Each value is set by the phase that finds it. */
export interface NodeRun extends HealthInput, PhasedRun {
  /** Undefined if there is no node. */
  health?: Health
  /** Checks whose failure is only a warning. */
  ignoreChecks?: readonly string[]
  /** The cluster is not asked. */
  readonly isOffline?: boolean
  known: NodeRecords
  readonly reviews: Reviews
  services: readonly NamedService[]
  signal: AbortSignal
}

const SHORT_MS = 3000

export const CHECK_NODE: readonly Phase<NodeRun>[] = [
  // Also where they are damaged or cannot be read. Rejects for what is wrong with the request.
  {run: readNode, title: 'Read the records of setup'},
  // The node may run without its records, from another folder, or be gone.
  {run: compareServices, title: 'Find the services'},
  {run: checkNode, title: 'Check node health'},
]

async function readNode(run: NodeRun): Promise<void> {
  run.known = await readRecords(run)
}

async function compareServices(run: NodeRun): Promise<void> {
  run.services = await findServices(hostOf(run))
  run.known = comparedWithServices(run.known, run.services)
}

async function checkNode(run: NodeRun): Promise<void> {
  const {known} = run
  const [missing, health] = await Promise.all([
    whatJournalLacks(run),
    known.state === 'absent' ? undefined : healthOf(run),
  ])
  run.known = {...known, warnings: [...known.warnings, ...missing]}
  if (health) run.health = {...health, warnings: [...missing, ...health.warnings]}
}

/** As far as the stored options are not needed. */
const hostOf = ({assets, known: {config}, machine}: NodeRun): Host =>
  openHost(machine, {assets, baseDir: config.baseDir, dockerPipe: DEFAULT_DOCKER_PIPE})

/** A service that Windows does not report within this time may exist. */
const UNKNOWN_SERVICE = {home: undefined, isOurs: false, name: 'unknown'}

async function findServices(host: Host): Promise<NamedService[]> {
  const find = async (name: string): Promise<NamedService[]> => {
    const [imagePath, isOurs] = await Promise.all([host.services.imagePath(name), host.services.isOurs(name)])
    return imagePath === undefined ? [] : [{home: homeOfService(imagePath), isOurs, name}]
  }
  const found = COMMON_DAEMONS.map(({service}) =>
    within(host.clock, SHORT_MS, find(service)).catch(() => [UNKNOWN_SERVICE]),
  )
  return (await Promise.all(found)).flat()
}

/** Only a warning, because the node works without it. A loss that setup has recorded cannot be repaired, and is none. */
async function whatJournalLacks(run: NodeRun): Promise<string[]> {
  const host = hostOf(run)
  const {config, isComparable, journal, problems} = run.known
  const path = layoutOf(config.baseDir).journal
  if (!isComparable || problems.some(({subject}) => subject === path)) return []
  if (journal.all().some(({entry}) => entry.kind === 'loss')) return []
  const missing = await within(host.clock, SHORT_MS, whatIsMissing(host, config, journal)).catch(() => undefined)
  return missing === undefined ? [] : [`${missing}: reset prompts first, or requires --yes`]
}

async function healthOf(run: NodeRun): Promise<Health> {
  const {assets, ignoreChecks = [], isOffline = false, known, machine, redactor, reviews, signal} = run
  const stored = {...known.config, ignoreChecks: [...known.config.ignoreChecks, ...ignoreChecks]}
  const host = openHost(machine, hostOptions(assets, stored))
  const facts = new Facts(stored, host, known.journal, {reviews})
  const [settled] = await Promise.all([settleNode(facts), registerSecrets(facts, redactor, SHORT_MS)])
  return checkHealth({
    assets,
    config: settled.config,
    facts,
    isOffline,
    journal: known.journal,
    machine,
    records: {
      ...known,
      problems: [...known.problems, ...settled.problems.filter(groundedBy(known))],
      notChecked: [...known.notChecked, ...settled.notChecked],
    },
    signal,
    steps: stepsFor(settled.config),
  })
}

/** Commands of k8s-win, in quotes or as a text of their own; not the names of its firewall rules. */
const HINT =
  /"k8s-win ((?!\S+ (?:VXLAN )?(?:TCP|UDP) )[^"\n]*)"|^k8s-win ((?:attach|doctor|logs|pause|recover|reset|resume|setup|start|status|stop|upgrade|verify)\b.*)$/g

/** What is shown of a run: without secrets, and with commands as typed on this host for this node. */
export function shown<T>({known: {config}, redactor, typed}: NodeRun, value: T): T {
  const initial = win32.normalize(optionOf('base-dir').default ?? '').toLowerCase()
  const baseDir = config.baseDir.toLowerCase() === initial ? undefined : config.baseDir
  const withTyped = (text: string): string =>
    text.replaceAll(HINT, (_, quoted: string | undefined, whole: string | undefined) => {
      const command = typed(quoted ?? whole ?? '', baseDir)
      return quoted === undefined || command.includes('"') ? command : `"${command}"`
    })
  return redactAll(value, (text) => redactor.redact(withTyped(text)))
}
