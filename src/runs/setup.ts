// setup: check the host, then bring every step into place.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import type {GivenOptions} from '../config/options.js'
import {resolveConfig} from '../config/resolve.js'
import {lockHeld} from '../errors/host.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {type Host, openHost} from '../host/host.js'
import type {Assets} from '../machine/assets.js'
import type {Machine} from '../machine/machine.js'
import {tracedMachine} from '../machine/traced.js'
import {redactAll, type Redactor} from '../output/redact.js'
import {createRunLog, type RunLog} from '../output/run-log.js'
import type {CheckResult, EventBus, NodeReport, RunResultDocument, StepResult} from '../pipeline/events.js'
import {explain} from '../pipeline/explain.js'
import {type Journal, openJournal} from '../pipeline/journal.js'
import {awaitNetwork, isNoteOpen} from '../pipeline/network-guard.js'
import {askNode} from '../pipeline/node-cluster.js'
import {runSteps} from '../pipeline/run-steps.js'
import {HostFacts} from '../preflight/facts.js'
import {runChecks} from '../preflight/index.js'
import {resolveNode} from '../preflight/node-config.js'
import {stepsFor} from '../steps/index.js'
import {resultOf, saveResult} from './result.js'

const COMMAND = 'setup'
const LOCK = String.raw`Global\k8s-win`
/** flanneld itself gives its adapter up to 45 s to come back (facts d.4). */
const SETTLING_MS = 60_000
const LOOK_AGAIN_MS = 2000

export interface SetupRun {
  readonly assets: Assets
  readonly bus: EventBus
  /** DOCKER_HOST of the environment, where the machine is this one. */
  readonly dockerHost?: string | undefined
  readonly given: GivenOptions
  readonly machine: Machine
  readonly redactor: Redactor
  /** Aborted on Ctrl-C, with an InterruptedError. */
  readonly signal: AbortSignal
}

/** What a run has learnt so far; the document is made of it, however the run ends. */
interface Story {
  /** Another run's report is not ours to overwrite. */
  alone: boolean
  checks: readonly CheckResult[]
  node?: NodeReport
  steps: readonly StepResult[]
}

/** Never rejects for a reason people can mend: the document says how it ended. Rejects only for a bug. */
export async function runSetup(run: SetupRun): Promise<RunResultDocument> {
  const {bus, machine} = run
  const startedAt = machine.clock.now()
  const name = `${COMMAND}-${new Date(startedAt).toISOString().replaceAll(/[:.]/g, '-')}.log`
  const log = createRunLog(machine.files, run.redactor.redact, name)
  const story: Story = {alone: false, checks: [], steps: []}
  bus.listen((event) => log.event(event))

  let config: SetupConfig | undefined
  let failure: unknown
  try {
    config = resolveConfig({dockerHost: run.dockerHost, given: run.given})
    await setUp(run, config, log, story)
  } catch (error) {
    failure = error
  }

  const error = failure === undefined ? undefined : known(failure)
  const finishedAt = machine.clock.now()
  const ending = {command: COMMAND, finishedAt, startedAt, ...story, ...(error ? {error} : {})}
  const result = redactAll(resultOf(ending), run.redactor.redact)
  if (error === undefined && failure !== undefined) {
    log.event({at: result.finishedAt, level: 'warn', message: stackOf(failure), type: 'log'})
    await log.flush()
    throw failure as Error
  }

  bus.emit({result, type: 'run-finished'})
  if (config && story.alone && (await hasFolder(machine, config.baseDir))) {
    await saveResult(machine.files, layoutOf(config.baseDir).result, result).catch(() => {})
    await log.flush()
  }

  return result
}

