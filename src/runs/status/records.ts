// What setup left in writing, for commands that only read: also if some of it is damaged, incomplete or not readable. Whether
// it is of the node that this host has is shown by the services.
import {isSameHome} from '../../components/node-home.js'
import {normalizeBaseDir} from '../../config/base-dir.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {STEP_IDS, type StepId} from '../../config/step-ids.js'
import {parseVersion} from '../../config/version.js'
import {nodeOptionsLost} from '../../errors/configuration.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {journalDamaged, journalLost, servicesGone, storedForOtherFolder} from '../../errors/unhealthy-node.js'
import type {KnownRecords} from '../../health/check-rows.js'
import {problemOf, whyNotChecked} from '../../health/run-reporting-check.js'
import {textAt} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import {orGivenUp, within} from '../../host/wait.js'
import {openServices} from '../../host/services/services.js'
import {elsewhere, type NamedService} from '../../pipeline/desired/services/own-services.js'
import {optionsReadBack, whyNoRecords} from '../../pipeline/run/missing-node.js'
import {keptName} from '../../pipeline/desired/cluster/node-cluster.js'
import {lostSteps} from '../../pipeline/owned/find-owned.js'
import {type Journal, openJournal} from '../../pipeline/ledger/journal.js'
import type {HandedOverRun, NotChecked} from '../../pipeline/run/status-report.js'
import type {FoundProblem} from '../../preflight/check.js'
import {isNodeAbsent, type NodeRequest, readDefaults, readKnownNode} from '../known-node.js'
import {isLockHeld} from '../run-lock.js'
import {handedOverRun} from './handed-over.js'
import {
  readRuns,
  runningError,
  stoppedAt,
  type UnfinishedRun,
  unfinishedError,
  unfinishedRun,
} from './unfinished-run.js'

const RECORDS_MS = 5000
/** Of what another run wrote about itself. */
const LONGEST = 200

export interface NodeRecords extends KnownRecords {
  readonly config: Decided
  readonly handedOver?: HandedOverRun | undefined
  readonly journal: Journal
  /** Of a node whose records are lost: the options that are still known, for a command. */
  readonly readBack: string
  readonly state: 'absent' | 'there'
}

export const recordProblem = (error: K8sWinError, subject: string): FoundProblem => {
  const {wanted = 'a node that is set up'} = error
  return problemOf(error, {area: 'setup', subject, wanted})
}

/** Throws a ProblemsError only for what is wrong with the base directory that was asked for. */
export async function readRecords(asked: NodeRequest): Promise<NodeRecords> {
  const {clock} = asked.machine
  // A remote Docker of the user is not that of this node.
  const request = {...asked, dockerHost: /^npipe:/i.test(asked.dockerHost ?? '') ? asked.dockerHost : undefined}
  try {
    const known = await within(clock, RECORDS_MS, readKnownNode(request))
    const {distrust, journal, problem, state} = known
    const {damage} = journal
    const layout = layoutOf(known.config.baseDir)
    const runs = await within(clock, RECORDS_MS, readRuns(trustedFilesOf(request.machine), layout))
    const [, lock] = runs
    const isRunning = lock !== undefined && (await orGivenUp(clock, RECORDS_MS, isLockHeld(request.machine))) === true
    const isAbsent = isNodeAbsent(known)
    const cut = unfinishedRun(known)
    const isLost = state !== 'set-up' && !isAbsent && cut === undefined && problem === undefined
    const config = {...known.config, ...(isLost && installedRelease(journal)), skip: skippedIn(journal)}
    const unnoted = state === 'set-up' && cut === undefined ? lostSteps(journal, config) : []
    const claimed = claimedFolder(known.config)
    const isElsewhere = claimed !== '' && !isSameHome(claimed, config.baseDir)
    const handedOver = await orGivenUp(clock, RECORDS_MS, handedOverRun(request.machine, config.baseDir))
    const ofRun = cut && (isRunning ? runningError(cut, lock) : unfinishedError(cut, known, runs, handedOver))
    const node = isLost ? ((await orGivenUp(clock, RECORDS_MS, nameOf(request))) ?? '<name>') : ''
    const readBack =
      isLost || isAbsent
        ? ((await orGivenUp(clock, RECORDS_MS, readBackOf(request, config.baseDir, journal))) ?? '')
        : ''
    const isDamaged = damage?.message !== undefined
    const problems = [
      ...(ofRun ? [recordProblem(ofRun, config.baseDir)] : []),
      ...(isLost
        ? [recordProblem(nodeOptionsLost({node, options: readBack, path: layout.nodeConfig}), layout.nodeConfig)]
        : []),
      ...(isDamaged ? [recordProblem(journalDamaged({seen: damage.message}), layout.journal)] : []),
      ...(!isDamaged && unnoted.length > 0 ? [recordProblem(journalLost({path: layout.journal}), layout.journal)] : []),
      ...(distrust ? [recordProblem(distrust, layout.journal)] : []),
      ...[...(problem?.problems ?? []), ...(config.storedDamage ? [config.storedDamage] : [])].map((one) =>
        recordProblem(one, layout.nodeConfig),
      ),
      ...(isElsewhere
        ? [recordProblem(storedForOtherFolder({claimed, path: layout.nodeConfig}), layout.nodeConfig)]
        : []),
    ]
    const isComparable = state === 'set-up' && problem === undefined && cut === undefined
    const there = isAbsent ? 'absent' : 'there'
    const report = {
      problems,
      notChecked: isAbsent || isComparable ? [] : [noDrift(cut)],
      warnings: cut === undefined ? runOf(lock, isRunning) : [],
    }
    const step = cut && stoppedAt(cut, journal)
    const run = {...(step && {stoppedAt: step}), unfinished: cut}
    return {config, handedOver, isComparable, journal, readBack, state: there, unnoted, ...run, ...report}
  } catch (error) {
    request.signal.throwIfAborted()
    if (error instanceof ProblemsError) throw error
    return unreadable(request, error)
  }
}

