// reset: stop the daemons, leave the cluster, and remove what setup created. A list of phases.
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {adminKubeconfigMissing, kubeconfigMissing} from '../../errors/cluster.js'
import {notAdministrator} from '../../errors/host.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {simulatorUnusable} from '../../errors/program.js'
import {resetIncomplete, resetUnproven} from '../../errors/reset.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import {hostOptions, openHost} from '../../host/host.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import {traceOf} from '../../output/run/run-log.js'
import {endingPods, type EndingPods} from '../../pipeline/leave/ending-pods.js'
import {begunRun} from '../../pipeline/ledger/run-entries.js'
import {hasRecords} from '../../pipeline/owned/own-file-names.js'
import {findOwned, type Owned} from '../../pipeline/owned/find-owned.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import type {Failure} from '../../pipeline/run/run-removals.js'
import {stoppedIn} from '../../pipeline/run/stopped-in.js'
import {Facts} from '../../preflight/facts.js'
import {STEPS} from '../../steps/index.js'
import {handOver, orTakenBack, quietContext, startHandedOver} from '../detach/hand-over.js'
import {deleteRunService} from '../detach/run-service.js'
import {readKnownNode} from '../known-node.js'
import {registerKubeconfig, registerSecrets} from '../register-secrets.js'
import {limitTime, openRecords, RECORDS_MS, runPhases, takeRunLock, timeLimit} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import {demandNoPodsLeft, hasNothing, isWanted, tellPlan, tellStaying} from './consent.js'
import {resetJobs} from './removals.js'
import {whyNoLogFile, whyUntrusted} from './log.js'
import {NO_PLAN, planReset} from './plan-on-twin.js'
import {nodeToReset, removeOwned} from './remove-owned.js'
import type {ResetInput, ResetPhase, ResetRun} from './reset-run.js'

const COMMAND = 'reset'

/** --timeout limits the checks and the removal, but not the time to answer the prompt. */
const inTime = (phase: ResetPhase): ResetPhase => ({
  ...phase,
  endsItself: true,
  async run(run) {
    const {input, machine} = run
    const limit = timeLimit(machine.clock, input.options.timeoutMs, input.signal)
    run.signal = limit.signal
    try {
      return await orAborted(phase.run(run), limit.signal)
    } finally {
      limit.cancel()
      run.signal = input.signal
    }
  },
})

async function readNode(run: ResetRun): Promise<void> {
  const {assets, bus, environment, input, machine, redactor, signal} = run
  const {config, distrust, problem} = await readKnownNode({...input, environment, machine, signal})
  const {kubeconfig: path} = input
  run.config = path === undefined ? config : {...config, administratorKubeconfig: path}
  // A journal that another account wrote could remove anything; without one, it is unknown what k8s-win created.
  if (distrust) throw distrust
  const refused = await whyNoLogFile(run)
  if (refused) throw refused
  for (const {message, reason} of problem?.problems ?? []) bus.warn(`${message}: ${reason} The defaults are used`)

  run.host = openHost(machine, hostOptions(assets, run.config))
  if (path === undefined) return
  const kubeconfig = await kubeconfigAt(run.host, path).catch((error: unknown) => {
    throw kubeconfigMissing.is(error) ? adminKubeconfigMissing({path}, {cause: error}) : error
  })
  registerKubeconfig(kubeconfig, redactor)
}

async function takeLock(run: ResetRun): Promise<void> {
  if (!(await run.host.os.isAdministrator())) throw notAdministrator({})
  if (!run.dryRun) await takeRunLock(run, run.config.baseDir)
}

async function takeInventory(run: ResetRun): Promise<void> {
  const {config, dryRun, host, input} = run
  run.own = await findOwned(host, config, STEPS)
  const {asker, options} = input
  const isRequired = dryRun || (!options.yes && (asker?.isTerminal === true || run.own.isDoubtful))
  if (isRequired) run.plan = await planReset(run)
  // Without a prompt, a host for which no plan can be made is reset all the same.
  else run.plan = asker && !options.yes ? await planReset(run).catch(() => NO_PLAN) : NO_PLAN
  run.hasRecords = await hasRecords(host.files, config.baseDir)
  run.endingPods = await findEndingPods(run)
}

