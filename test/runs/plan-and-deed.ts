// The same steps on the same simulated host, once as a plan and once for real, with everything each changed.
import {layoutOf} from '../../src/config/layout.js'
import type {Node} from '../../src/config/model.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {setupConfig} from '../fixtures/setup-config.js'
import type {Kubeconfig} from '../../src/host/cluster/kubeconfig.js'
import {type Host, openHost} from '../../src/host/host.js'
import {assets} from '../fixtures/assets.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {ServiceConfig} from '../../src/machine/win32.js'
import {awaitNetwork} from '../../src/pipeline/desired/network/network-guard.js'
import {openJournal} from '../../src/pipeline/ledger/journal.js'
import {recordChanges, type RecordedChange} from '../../src/pipeline/plan/record.js'
import {EventBus, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runSteps, type StepsOutcome} from '../../src/pipeline/run/run-steps.js'
import type {StepId} from '../../src/pipeline/run/step.js'
import {Facts} from '../../src/preflight/facts.js'
import {resolveNode} from '../../src/preflight/node-config.js'
import {type Plan, planSteps} from '../../src/runs/phases/plan.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {stepsFor} from '../../src/steps/index.js'
import type {HostPlace} from '../steps/host-folder.js'

const {signal} = new AbortController()

interface Opened {
  readonly config: Node
  readonly host: Host
  readonly kubeconfig: Kubeconfig
}

/** As a run begins: it waits until the host has its network, and looks around. */
async function open(machine: Machine, given: GivenOptions): Promise<Opened> {
  const setup = setupConfig(given)
  const host = openHost(machine, {assets, baseDir: setup.baseDir, dockerPipe: setup.dockerPipe})
  const journal = await openJournal(host.files, layoutOf(setup.baseDir).journal, () => host.clock.now())
  await awaitNetwork({config: setup, host, journal, progress: () => {}, signal})
  const facts = new Facts(setup, host, journal)
  return {config: await resolveNode(facts), host, kubeconfig: await facts.kubeconfig('kubelet')}
}

export interface Planned extends Plan {
  /** All that reached the host itself. */
  readonly effects: readonly Effect[]
  readonly events: readonly TimedEvent[]
}

export async function planOn(dir: HostPlace, given: GivenOptions = {}): Promise<Planned> {
  const effects: Effect[] = []
  const simulated = await openSimulator({
    declaredDigests: setupConfig(given).digests,
    dir,
    profile: 'ws2019',
    readOnly: true,
  })
  const machine = interceptMachine(simulated, (effect, perform) => {
    effects.push(effect)
    return perform()
  })
  const {config, kubeconfig} = await open(machine, given)
  const bus = new EventBus(() => machine.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const plan = await planSteps({
    assets,
    bus,
    config,
    kubeconfig,
    machine,
    onLoss: () => {},
    signal,
    steps: stepsFor(config),
  })
  return {...plan, effects, events}
}

export interface Deed extends StepsOutcome {
  readonly changes: ReadonlyMap<StepId, readonly RecordedChange[]>
}

export async function doOn(dir: HostPlace, given: GivenOptions = {}, faults: readonly Fault[] = []): Promise<Deed> {
  const machine = await openSimulator({declaredDigests: setupConfig(given).digests, dir, profile: 'ws2019'})
  const {config} = await open(machine, given)
  const steps = stepsFor(config)
  const changes = new Map<StepId, RecordedChange[]>(steps.map(({id}) => [id, []]))
  const faulty = faultyMachine(machine, faults)
  const options = {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe}
  const journal = await openJournal(faulty.files, layoutOf(config.baseDir).journal, () => machine.clock.now())
  const hostFor = (id: StepId): Host =>
    openHost(
      recordChanges(faulty, (change) => changes.get(id)?.push(change)),
      options,
    )
  const outcome = await runSteps({
    bus: new EventBus(() => machine.clock.now()),
    clock: machine.clock,
    context: {config, host: openHost(faulty, options), journal},
    hostFor,
    signal,
    skip: config.skip,
    steps,
  })
  return {...outcome, changes}
}

/** By step and in order, without what only the cluster, HNS and Docker decide. */
export function comparable(changes: Plan['changes']): Record<string, string[]> {
  const shared = [...new Set([...changes.values()].flat().flatMap((change) => sharedWork(change) ?? []))].sort()
  const own = [...changes].flatMap(([step, all]): [string, string[]][] => {
    const lines = all.filter((change) => sharedWork(change) === undefined).map(lineOf)
    return lines.length === 0 ? [] : [[step, lines]]
  })
  return Object.fromEntries(shared.length === 0 ? own : [...own, ['of several', shared]])
}

/** Several steps need these folders, or these services stopped, and whichever comes first does it. */
function sharedWork(change: RecordedChange): string | undefined {
  if (change.kind === 'file' && /\\(?:downloads|logs|k8s-win)$/.test(change.path)) return change.path
  // The members of an archive are written side by side.
  if (change.kind === 'file' && /\.staged\\/.test(change.path) && change.after.kind === 'file') return change.path
  if (change.kind !== 'win32') return undefined
  const [name, config] = change.args as [string, ServiceConfig | undefined]
  // Without its failure actions nothing starts it again when it is stopped.
  const isLaidToRest = change.call === 'changeService' && config?.failureActions.restartDelaysMs.length === 0
  return change.call === 'stopService' || isLaidToRest ? `stop ${name}` : undefined
}

function lineOf(recorded: RecordedChange): string {
  const {kind, ...change} = {...recorded, previous: undefined}
  const text = JSON.stringify(change, (_, value: unknown) => {
    const {data, type} = (value ?? {}) as {data?: number[]; type?: string}
    return type === 'Buffer' && data ? Buffer.from(data).toString('latin1') : value
  })
  return `${kind} ${withoutDecided(text)}`
}

function withoutDecided(text: string): string {
  return text
    .replaceAll(/\b10\.244\.\d+\.0\/24\b/g, '<pod CIDR>')
    .replaceAll(/\b10\.244\.(?!0\.0\b)\d+\.\d+\b|\b10\.244\.0\.[1-9]\d*\b/g, '<address>')
    .replaceAll(/\b[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}\b/gi, '<id>')
    .replaceAll(/\b[\da-f]{64}\b/g, '<container or image>')
}
