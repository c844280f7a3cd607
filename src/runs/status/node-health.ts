// The node in a base directory, checked from all sides: what its records say, and its health. For status and doctor alike.
import {win32} from 'node:path'
import {optionOf} from '../../config/options.js'
import {DEFAULT_DOCKER_PIPE} from '../../config/parse-option.js'
import {checkHealth, type Health} from '../../health/check-health.js'
import {withCommand} from '../../health/root-cause.js'
import {openHost} from '../../host/host.js'
import {within} from '../../host/wait.js'
import type {Assets, Machine} from '../../machine/machine.js'
import type {Redactor} from '../../output/text/redact.js'
import type {StatusProblem} from '../../pipeline/run/status-report.js'
import {HostFacts} from '../../preflight/facts.js'
import {stepsFor} from '../../steps/index.js'
import type {NodeRequest} from '../known-node.js'
import {registerSecrets} from '../setup/preflight-with-retry.js'
import {findServices, type NamedService, placed, withCutJournal} from './node-home.js'
import type {RecordProblem} from './record-problems.js'
import {type NodeRecords, readRecords} from './records.js'
import {settleNode} from './settle-node.js'

export interface HealthRun extends NodeRequest {
  readonly assets: Assets
  /** Those whose failure is only a warning. */
  readonly ignoreChecks?: readonly string[]
  readonly redactor: Redactor
  /** A command as people would type it here: "k8s-win setup -BaseDir D:\k". */
  readonly typed: (name: string, baseDir: string | undefined) => string
}

export interface CheckedNode {
  readonly command: (name: string) => string
  /** None where there is no node. */
  readonly health?: Health
  readonly known: NodeRecords
  /** What is wrong with the records, with the command that helps. */
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
  const services = await findServices(host, baseDir)
  const here = placed(written, services)
  const command = commandOf(run, here)
  const problems = here.problems.map((problem) => fixedBy(problem, command))
  const [known, health] = await Promise.all([
    withCutJournal(host, here),
    here.state === 'absent' ? undefined : healthOf(run, machine, {command, known: here, problems, services}),
  ])
  const look = {command, known, problems, services}
  if (!health) return look
  // What the journal does not name is no more than a warning.
  const more = known.warnings.filter((warning) => !here.warnings.includes(warning))
  return {...look, health: {...health, warnings: [...more, ...health.warnings]}}
}

async function healthOf(run: HealthRun, machine: Machine, {command, known, problems}: CheckedNode): Promise<Health> {
  const {assets, ignoreChecks = [], redactor, signal} = run
  const stored = {...known.config, ignoreChecks: [...known.config.ignoreChecks, ...ignoreChecks]}
  const host = openHost(machine, {assets, baseDir: stored.baseDir, dockerPipe: stored.dockerPipe})
  const facts = new HostFacts(stored, host, known.journal)
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
      problems: [...problems, ...settled.problems],
      unseen: [...known.unseen, ...settled.unseen],
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

function fixedBy({fix, next, ...problem}: RecordProblem, command: (name: string) => string): StatusProblem {
  const told = typeof next === 'function' ? next(command) : next
  if (told === undefined) return {...problem, command: command('setup'), next: command('setup')}
  return withCommand({...problem, command: fix && command(fix), next: told}, command)
}
