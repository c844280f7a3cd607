// reset: stop the daemons, leave the cluster, and remove what setup created.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {adminKubeconfigMissing, kubeconfigMissing} from '../../errors/cluster.js'
import {notAdministrator} from '../../errors/host.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {simulatorUnusable} from '../../errors/program.js'
import {resetIncomplete, resetUnproven} from '../../errors/reset.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {openTrust} from '../../host/security/trust.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import {findOwned, type Owned} from '../../pipeline/owned/find-owned.js'
import {hasRecords} from '../../pipeline/owned/own-file-names.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import type {Failure} from '../../pipeline/run/run-removals.js'
import {HostFacts} from '../../preflight/facts.js'
import {STEPS} from '../../steps/index.js'
import {handOver, orTakenBack, startHandedOver} from '../detach/hand-over.js'
import {deleteRunService} from '../detach/run-service.js'
import {readKnownNode} from '../known-node.js'
import {type Frame, hasFolder, RECORDS_MS, runWithRecords, timeLimit, withinTime} from '../run-lifecycle.js'
import {holdLock} from '../run-lock.js'
import {registerSecrets} from '../setup/preflight-with-retry.js'
import {hasNothing, isWanted, type Inventory, tellPlan, tellStaying} from './consent.js'
import {resetJobs} from './jobs.js'
import {whyNoLogFile, whyUntrusted} from './log.js'
import {NO_PLAN, planReset} from './plan.js'
import {nodeToReset, removeOwned} from './remove-owned.js'
import type {ResetRun} from './run.js'

const COMMAND = 'reset'

/** Rejects only for a bug: the document reports every other failure. */
export function runReset(asked: ResetRun): Promise<RunResultDocument> {
  const dryRun = asked.options.dryRun
  return runWithRecords(COMMAND, {...asked, dryRun}, async (run, frame) => {
    const known = await readKnownNode(run)
    const {kubeconfig} = run
    const config = kubeconfig === undefined ? known.config : {...known.config, administratorKubeconfig: kubeconfig}
    // A journal that another account wrote could remove anything; without one, it is unknown what k8s-win created.
    if (known.distrust) throw known.distrust
    const refused = await inTime(run, () => whyNoLogFile(run, config))
    if (refused) throw refused
    for (const problem of known.problem?.problems ?? []) {
      const message = `${problem.message}: ${problem.reason} The defaults are used`
      run.bus.emit({level: 'warn', message, type: 'log'})
    }

    const host = hostOf(run, config, run.machine)
    if (kubeconfig !== undefined) await inTime(run, () => registerAdministrator(run, host, kubeconfig))
    const look = await inTime(run, (signal) => takeInventory({...run, signal}, config, host, frame))
    warnOfKept(run, look.own)
    if (!(await isWanted(run, config, look))) {
      frame.story.isCancelled = !hasNothing(look.own)
      return
    }

    if (dryRun) {
      await tellPlan(run, config, look, frame.story)
      return throwFirst(look.plan.failures, {foreign: [], left: []}, config)
    }

    if (run.detached) {
      frame.story.phase = 'Hand the run over to a service'
      frame.story.baseDir = config.baseDir
      await withinTime(run, run.options.timeoutMs, frame, async ({machine}, signal) => {
        const handingOver = detach({...run, signal}, config, look.own, hostOf(run, config, machine))
        await orTakenBack(run.machine, config.baseDir, orAborted(handingOver, signal))
      })
      frame.story.isDetached = true
      return
    }

    await takeApart(run, config, look.own, frame)
    tellStaying(run, config, look.own)
  })
}

/** One that cannot be used is reported before anything is removed. */
async function registerAdministrator({redactor}: ResetRun, host: Host, path: string): Promise<void> {
  const {tls, token} = await kubeconfigAt(host, path).catch((error: unknown) => {
    throw kubeconfigMissing.is(error) ? adminKubeconfigMissing({path}, {cause: error}) : error
  })
  for (const secret of [tls.key, token]) if (secret !== undefined) redactor.register(secret)
}

/** Only reads. Holds the lock, except for a preview. */
async function takeInventory(run: ResetRun, config: Decided, host: Host, {story}: Frame): Promise<Inventory> {
  story.phase = 'Acquire the lock'
  if (!(await host.os.isAdministrator())) throw notAdministrator({})
  if (!run.options.dryRun) {
    story.lock = await holdLock(run.machine, layoutOf(config.baseDir).lock, run.signal)
    await run.onLocked?.({baseDir: config.baseDir, command: COMMAND})
  }
  story.phase = 'Find what k8s-win created'
  const own = await findOwned(host, config, STEPS)
  const {dryRun, yes} = run.options
  const isShown = dryRun || (!yes && (run.asker?.isTerminal === true || own.isDoubtful))
  const plan = isShown ? await planReset(run, config, own) : NO_PLAN
  return {hasRecords: await hasRecords(host.files, config.baseDir), own, plan}
}

