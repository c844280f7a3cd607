// status: look at a node from all sides at once, and say what is not right. Reads only: no lock, nothing written.
import {win32} from 'node:path'
import {DEFAULT_DOCKER_PIPE} from '../config/docker-endpoint.js'
import {optionOf} from '../config/options.js'
import {openHost} from '../host/host.js'
import type {Assets} from '../machine/assets.js'
import type {Machine} from '../machine/machine.js'
import {readOnlyMachine} from '../machine/read-only.js'
import {rememberingMachine} from '../machine/remembering.js'
import {type Redactor, redactAll} from '../output/redact.js'
import type {StatusDocument} from '../pipeline/status-report.js'
import {HostFacts} from '../preflight/facts.js'
import {DAEMONS} from '../health/daemons.js'
import {driftProbe} from '../health/drift.js'
import {firewallProbe} from '../health/firewall.js'
import {identitiesProbe} from '../health/identities.js'
import {imagesProbe} from '../health/images.js'
import {networkProbe, podNetworkProblems} from '../health/network.js'
import {type ClusterAnswer, nodeProbe} from '../health/node.js'
import {type ProbeScene, runProbe, withProblems} from '../health/probe.js'
import {programsProbe} from '../health/programs.js'
import {runtimeProbe} from '../health/runtime.js'
import {serviceProbe} from '../health/services.js'
import {stepsFor} from '../steps/index.js'
import {registerSecrets} from './qualify.js'
import {assemble, type Looks} from './status-document.js'
import {lookForServices, type NamedService, placed, withCutJournal} from './status-home.js'
import {type LookedUpNode, lookUpNode} from './status-records.js'
import {settleNode, within} from './status-node.js'

export interface StatusRun {
  readonly assets: Assets
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  readonly dockerHost?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly machine: Machine
  readonly redactor: Redactor
  readonly signal: AbortSignal
  /** A command as people would type it here: "k8s-win setup -BaseDir D:\k". */
  readonly typed: (name: string, baseDir: string | undefined) => string
}

const SHORT_MS = 3000
const WITHOUT_JOURNAL: NonNullable<Looks['programs']> = {
  problems: [],
  steps: programsProbe.steps ?? [],
  unseen: [{what: programsProbe.what, why: 'their digests are in the journal, of which nothing can be read'}],
  warnings: [],
}

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function runStatus(run: StatusRun): Promise<StatusDocument> {
  const startedAt = run.machine.clock.now()
  const machine = rememberingMachine(readOnlyMachine(run.machine))
  const written = await lookUpNode({...run, machine})
  const {baseDir} = written.config
  const host = openHost(machine, {assets: run.assets, baseDir, dockerPipe: DEFAULT_DOCKER_PIPE})
  const services = await lookForServices(host, baseDir)
  const here = placed(written, services)
  const [known, looks] = await Promise.all([
    withCutJournal(host, here),
    here.state === 'absent' ? elsewhere(services) : lookAround(run, machine, here),
  ])
  const times = {finishedAt: run.machine.clock.now(), startedAt}
  const document = {...assemble(known, looks, times, commandOf(run, known)), simulated: run.machine.simulated}
  return redactAll(document, run.redactor.redact)
}

function commandOf({typed}: StatusRun, {config}: LookedUpNode): (name: string) => string {
  const initial = win32.normalize(optionOf('base-dir').default ?? '').toLowerCase()
  const baseDir = config.baseDir.toLowerCase() === initial ? undefined : config.baseDir
  return (name) => typed(name, baseDir)
}

const elsewhere = (services: readonly NamedService[]): Looks => ({
  imagePaths: services.map(({imagePath}) => imagePath),
  problems: [],
  services: [],
  unseen: [],
})

async function lookAround(run: StatusRun, machine: Machine, known: LookedUpNode): Promise<Looks> {
  const {assets, redactor, signal} = run
  const {config: stored, journal} = known
  const host = openHost(machine, {assets, baseDir: stored.baseDir, dockerPipe: stored.dockerPipe})
  const facts = new HostFacts(stored, host, journal)
  const {config, problems, unseen} = await settleNode(facts)
  await within(host.clock, SHORT_MS, registerSecrets(facts, redactor)).catch(() => {})

  const scene: ProbeScene = {assets, command: commandOf(run, known), config, journal, machine, signal}
  const asked = runProbe(scene, nodeProbe)
  const answer = asked.then(({report, unseen: [why]}) => report?.answer ?? {silence: why?.why ?? 'no answer'})
  // Nobody may be waiting for it when Ctrl-C is pressed.
  answer.catch(() => {})
  const administrator = within(host.clock, SHORT_MS, host.os.isAdministrator()).catch(() => undefined)
  const [node, identities, runtime, services, network, firewall, programs, images, drift] = await Promise.all([
    asked,
    runProbe(scene, identitiesProbe),
    runProbe(scene, runtimeProbe),
    Promise.all(DAEMONS.map((daemon) => runProbe(scene, serviceProbe(daemon)))),
    runProbe(scene, networkProbe),
    runProbe(scene, firewallProbe),
    journal.all().length === 0 ? WITHOUT_JOURNAL : runProbe(scene, programsProbe),
    runProbe(scene, imagesProbe),
    known.isComparable ? lookForDrift(scene, facts, answer) : undefined,
  ])
  const overlay = network.report && podNetworkProblems(scene, network.report, node.report?.status?.podCIDR ?? '')
  return {
    administrator: await administrator,
    drift,
    firewall,
    identities,
    imagePaths: [],
    images,
    network: withProblems(network, overlay),
    node,
    problems,
    programs,
    runtime,
    services,
    unseen,
  }
}

/** With the DNS address the cluster has now, where it can be asked: else it is the one on the node. */
async function lookForDrift(
  scene: ProbeScene,
  facts: HostFacts,
  answer: Promise<ClusterAnswer>,
): Promise<NonNullable<Looks['drift']>> {
  const canAsk = !('silence' in (await answer))
  const asked = canAsk
    ? await within(scene.machine.clock, SHORT_MS, facts.clusterDNS()).catch(() => undefined)
    : undefined
  const config = {...scene.config, clusterDNS: asked ?? scene.config.clusterDNS}
  return Promise.all(
    stepsFor(config).map(async (step) => {
      const isSkipped = config.skip.includes(step.id)
      return {
        isSkipped,
        seen: isSkipped ? undefined : await runProbe({...scene, config}, driftProbe(step, answer)),
        step,
      }
    }),
  )
}
