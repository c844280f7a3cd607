// The node in a base directory: its records and its health, for status and doctor.
import {win32} from 'node:path'
import {homeOfService} from '../../components/node-home.js'
import {COMMON_DAEMONS} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {optionOf} from '../../config/options.js'
import {DEFAULT_DOCKER_PIPE} from '../../config/parse-option.js'
import {checkHealth, type Health} from '../../health/check-health.js'
import {asTyped} from '../../health/run-reporting-check.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {within} from '../../host/wait.js'
import type {Assets, Machine} from '../../machine/machine.js'
import type {Redactor} from '../../output/text/redact.js'
import {whatIsMissing} from '../../pipeline/owned/find-by-marks.js'
import type {StatusProblem} from '../../pipeline/run/status-report.js'
import {HostFacts, type Reviews} from '../../preflight/facts.js'
import {stepsFor} from '../../steps/index.js'
import type {NodeRequest} from '../known-node.js'
import {registerSecrets} from '../register-secrets.js'
import {type NamedService, type NodeRecords, comparedWithServices, readRecords} from './records.js'
import {settleNode} from './settle-node.js'

export interface HealthRun extends NodeRequest {
  readonly assets: Assets
  /** Checks whose failure is only a warning. */
  readonly ignoreChecks?: readonly string[]
  readonly redactor: Redactor
  readonly reviews: Reviews
  /** A command as typed on this host: "k8s-win setup -BaseDir D:\k". */
  readonly typed: (name: string, baseDir: string | undefined) => string
}

export interface CheckedNode {
  readonly command: (name: string) => string
  /** Undefined if there is no node. */
  readonly health?: Health
  readonly known: NodeRecords
  /** Problems of the records. */
  readonly problems: readonly StatusProblem[]
  readonly services: readonly NamedService[]
}

const SHORT_MS = 3000

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function checkNode(run: HealthRun): Promise<CheckedNode> {
  const {assets, machine} = run
  const written = await readRecords(run)
  const {baseDir} = written.config
  const host = openHost(machine, {assets, baseDir, dockerPipe: DEFAULT_DOCKER_PIPE})
  const services = await findServices(host)
  const known = comparedWithServices(written, services)
  const command = commandOf(run, known)
  const problems = known.problems.map((problem) => asTyped(problem, command))
  const node = {command, known, problems, services}
  const [missing, health] = await Promise.all([
    whatJournalLacks(host, known),
    known.state === 'absent' ? undefined : healthOf(run, machine, node),
  ])
  const warnings = [...known.warnings, ...missing]
  if (!health) return {...node, known: {...known, warnings}}
  return {...node, health: {...health, warnings: [...missing, ...health.warnings]}}
}

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
async function whatJournalLacks(host: Host, {config, isComparable, journal, problems}: NodeRecords): Promise<string[]> {
  const path = layoutOf(config.baseDir).journal
  if (!isComparable || problems.some(({subject}) => subject === path)) return []
  if (journal.all().some(({entry}) => entry.kind === 'loss')) return []
  const missing = await within(host.clock, SHORT_MS, whatIsMissing(host, config, journal)).catch(() => undefined)
  return missing === undefined ? [] : [`${missing}: reset prompts first, or requires --yes`]
}

async function healthOf(run: HealthRun, machine: Machine, {command, known, problems}: CheckedNode): Promise<Health> {
  const {assets, ignoreChecks = [], redactor, reviews, signal} = run
  const stored = {...known.config, ignoreChecks: [...known.config.ignoreChecks, ...ignoreChecks]}
  const host = openHost(machine, hostOptions(assets, stored))
  const facts = new HostFacts(stored, host, known.journal, reviews)
  const [settled] = await Promise.all([
    settleNode(facts),
    within(host.clock, SHORT_MS, registerSecrets(facts, redactor)).catch(() => {}),
  ])
  return checkHealth({
    assets,
    command,
    config: settled.config,
    facts,
    journal: known.journal,
    machine,
    records: {
      ...known,
      problems: [...problems, ...settled.problems.map((problem) => asTyped(problem, command))],
      notChecked: [...known.notChecked, ...settled.notChecked],
    },
    signal,
    steps: stepsFor(settled.config),
  })
}

function commandOf({typed}: HealthRun, {config}: NodeRecords): (name: string) => string {
  const initial = win32.normalize(optionOf('base-dir').default ?? '').toLowerCase()
  const baseDir = config.baseDir.toLowerCase() === initial ? undefined : config.baseDir
  return (name) => typed(name, baseDir)
}