/** --timeout limits the checks, but not the time to answer the prompt. */
async function inTime<T>({machine, options, signal}: ResetRun, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = timeLimit(machine.clock, options.timeoutMs, signal)
  try {
    return await orAborted(work(limit.signal), limit.signal)
  } finally {
    limit.cancel()
  }
}

const hostOf = ({assets}: ResetRun, config: Decided, machine: ResetRun['machine']): Host =>
  openHost(machine, hostOptions(assets, config))

/** What may be left is named by the question, the plan, and the error at the end. */
function warnOfKept({bus}: ResetRun, {journal, kept}: Owned): void {
  const warn = (message: string): void => bus.emit({level: 'warn', message, type: 'log'})
  if (journal.damage?.message !== undefined) warn(journal.damage.message)
  for (const one of kept) warn(`stays: ${one}`)
}

/** After the prompt: a service cannot ask. */
async function detach({bus, detached, signal}: ResetRun, config: Decided, {journal}: Owned, host: Host) {
  if (!detached) return
  const context = {
    changed: () => {},
    config: await nodeToReset(config, host, journal),
    host,
    journal,
    progress: () => {},
    signal,
    warn: (message: string) => bus.emit({level: 'warn', message, type: 'log'}),
  }
  // As it was found: the variable or the file that named it in this session is not the service's.
  await handOver(context, {...detached, argv: [`--base-dir=${config.baseDir}`, ...detached.argv]})
  await startHandedOver(context)
}

async function takeApart(run: ResetRun, config: Decided, own: Owned, frame: Frame): Promise<void> {
  const {bus, options} = run
  const {log, story} = frame
  const ending = {
    closeLog: () => (options.logFile === undefined ? log.close() : Promise.resolve()),
    deleteService: () => deleteRunService(run.machine, config.baseDir),
    isUnproven: own.isIncomplete && own.left.length > 0,
    onGone: () => (story.baseDir = undefined),
  }
  const jobs = resetJobs(options, ending, own, config)
  await withinTime(run, options.timeoutMs, frame, async (machine, signal) => {
    story.phase = 'Open the log'
    const refused = await orGivenUp(run.machine.clock, RECORDS_MS, beginLogFile(run, config, frame))
    if (refused) throw refused
    await orGivenUp(run.machine.clock, RECORDS_MS, beginRecords(run, config, frame))
    bus.emit({command: COMMAND, steps: jobs.map(({id, title}) => ({id, title})), type: 'run-started'})
    const host = hostOf(run, config, machine.machine)
    await orGivenUp(host.clock, RECORDS_MS, registerSecrets(new HostFacts(config, host, own.journal), run.redactor))
    story.phase = 'Repair the journal'
    bus.listen((event) => {
      if (event.type === 'step-started') story.phase = event.title
    })
    const {clock} = machine.machine
    const removal = {bus, clock, config, host, jobs, own, signal, waitsFor: () => story.waitsFor()}
    const {failures, results} = await removeOwned(removal)
    story.steps = results
    if (signal.aborted) throw signal.reason
    throwFirst(failures, own, config)
  })
}

/** A bug is reported as such; what ended the run is its error; otherwise everything that is left is listed. */
function throwFirst(
  failures: readonly Failure[],
  {foreign, left: unproven}: Pick<Owned, 'foreign' | 'left'>,
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

/** --log-file, checked again: something may have been put there while the prompt was open. */
async function beginLogFile(run: ResetRun, config: Decided, {log}: Frame): Promise<K8sWinError | undefined> {
  const {logFile} = run.options
  if (logFile === undefined) return undefined
  const {files} = run.machine
  const before = await whyNoLogFile(run, config)
  if (before) return before
  // Made by a rename: in a folder that others may add to, nothing of theirs is written through.
  if (!(await files.status(logFile))) await files.write(logFile, '').catch(() => {})
  const after = await whyUntrusted(run.machine, logFile)
  if (!after) log.openAt(logFile)
  return after
}

/** The log in its usual place and the record of who holds the lock. */
async function beginRecords(run: ResetRun, config: Decided, {log, story}: Frame): Promise<void> {
  const {logs} = layoutOf(config.baseDir)
  if (!(await hasFolder(run.machine, config.baseDir))) return
  story.baseDir = config.baseDir
  const folder = win32.join(logs, 'k8s-win')
  if (run.options.logFile === undefined && !(await openTrust(run.machine.win32).problem(folder)))
    await log.openIn(folder).catch(() => {})
  if (run.holder) await story.lock?.sign({...run.holder, log: log.path})
}
