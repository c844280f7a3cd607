// setup --dry-run: the steps on the twin of this host, and what they changed there as the plan.
import {type KnownDigest, knownDigest} from '../../artifacts/digests.js'
import {programsOf} from '../../artifacts/programs.js'
import {CONTAINERD_DATA, layoutOf} from '../../config/layout.js'
import {CONTAINERD, type Node} from '../../config/model.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {openRequests} from '../../host/cluster/request.js'
import {openEnvironment} from '../../host/environment.js'
import {hostOptions, openHost} from '../../host/host.js'
import {kubernetesAddress} from '../../pipeline/desired/network/services-proof.js'
import {hasNoShims, podsEndedText} from '../../pipeline/desired/services/stop-service.js'
import {stepStopped} from '../../errors/windows.js'
import {recordLostFiles} from '../../pipeline/owned/find-by-marks.js'
import {openJournal} from '../../pipeline/ledger/journal.js'
import {DECIDED_BY_CLUSTER, decidedLater, watchDaemons} from '../../pipeline/plan/decided-later.js'
import {describeChanges, type Wording} from '../../pipeline/plan/describe.js'
import {recordChanges, type RecordedChange} from '../../pipeline/plan/record.js'
import {watchTwin} from '../../pipeline/plan/summary.js'
import {EventBus, type NodeReport, type RunStepId, type StepResult} from '../../pipeline/run/events.js'
import {runSteps, type StepsOutcome, type StepsRun} from '../../pipeline/run/run-steps.js'
import type {Step, StepId} from '../../pipeline/run/step.js'
import {reportResults} from '../../pipeline/run/task-list.js'
import type {ClusterSeed, Twin} from '../../simulator/index.js'
import {openNodeTwin} from '../node-on-twin.js'
import type {Session} from '../run.js'

/** On its machine, which is only read. */
export interface PlanRun extends Pick<Session, 'assets' | 'bus' | 'machine' | 'signal'> {
  readonly config: Node
  /** As recover runs the steps. */
  readonly isUnjudged?: StepsRun['isUnjudged']
  readonly kubeconfig: Kubeconfig
  /** That the journal was lost, in words: reported before the steps, as in setup. */
  readonly onLoss: (message: string | undefined) => void
  readonly steps: readonly Step[]
}

export interface Plan extends StepsOutcome {
  /** Every change of the steps on the twin, by step, in the order in which they were made. */
  readonly changes: ReadonlyMap<RunStepId, readonly RecordedChange[]>
  readonly node: NodeReport
  readonly summary: readonly string[]
}