/** Where nobody may be there to be asked. What an unmanaged service uses stays. */
async function findEndingPods({config, dryRun, host, input, own}: ResetRun): Promise<EndingPods | undefined> {
  const {asker, options} = input
  const {foreign, journal} = own
  const isAgreed = dryRun || options.yes || asker?.isTerminal === true || begunRun(journal)?.run === 'reset'
  if (isAgreed || foreign.some(({keeps}) => keeps.includes('containers'))) return undefined
  return endingPods({config: await nodeToReset(config, host, journal), host, journal}, options.drain)
}

async function askConsent(run: ResetRun): Promise<'ended' | void> {
  const {bus, own} = run
  const {journal, notRemoved} = own
  // What may be left is named by the question, the plan, and the error at the end.
  if (journal.damage?.message !== undefined) bus.warn(journal.damage.message)
  for (const one of notRemoved) bus.warn(`stays: ${one}`)
  if (await isWanted(run)) return
  run.isCancelled = !hasNothing(run.own)
  return 'ended'
}

async function showPlan(run: ResetRun): Promise<'ended'> {
  await tellPlan(run)
  throwFirst(run.plan.failures, {foreign: [], unproven: []}, run.config)
  return 'ended'
}

async function handOverReset(run: ResetRun): Promise<'ended'> {
  const {config, input, report} = run
  run.baseDir = config.baseDir
  limitTime(run, input.options.timeoutMs)
  await orTakenBack(run, config.baseDir, createService(run))
  report.isDetached = true
  return 'ended'
}

async function createService(run: ResetRun): Promise<void> {
  const {assets, config, input, limited, own} = run
  const {detached} = input
  if (!detached) return
  const host = openHost(limited.machine, hostOptions(assets, config))
  const {journal} = own
  const context = quietContext(run, {config: await nodeToReset(config, host, journal), host, journal})
  // As it was found: the variable or the file that named it in this session is not the service's.
  await handOver(context, {...detached, argv: [`--base-dir=${config.baseDir}`, ...detached.argv]})
  await startHandedOver(context)
}

async function openLog(run: ResetRun): Promise<void> {
  const {config, input, machine} = run
  const {logFile, timeoutMs} = input.options
  limitTime(run, timeoutMs)
  const refused = await orGivenUp(machine.clock, RECORDS_MS, openLogFile(run))
  if (refused) throw refused
  await openRecords(run, config.baseDir, logFile !== undefined)
}

/** --log-file, checked again: something may have been put there while the prompt was open. */
async function openLogFile(run: ResetRun): Promise<K8sWinError | undefined> {
  const {input, log, machine} = run
  const {logFile} = input.options
  if (logFile === undefined) return undefined
  const {files} = machine
  const before = await whyNoLogFile(run)
  if (before) return before
  for (const file of [logFile, traceOf(logFile)]) {
    // Made by a rename: in a folder that others may add to, nothing of theirs is written through.
    if (!(await files.status(file))) await files.write(file, '').catch(() => {})
    const after = await whyUntrusted(machine, file)
    if (after) return after
  }
  log.openAt(logFile)
  return undefined
}

async function removeNode(run: ResetRun): Promise<void> {
  const {assets, bus, config, input, limited, log, machine, own, redactor, report, signal} = run
  const {options} = input
  const ending = {
    ...(run.endingPods && {afterDrain: demandNoPodsLeft}),
    closeLog: () => (options.logFile === undefined ? log.close() : Promise.resolve()),
    deleteService: () => deleteRunService(machine, config.baseDir),
    isUnproven: own.isIncomplete && own.unproven.length > 0,
    onGone: () => (run.baseDir = undefined),
  }
  const jobs = resetJobs(options, ending, own, config)
  bus.emit({command: COMMAND, steps: jobs.map(({id, title}) => ({id, title})), type: 'run-started'})
  const host = openHost(limited.machine, hostOptions(assets, config))
  await registerSecrets(new Facts(config, host, own.journal), redactor, RECORDS_MS)
  bus.listen((event) => {
    if (event.type === 'step-started') run.phase = event.title
  })
  const {clock} = limited.machine
  const removal = {bus, clock, config, host, jobs, own, signal, waitsFor: () => run.waitsFor()}
  const {failures, results} = await removeOwned(removal)
  report.steps = results
  await orGivenUp(machine.clock, RECORDS_MS, recordStop(run))
  if (signal.aborted) throw signal.reason
  throwFirst(failures, own, config)
  tellStaying(run)
}

