// What setup left in writing, for who only looks: also where some of it is damaged, half-made or not ours to read.
import {isSameHome} from '../../components/node-home.js'
import {normalizeBaseDir} from '../../config/base-dir.js'
import {readConfigFile} from '../../config/config-file.js'
import {type Layout, layoutOf} from '../../config/layout.js'
import type {SetupConfig} from '../../config/model.js'
import {environmentVariable} from '../../config/options.js'
import {STEP_IDS, type StepId} from '../../config/step-ids.js'
import {parseVersion} from '../../config/version.js'
import {decodeText} from '../../config/yaml.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {whyUnseen} from '../../health/probe.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {listAt, textAt} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import {orGivenUp, within} from '../../host/wait.js'
import {type Journal, openJournal} from '../../pipeline/ledger/journal.js'
import type {Unseen} from '../../pipeline/run/status-report.js'
import {readConfiguration} from '../configuration.js'
import {type NodeRequest, readKnownNode} from '../known-node.js'
import {isLockHeld} from '../run-lock.js'
import {
  damaged,
  lostJournal,
  lostOptions,
  lostRecords,
  movedAway,
  noDrift,
  otherFolder,
  type RecordProblem,
  running,
  servicesGone,
  unfinished,
  unusable,
} from './record-problems.js'
import {readRuns, type UnfinishedRun, unfinishedRun, unnotedSteps} from './unfinished-run.js'

const RECORDS_MS = 5000
/** Of what another run wrote about itself. */
const LONGEST = 200

export interface NodeRecords {
  readonly config: SetupConfig
  /** It is known what this node was set up with, so that drift from it can be told. */
  readonly isComparable: boolean
  readonly journal: Journal
  /** Those of the whole first. */
  readonly problems: readonly RecordProblem[]
  readonly state: 'absent' | 'there'
  /** The run that did not finish: it explains what is missing. */
  readonly unfinished: UnfinishedRun | undefined
  /** Steps of which the journal has lost what it noted: without it they cannot be told from others' work. */
  readonly unnoted: readonly StepId[]
  readonly unseen: readonly Unseen[]
  readonly warnings: readonly string[]
}

/** Throws a ProblemsError only for what is wrong with the base directory that was asked for. */
export async function readRecords(asked: NodeRequest): Promise<NodeRecords> {
  const {clock} = asked.machine
  // Somebody's remote Docker is not this node's, and no reason not to look.
  const request = {...asked, dockerHost: /^npipe:/i.test(asked.dockerHost ?? '') ? asked.dockerHost : undefined}
  try {
    const known = await within(clock, RECORDS_MS, readKnownNode(request))
    const {damage, distrust, journal, problem, state} = known
    const layout = layoutOf(known.config.baseDir)
    const [last, lock] = await within(clock, RECORDS_MS, readRuns(trustedFilesOf(request.machine), layout))
    const isRunning = lock !== undefined && (await orGivenUp(clock, RECORDS_MS, isLockHeld(request.machine))) === true
    const isAbsent = [damage, distrust, problem].every((one) => one === undefined) && state === 'absent'
    const cut = isAbsent ? undefined : unfinishedRun(state, last, lock)
    const isLost = state !== 'set-up' && !isAbsent && cut === undefined && problem === undefined
    const config = {...known.config, ...(isLost && installedRelease(journal)), skip: skippedIn(last)}
    const unnoted = state === 'set-up' && cut === undefined ? unnotedSteps(journal, config.skip) : []
    const claimed =
      state === 'set-up' && !problem ? await within(clock, RECORDS_MS, claimedFolder(request, layout)) : ''
    const isElsewhere = claimed !== '' && !isSameHome(claimed, config.baseDir)
    const problems = [
      ...(cut !== undefined && isRunning ? [running(cut, lock, config.baseDir)] : []),
      ...(cut !== undefined && !isRunning ? [unfinished(cut, [last, lock], config.baseDir)] : []),
      ...(isLost ? [lostOptions(layout.nodeConfig)] : []),
      ...(damage?.message === undefined ? [] : [damaged(damage.message, layout.journal)]),
      ...(damage?.message === undefined && unnoted.length > 0 ? [lostJournal(journal, layout.journal)] : []),
      ...(distrust ? [unusable(new ProblemsError([distrust]), layout.journal)] : []),
      ...(problem ? [unusable(problem, layout.nodeConfig)] : []),
      ...(isElsewhere ? [otherFolder(claimed, config.baseDir, layout.nodeConfig)] : []),
    ]
    const isComparable = state === 'set-up' && problem === undefined && cut === undefined
    const there = isAbsent ? 'absent' : 'there'
    const told = {
      problems,
      unseen: isAbsent || isComparable ? [] : [noDrift(cut)],
      warnings: cut === undefined ? runOf(lock, isRunning) : [],
    }
    return {config, isComparable, journal, state: there, unfinished: cut, unnoted, ...told}
  } catch (error) {
    request.signal.throwIfAborted()
    if (error instanceof ProblemsError) throw error
    return unreadable(request, error)
  }
}

