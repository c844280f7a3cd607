// setup: check the host, then bring every step into place.
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {orGivenUp} from '../host/wait.js'
import {readOnlyMachine} from '../machine/read-only.js'
import type {EffectEntry} from '../machine/traced.js'
import {watchUnderWay} from '../machine/under-way.js'
import {redactAll} from '../output/redact.js'
import {createRunLog, type RunLog} from '../output/run-log.js'
import type {RunResultDocument} from '../pipeline/events.js'
import {explain} from '../pipeline/explain.js'
import {stepsFor} from '../steps/index.js'
import {bringUp, hasFolder, RECORDS_MS, type Story} from './bring-up.js'
import {type Configuration, readConfiguration} from './configuration.js'
import {resultOf, saveResult, stacksOf} from './result.js'
import {openRunMachine, timeLimit} from './run-machine.js'
import type {SetupRun} from './setup-run.js'

const COMMAND = 'setup'

/** Never rejects for a reason people can mend: the document says how it ended. Rejects only for a bug. */
export async function runSetup(asked: SetupRun): Promise<RunResultDocument> {
  const {dryRun = false} = asked
  const {machine: watched, waitsFor} = watchUnderWay(dryRun ? readOnlyMachine(asked.machine) : asked.machine)
  const run = {...asked, machine: watched}
  const {bus, machine} = run
  const startedAt = machine.clock.now()
  const name = `${COMMAND}-${new Date(startedAt).toISOString().replaceAll(/[:.]/g, '-')}.log`
  // Not watched: nothing waits for the log.
  const log = createRunLog(asked.machine.files, run.redactor.redact, name)
  const story: Story = {checks: [], phase: 'Read the configuration', steps: [], waitsFor}
  bus.listen((event) => log.event(event))

  let config: SetupConfig | undefined
  let failure: unknown
  try {
    const {dockerHost, environment = {}, given: flags, signal} = run
    const configuration = await readConfiguration({dockerHost, environment, flags, machine, signal})
    config = configuration.config
    run.onConfig?.(config)
    await setUp(run, configuration, log, story)
  } catch (error) {
    failure = error
  }

  const error = failure === undefined ? undefined : known(failure, story)
  const finishedAt = machine.clock.now()
  const {checks, lock, node, steps} = story
  const report = {checks, steps, ...(node && {node})}
  const ending = {command: COMMAND, dryRun, finishedAt, log: log.path, startedAt, ...report, ...(error ? {error} : {})}
  const result = redactAll(resultOf(ending), run.redactor.redact)
  for (const message of stacksOf(failure, error))
    log.event({at: result.finishedAt, level: 'warn', message, type: 'log'})
  const isBug = error === undefined && failure !== undefined
  if (!isBug) bus.emit({result, type: 'run-finished'})
  // With the lock: what another run writes next is not to be mixed with this.
  const records = async (): Promise<void> => {
    if (!config || dryRun || !(await hasFolder(machine, config.baseDir))) return
    if (!isBug) await saveResult(machine.files, layoutOf(config.baseDir).result, result)
    await log.flush()
  }
  if (lock) {
    await orGivenUp(machine.clock, RECORDS_MS, records())
    await orGivenUp(machine.clock, RECORDS_MS, lock.release())
  }
  if (isBug) throw failure as Error
  return result
}

async function setUp(run: SetupRun, configuration: Configuration, log: RunLog, story: Story): Promise<void> {
  const {bus} = run
  const {config} = configuration
  const limit = timeLimit(run.machine.clock, config.timeoutMs, run.signal)
  const onRetry = (message: string): void => bus.emit({level: 'info', message, type: 'log'})
  const onEffect = (entry: EffectEntry): void => log.effect(entry)
  const machine = openRunMachine(run.machine, {onEffect, onRetry, signal: limit.signal})
  // What listens to the signal is not waited for any more when it is asked.
  limit.signal.addEventListener('abort', () => {
    const waiting = story.waitsFor()
    story.waitsFor = () => waiting
  })
  const steps = stepsFor(config)
  bus.emit({command: COMMAND, steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})
  try {
    await bringUp({...run, signal: limit.signal}, configuration, {log, machine, steps, story})
  } finally {
    limit.cancel()
    machine.end()
  }
}

/** Undefined for a bug. */
function known(error: unknown, {phase, waitsFor}: Story): K8sWinError | ProblemsError | undefined {
  return error instanceof ProblemsError ? error : explain(error, phase, waitsFor())
}