/** Not where it has finished: then nothing of it is open. */
async function recordStop({own: {journal}, report}: ResetRun): Promise<void> {
  const [began, stopped] = [begunRun(journal), stoppedIn(report.steps)]
  if (began?.run === 'reset' && stopped.stoppedAt) await journal.record('base-dir', {...began, ...stopped})
}

/** A bug is reported as such; what ended the run is its error; otherwise everything that is left is listed. */
function throwFirst(
  failures: readonly Failure[],
  {foreign, unproven}: Pick<Owned, 'foreign' | 'unproven'>,
  {baseDir}: Decided,
): void {
  const isBug = ({error}: Failure): boolean => !(error instanceof K8sWinError)
  // Without a simulated host there is nothing that anything could be left on.
  const isHostGone = ({error}: Failure): boolean => error instanceof K8sWinError && error.id === simulatorUnusable.id
  const first = failures.find(isBug) ?? failures.find((failure) => failure.isVital || isHostGone(failure))
  if (first) throw first.error
  const held = foreign.filter(({isOnOurs}) => isOnOurs)
  const unknown =
    unproven.length === 0 ? [] : [resetUnproven({journal: layoutOf(baseDir).journal, left: unproven.join('; ')})]
  if (failures.length + held.length === 0) {
    if (unknown.length > 0) throw new ProblemsError(unknown, 7)
    return
  }

  const steps = failures.map(({id, title}) => `${id} ("${title}")`)
  const services = held.map(
    ({name}) =>
      `the service ${name}, which was not created by k8s-win, and what it uses of this node (delete it, or take it over with "k8s-win setup --adopt")`,
  )
  const left = [...services, ...steps].join('; ')
  throw new ProblemsError([resetIncomplete({left}), ...errorsIn(failures), ...unknown], 7)
}

/** What several steps failed with is reported once. */
function errorsIn(failures: readonly Failure[]): K8sWinError[] {
  const errors = failures.map(({error}) => error as K8sWinError)
  const isSame = (one: K8sWinError, other: K8sWinError): boolean => one.id === other.id && one.reason === other.reason
  return errors.filter((error, nth) => errors.findIndex((other) => isSame(other, error)) === nth)
}

const RESET: readonly ResetPhase[] = [
  // As it was set up, or the defaults where that is lost; and what was passed to reset.
  inTime({run: readNode, title: 'Read the configuration'}),
  inTime({run: takeLock, title: 'Acquire the lock'}),
  // And what a removal would do.
  inTime({run: takeInventory, title: 'Find what k8s-win created'}),
  // Without a time limit.
  {endsItself: true, run: askConsent, title: 'Find what k8s-win created'},
  // A preview ends here.
  {run: showPlan, title: 'Plan', when: ({dryRun}) => dryRun},
  // Only now: a service could not prompt.
  {
    endsItself: true,
    run: handOverReset,
    title: 'Hand the run over to a service',
    when: ({input}) => input.detached !== undefined,
  },
  {run: openLog, title: 'Open the log'},
  {endsItself: true, run: removeNode, title: 'Repair the journal'},
]

/** Rejects only for a bug: the document reports every other failure. */
export function runReset(input: ResetInput): Promise<RunResultDocument> {
  const {dryRun} = input.options
  return runWithRecords<ResetRun>(COMMAND, {...input, dryRun}, (run) => runPhases(RESET, run))
}
