// What is known of the node in a base directory: what the last setup stored, and what it noted. Reads only.
import {knownReleases} from '../preflight/known-releases.js'
import {decide} from '../config/decide.js'
import {type Layout, layoutOf} from '../config/layout.js'
import {type Asked, CONTAINERD, type Decided} from '../config/model.js'
import {environmentVariable, type GivenOptions} from '../config/options/options.js'
import {parseVersion} from '../config/version.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {findContainerd, isMisfit} from '../host/containerd/present.js'
import {readRegistries} from '../host/containerd/registry-config.js'
import {keyOf} from '../host/security/known-paths.js'
import {openOperatingSystem} from '../host/os.js'
import {openSecurity} from '../host/security/security.js'
import {openTrust} from '../host/security/trust.js'
import {openServices} from '../host/services/services.js'
import {type Journal, type JournalLine, openTrustedJournal} from '../pipeline/ledger/journal.js'
import {withRecordedContainerd} from '../pipeline/desired/containers/present-containerd.js'
import {isBegun} from '../pipeline/ledger/run-entries.js'
import {whyNoNode} from '../pipeline/run/missing-node.js'
import type {Session} from './run.js'
import {type ConfigurationInput, readAsked, readConfiguration} from './configuration.js'

export interface NodeRequest extends Pick<Session, 'environment' | 'machine' | 'signal'> {
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  /** Of --config, which may say where the node is. */
  readonly configFile?: string | undefined
  readonly dockerHost?: string | undefined
}

export interface KnownNode {
  /** As the last setup stored it; the defaults for what it did not store. */
  readonly config: Decided
  /** Why the journal was not read. */
  readonly distrust?: K8sWinError
  readonly journal: Journal
  /** Why what the last setup stored cannot be used: then `config` has nothing but the defaults. */
  readonly problem?: ProblemsError
  /** No node; a setup that did not finish; one that did. */
  readonly state: 'absent' | 'begun' | 'set-up'
}

/** Nothing of a node is recorded, and nothing of that is in doubt. */
export const isNodeAbsent = ({distrust, journal, problem, state}: KnownNode): boolean =>
  state === 'absent' && [distrust, journal.damage, problem].every((one) => one === undefined)

/** For commands that need a node. */
export const whyNotSetUp = (
  {machine: {clock, files, win32}}: Pick<NodeRequest, 'machine'>,
  {config: {baseDir}, journal}: KnownNode,
): Promise<K8sWinError> =>
  whyNoNode({files, os: openOperatingSystem(win32), services: openServices(win32, clock)}, baseDir, journal)

/** Throws a ProblemsError only for what is wrong with the base directory that was asked for. */
export async function readKnownNode(request: NodeRequest): Promise<KnownNode> {
  const {clock, files, win32} = request.machine
  const {config: read, problem} = await readStored(request)
  const layout = layoutOf(read.baseDir)
  const [{distrust, journal}, stored] = await Promise.all([
    openTrustedJournal({clock, files, trust: openTrust(win32)}, layout.journal),
    files.status(layout.nodeConfig),
  ])
  const isUnknown = problem !== undefined || stored === undefined
  const begunWith = isUnknown ? await recordedOptions(request, journal, layout) : undefined
  const config = begunWith ? await readWith(request, begunWith, !problem) : read
  const begun = isBegun(journal) ? 'begun' : 'absent'
  return {
    config:
      config.runtime === CONTAINERD
        ? await withItsRegistries(request, await withItsContainerd(request, config, journal))
        : config,
    ...(distrust && {distrust}),
    journal,
    ...(problem && {problem}),
    state: stored?.kind === 'file' ? 'set-up' : begun,
  }
}

type Recorded = Partial<Pick<Asked, 'release' | 'runtime'>>

/** A setup that did not finish has stored nothing: the journal names its release. */
async function recordedOptions(request: NodeRequest, journal: Journal, layout: Layout): Promise<Recorded | undefined> {
  const release = parseVersion(String(journal.entries('base-dir', 'release')[0]?.version))
  if (release) return {release, runtime: 'auto'}
  return (await hasContainerd(request, journal, layout)) ? {runtime: CONTAINERD} : undefined
}

/** A lost or damaged journal does not name the release: what else was recorded or created shows the runtime. */
async function hasContainerd(
  {machine: {clock, win32}}: NodeRequest,
  journal: Journal,
  {containerd}: Pick<Layout, 'containerd'>,
): Promise<boolean> {
  // Of the folders only its own: steps of both runtimes share the others, and a lost journal names them for each.
  const isOfContainerd = ({entry, step}: JournalLine): boolean =>
    entry.kind === 'present-containerd' ||
    (step.startsWith('containerd-') && (entry.kind !== 'directory' || keyOf(entry.path) === keyOf(containerd.bin)))
  const lines = journal.all()
  // What an earlier reset has left says nothing about the setup after it.
  if (lines.slice(lines.findLastIndex(({entry}) => entry.kind === 'reset') + 1).some(isOfContainerd)) return true
  return openServices(win32, clock)
    .isOurs(CONTAINERD)
    .catch(() => false)
}

/** As the journal names it; where its line is lost, and k8s-win installed none, the one that is there now. */
async function withItsContainerd(
  {machine: {clock, files, run, win32}}: NodeRequest,
  config: Decided,
  journal: Journal,
): Promise<Decided> {
  const recorded = withRecordedContainerd(config, journal)
  const isInstalled = journal.entries('containerd-service', 'service').length > 0
  const isLost = journal.all().length === 0 || journal.all().some(({entry}) => entry.kind === 'loss')
  if (!recorded.containerd.isOurs || isInstalled || !isLost) return recorded
  const calls = {files, run, security: win32, services: openServices(win32, clock), trust: openTrust(win32)}
  const found = await findContainerd(calls).catch(() => undefined)
  if (!found || isMisfit(found)) return recorded
  const versions = Object.freeze({...config.versions, containerd: found.version})
  return Object.freeze({...config, containerd: found.place, versions})
}

async function withItsRegistries({machine: {files, win32}}: NodeRequest, config: Decided): Promise<Decided> {
  const calls = {files, security: openSecurity(win32), trust: openTrust(win32)}
  const registries = await readRegistries(calls, config)
  return registries ? Object.freeze({...config, registries}) : config
}

/** Where the release is unknown: the newest, as in a setup that cannot ask the cluster. */
async function readWith(request: NodeRequest, recorded: Recorded, withStored: boolean): Promise<Decided> {
  const read = await readAsked({...inputOf(request), withStored})
  return decide({...read, ...recorded}, {catalogue: await knownReleases()})
}

/** Only which node is meant is taken from the environment: the rest would make it look like another one. */
function inputOf({baseDir, configFile, dockerHost, environment, machine, signal}: NodeRequest): ConfigurationInput {
  const variable = environmentVariable('base-dir')
  const flags: GivenOptions = {
    ...(baseDir !== undefined && {'base-dir': baseDir}),
    ...(configFile !== undefined && {config: configFile}),
  }
  return {dockerHost, environment: {[variable]: environment[variable]}, flags, machine, signal}
}

async function readStored(request: NodeRequest): Promise<{config: Decided; problem?: ProblemsError}> {
  try {
    return {config: await readConfiguration(inputOf(request))}
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    // Without the stored values, problems of the request itself are reported again.
    return {config: await readDefaults(request), problem: error}
  }
}

/** Nothing but the defaults, for the base directory that is asked for: nothing stored is read. */
export const readDefaults = (request: NodeRequest): Promise<Decided> =>
  readConfiguration({...inputOf(request), withStored: false})