/** Services, networks and ports are seen without it; a node that is there must not be called absent. */
async function unreadable(request: NodeRequest, error: unknown): Promise<NodeRecords> {
  const {baseDir, dockerHost, environment, machine, signal} = request
  const variable = environmentVariable('base-dir')
  const flags = baseDir === undefined ? {} : {'base-dir': baseDir}
  const input = {dockerHost, environment: {[variable]: environment[variable]}, flags, machine, signal}
  const {config} = await readConfiguration({...input, withStored: false})
  const {journal: path, state} = layoutOf(config.baseDir)
  const {clock, files} = machine
  return {
    config,
    isComparable: false,
    journal: await openJournal({...files, ...NOTHING_THERE}, path, () => clock.now()),
    problems: [],
    state: 'there',
    unfinished: undefined,
    unnoted: [],
    unseen: [{what: `the records of setup in ${state}`, why: whyUnseen(error, {deadlineMs: RECORDS_MS})}],
    warnings: [],
  }
}

/** Of a node whose services run from here, though nothing is written of it any more. */
export const withLostRecords = (known: NodeRecords): NodeRecords => ({
  ...known,
  problems: [lostRecords(layoutOf(known.config.baseDir).state)],
  state: 'there',
  unseen: [noDrift(undefined)],
})

/** Of a folder that the node was moved from: what it was set up with there is no measure any more. */
export const withNodeElsewhere = (known: NodeRecords, home: string): NodeRecords => ({
  ...known,
  problems: [movedAway(home, known.config.baseDir)],
  state: 'absent',
  unseen: [],
})

/** Of a folder that has the records of a node, on a host that has none. */
export const withServicesGone = (known: NodeRecords): NodeRecords => ({
  ...known,
  problems: [servicesGone(known.config.baseDir)],
  state: 'absent',
  unseen: [],
})

const NOTHING_THERE = {
  read: () => Promise.resolve(undefined),
  readRange: () => Promise.resolve(undefined),
  status: () => Promise.resolve(undefined),
}

/** Whose base directory node.yaml says that it is of: the run's own is the one that was asked for. */
async function claimedFolder({machine}: NodeRequest, {nodeConfig}: Layout): Promise<string> {
  const content = await readUserFile(machine.files, nodeConfig).catch(() => undefined)
  const {given} = readConfigFile(decodeText(content ?? Buffer.alloc(0)), nodeConfig, 'stored')
  const claimed = normalizeBaseDir(String(given['base-dir'] ?? ''))
  return 'path' in claimed ? claimed.path : ''
}

/** What is seen now may be half of what is being made, or of what a run that died has made. */
function runOf(lock: unknown, isRunning: boolean): string[] {
  if (lock === undefined) return []
  const [command, since] = [textAt(lock, 'command').slice(0, LONGEST), textAt(lock, 'since').slice(0, LONGEST)]
  const told = `since ${since || 'unknown'}: ${command || 'unknown'}`
  return [
    isRunning ? `k8s-win is running on this node (${told})` : `a run of k8s-win was killed on this node (${told})`,
  ]
}

/** Where nobody knows which one was asked for. */
function installedRelease(journal: Journal): Partial<Pick<SetupConfig, 'release'>> {
  const [noted] = journal.entries('kubernetes-binaries', 'file').flatMap(({version}) => version ?? [])
  const release = noted === undefined ? undefined : parseVersion(noted)
  return release ? {release} : {}
}

/** What the last setup was told to leave out is no drift. node.yaml does not keep it: it is for one run. */
function skippedIn(last: unknown): StepId[] {
  if (textAt(last, 'command') !== 'setup') return []
  const skipped = listAt(last, 'steps').filter((step) => textAt(step, 'state') === 'skipped')
  return STEP_IDS.filter((id) => skipped.some((step) => textAt(step, 'id') === id))
}