async function setUp(run: SetupRun, config: SetupConfig, log: RunLog, story: Story): Promise<void> {
  const {assets, bus, signal} = run
  const machine = tracedMachine(run.machine, (entry) => log.effect(entry))
  const logs = win32.join(layoutOf(config.baseDir).logs, 'k8s-win')
  const openLog = async (): Promise<void> => {
    if (log.path === undefined && (await hasFolder(machine, config.baseDir))) await log.openIn(logs).catch(() => {})
  }

  bus.listen((event) => {
    // A base directory that was not there is made by its step.
    if (event.type === 'step-finished' && event.step.id === 'base-dir') void openLog()
  })
  const steps = stepsFor(config)
  bus.emit({command: COMMAND, steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})

  const release = await machine.win32.takeMutex(LOCK)
  if (!release) throw lockHeld({})
  story.alone = true
  try {
    await openLog()
    const host = openHost(machine, {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe})
    const journal = await openJournal(machine.files, layoutOf(config.baseDir).journal, () => machine.clock.now())
    const facts = await qualify(run, config, {host, journal}, story)
    await tellChoice(facts, bus)
    const node = await resolveNode(facts)
    const context = {config: node, host, journal}
    const outcome = await runSteps({bus, clock: machine.clock, context, signal, steps})
    story.steps = outcome.results
    if (outcome.error !== undefined) throw outcome.error as Error
    story.node = await reportNode({...context, signal})
  } finally {
    await release()
  }
}

/** What is known of a host that qualifies. */
async function qualify(
  {bus, redactor, signal}: SetupRun,
  config: SetupConfig,
  {host, journal}: {host: Host; journal: Journal},
  story: Story,
): Promise<HostFacts> {
  const progress = ({text: message}: {text: string}): void => bus.emit({level: 'info', message, type: 'log'})
  const tell = (check: CheckResult): void => bus.emit({check, type: 'check'})
  // Where an earlier run died, flanneld may make its network just now: what fails then is looked at again.
  const unsettled = isNoteOpen({journal})
  const settled = host.clock.now() + SETTLING_MS
  for (let looks = 1; ; looks++) {
    await awaitNetwork({host, journal, progress, signal})
    const facts = new HostFacts(config, host, journal)
    await registerSecrets(facts, redactor)
    const {problems, results} = await runChecks(facts, host.clock, unsettled ? () => {} : tell, signal)
    if (unsettled && problems.length > 0 && (looks === 1 || (isCutOff(problems) && host.clock.now() < settled))) {
      await host.clock.sleep(LOOK_AGAIN_MS, signal)
      continue
    }
    if (unsettled) for (const check of results) tell(check)
    story.checks = results
    if (problems.length > 0) throw new ProblemsError(problems)
    return facts
  }
}

/** The adapter may have its address back a while before connections go through again. */
function isCutOff(problems: readonly K8sWinError[]): boolean {
  return problems.some(({id}) => id === 'API_SERVER_UNREACHABLE')
}

/** What nobody asked for must be seen, not only looked up. */
async function tellChoice(facts: HostFacts, bus: EventBus): Promise<void> {
  const {address, name, reason} = await facts.interface()
  if (reason === undefined) return
  bus.emit({level: 'info', message: `using the network adapter "${name}" with ${address}: ${reason}`, type: 'log'})
}

/** Before anything else is told: from here on no log, event or error can hold them. */
async function registerSecrets(facts: HostFacts, redactor: Redactor): Promise<void> {
  for (const identity of ['kubelet', 'kube-proxy', 'flanneld'] as const) {
    const kubeconfig = await facts.kubeconfig(identity).catch(() => undefined)
    for (const secret of [kubeconfig?.token, kubeconfig?.tls.key]) if (secret !== undefined) redactor.register(secret)
  }
}

async function reportNode(context: Parameters<typeof askNode>[0]): Promise<NodeReport> {
  const {nodeIP, nodeName} = context.config
  const node = await askNode(context)
  return {ip: nodeIP, name: nodeName, podCIDR: node?.podCIDR ?? '', ready: node?.ready ?? false}
}

/** Undefined for a bug. */
function known(error: unknown): K8sWinError | ProblemsError | undefined {
  return error instanceof ProblemsError ? error : explain(error, COMMAND)
}

async function hasFolder(machine: Machine, path: string): Promise<boolean> {
  return (await machine.files.status(path))?.kind === 'directory'
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