export async function planSteps(run: PlanRun): Promise<Plan> {
  const {assets, bus, config, machine, signal, steps} = run
  const pinned = await pinnedDigests(config)
  const digests = Object.fromEntries(pinned.map(({digest, id}) => [id, digest]))
  const twin = await openNodeTwin(machine, config, clusterSeed(run), digests)
  const decided = decidedLater(twin.world, config.nodeName)
  const isReady = twin.world.cluster.nodes.some(({name, ready}) => name === config.nodeName && ready)
  // Its folder is there where it was set up before.
  const {running: isRunning, unseen: isUnseen} = twin.world.containerd
  const isSilent = isUnseen || (!isRunning && (await machine.files.status(CONTAINERD_DATA)) !== undefined)
  const ready = twin.world.containerd.sandboxes.filter(({state}) => state === 'SANDBOX_READY')
  // As a run judges it, for which the twin stands.
  const isUnknown =
    isSilent &&
    !(await hasNoShims({environment: openEnvironment(machine.win32), services: machine.win32}, config.containerd))
  const pods = isUnknown ? undefined : ready.map(({name, namespace}) => `${namespace}/${name}`)
  const newWork = watchDaemons(twin.world)
  const summarise = watchTwin(twin.world, () => twin.machine.clock.now())
  const work = new Map<RunStepId, string[]>()
  const changes = new Map<RunStepId, RecordedChange[]>(steps.map(({id}) => [id, []]))
  const options = {...hostOptions(assets, config), stopped: new Set<string>()}
  const hostFor = (id: StepId) =>
    openHost(
      recordChanges(twin.machine, (change) => changes.get(id)?.push(change)),
      options,
    )

  // The twin's pulls and downloads are no progress of anything; and steps are reported in the order of the list.
  const inner = new EventBus(() => machine.clock.now())
  inner.listen((event) => {
    if (event.type === 'step-finished') work.set(event.step.id, newWork())
    if (event.type === 'log') bus.emit(event)
  })
  const {clock, files} = twin.machine
  const journal = await openJournal(files, layoutOf(config.baseDir).journal, () => clock.now())
  const context = {config, host: openHost(twin.machine, options), journal}
  run.onLoss(await recordLostFiles(context))
  const timed = {...clock, elapsed: () => machine.clock.elapsed(), now: () => machine.clock.now()}
  const isUnjudged = run.isUnjudged && {isUnjudged: run.isUnjudged}
  const {skip} = config
  const outcome = await runSteps({bus: inner, clock: timed, context, hostFor, ...isUnjudged, signal, skip, steps})

  const wording: Wording = {decided: decided.replace, digestOf: (url) => digestOf(pinned, twin, url)}
  const results = outcome.results.map((result) =>
    planned(
      result,
      [
        ...describeChanges(changes.get(result.id) ?? [], wording),
        ...(pods?.length !== 0 && changes.get(result.id)?.some(stopsContainerd) ? [podsEndedText(pods)] : []),
        ...(work.get(result.id) ?? []),
      ],
      decided.replace,
    ),
  )
  await reportResults(bus, results)

  const has = (state: StepResult['state'], step?: RunStepId): boolean =>
    results.some((one) => one.state === state && (step === undefined || one.id === step))
  if (has('failed') && !signal.aborted) bus.warn(PREDICTED)
  if (config.runtime === CONTAINERD && isSilent) bus.warn(IMAGES_UNKNOWN)
  if (has('would-change', 'windows-features')) bus.warn(RESTART_FIRST)
  const {podCIDRHint: again} = twin.world.cluster
  if (decided.podCIDR() === DECIDED_BY_CLUSTER && again !== undefined) {
    const otherwise = "if it assigns another, the overlay network and kube-proxy's source VIP are recreated"
    bus.warn(
      `this plan assumes that the cluster assigns ${config.nodeName} the pod network ${again} again; ${otherwise}`,
    )
  }

  const node = {ip: config.nodeIP, name: config.nodeName, podCIDR: decided.podCIDR() ?? '', ready: isReady}
  return {...outcome, changes, node, results, summary: summarise([...changes.values()].flat())}
}

const PREDICTED =
  'this is a dry run on a model of this host: what the error says about daemons is predicted, not observed'
const IMAGES_UNKNOWN =
  'containerd cannot be queried, so its images are not known: this plan assumes that they must be pulled'
const RESTART_FIRST =
  'Windows must be restarted after the step windows-features: setup stops there with exit code 10, and makes the later changes of this plan when it is run again'

const stopsContainerd = (change: RecordedChange): boolean =>
  change.kind === 'win32' && change.call === 'stopService' && change.args[0] === CONTAINERD

/** A step that changes nothing itself, but waits for what others make, has its title for it. */
function planned(
  {error, ...result}: StepResult,
  lines: readonly string[],
  decided: (text: string) => string,
): StepResult {
  // On the host nothing was begun, and what would follow is not known.
  if (error?.id === stepStopped.id) return {...result, changes: lines.map(decided), state: 'not-run'}
  if (result.state !== 'changed') return {...result, ...(error && {error}), changes: lines.map(decided)}
  return {...result, changes: lines.length > 0 ? lines.map(decided) : [result.title], state: 'would-change'}
}

function clusterSeed({config, kubeconfig, machine}: PlanRun): ClusterSeed {
  const ask = openRequests(machine, kubeconfig)
  return {
    ask: (path) => ask('GET', path),
    assumedServices: [
      {clusterIP: kubernetesAddress(config), name: 'kubernetes', namespace: 'default'},
      {clusterIP: config.clusterDNS, name: 'kube-dns', namespace: 'kube-system'},
    ],
    clusterCIDR: config.clusterCIDR,
    nodeName: config.nodeName,
    serverURL: kubeconfig.server,
  }
}

interface PinnedDigest {
  readonly digest: KnownDigest | undefined
  readonly id: string
  readonly url: string
}

const pinnedDigests = (config: Node): Promise<PinnedDigest[]> =>
  Promise.all(
    programsOf(config).map(async ({artifact}) => ({
      digest: await knownDigest(artifact),
      id: artifact.id,
      url: artifact.url,
    })),
  )

function digestOf(pinned: readonly PinnedDigest[], {world}: Twin, url: string): string | undefined {
  const known = pinned.find((one) => one.url === url)?.digest
  if (known) return `${known.algorithm}:${known.hex}`
  const {sha256, sha512} = world.downloads[url] ?? {}
  if (sha512 !== undefined) return `sha512:${sha512}`
  return sha256 === undefined ? undefined : `sha256:${sha256}`
}