/** Services, networks and ports can be checked without the records; a node must not be reported as absent. */
async function unreadable(request: NodeRequest, error: unknown): Promise<NodeRecords> {
  const config = await readDefaults(request)
  const {journal: path, state} = layoutOf(config.baseDir)
  const {clock, files} = request.machine
  return {
    config,
    isComparable: false,
    journal: await openJournal({...files, ...NO_FILES}, path, () => clock.now()),
    problems: [],
    readBack: '',
    state: 'there',
    unfinished: undefined,
    unnoted: [],
    notChecked: [{what: `the records of setup in ${state}`, why: whyNotChecked(error, {deadlineMs: RECORDS_MS})}],
    warnings: [],
  }
}

const EXPLAINED = {reset: 'a reset is removing the node', upgrade: 'an upgrade has not finished'}

const noDrift = (run: UnfinishedRun | undefined): NotChecked => ({
  what: 'drift',
  why: run === undefined || run === 'setup' ? 'the options of this node are unknown' : EXPLAINED[run],
})

/** Compares the records with the services: the node may run without them, from another folder, or be gone. */
export function comparedWithServices(written: NodeRecords, services: readonly NamedService[]): NodeRecords {
  const {baseDir, skip} = written.config
  const isHere = services.some(({home, isOurs}) => isOurs && isSameHome(home ?? '', baseDir))
  const isAbsent = written.state === 'absent'
  if (isAbsent && isHere) {
    const problems = [recordProblem(whyNoRecords(services, baseDir, written.readBack), layoutOf(baseDir).state)]
    return {...written, problems, state: 'there', notChecked: [noDrift(undefined)]}
  }
  // An unfinished run is reported in the folder that it was started for.
  if (isAbsent || isHere || written.unfinished !== undefined) return written
  const isGone = services.length === 0 && written.isComparable && !skip.includes('kubelet-service')
  const error = isGone
    ? servicesGone({folder: baseDir})
    : elsewhere(
        services.filter(({isOurs}) => isOurs),
        baseDir,
      )
  return error ? {...written, problems: [recordProblem(error, baseDir)], state: 'absent', notChecked: []} : written
}

const NO_FILES = {
  read: () => Promise.resolve(undefined),
  readRange: () => Promise.resolve(undefined),
  status: () => Promise.resolve(undefined),
}

/** The base directory that is stored, which must be the one that it is stored in. */
function claimedFolder({storedFolder = ''}: Pick<Decided, 'storedFolder'>): string {
  const claimed = normalizeBaseDir(storedFolder)
  return 'path' in claimed ? claimed.path : ''
}

/** A run in progress, or one that was killed, explains an incomplete node. */
function runOf(lock: unknown, isRunning: boolean): string[] {
  if (lock === undefined) return []
  const [command, since] = [textAt(lock, 'command').slice(0, LONGEST), textAt(lock, 'since').slice(0, LONGEST)]
  const text = `since ${since || 'unknown'}: ${command || 'unknown'}`
  return [
    isRunning ? `k8s-win is running on this node (${text})` : `a run of k8s-win was killed on this node (${text})`,
  ]
}

/** The name of the node as setup finds it. */
async function nameOf({machine: {clock, win32}}: NodeRequest): Promise<string> {
  return (await keptName({services: openServices(win32, clock)})) ?? (await win32.computerName()).toLowerCase()
}

const readBackOf = (
  {machine: {clock, files, win32}}: NodeRequest,
  baseDir: string,
  journal: Journal,
): Promise<string> => optionsReadBack({files, services: openServices(win32, clock)}, baseDir, journal)

/** The release that is installed, if node.yaml is lost. */
function installedRelease(journal: Journal): Partial<Pick<Decided, 'release'>> {
  const [noted] = journal.entries('kubernetes-binaries', 'file').flatMap(({version}) => version ?? [])
  const release = noted === undefined ? undefined : parseVersion(noted)
  return release ? {release} : {}
}

/** Steps that the last setup skipped have not drifted. node.yaml does not store --skip, which is for one run. */
export function skippedIn(journal: Journal): StepId[] {
  const [{skip = []} = {}] = journal.entries('base-dir', 'setup')
  return STEP_IDS.filter((id) => skip.includes(id))
}
