// What a run is to do, from all who have a say: command line, environment, configuration file, the last setup, defaults.
import {createHash} from 'node:crypto'
import {newestRelease} from '../artifacts/digests.js'
import {normalizeBaseDir} from '../config/base-dir.js'
import {type ConfigFile, readConfigFile} from '../config/options/config-file.js'
import {keptOptions} from '../config/options/kept-options.js'
import {askedLayers, type Layer, layered} from '../config/options/layers.js'
import {withoutReplacedJoin} from '../config/options/join-options.js'
import {layoutOf} from '../config/layout.js'
import type {StepId} from '../config/step-ids.js'
import {decide} from '../config/decide.js'
import type {Asked, Decided, RuntimeName} from '../config/model.js'
import {entriesOf, type GivenOptions, optionOf, OPTIONS} from '../config/options/options.js'
import {file as parseFile} from '../config/options/parse-option.js'
import {resolveConfig} from '../config/options/resolve-setup.js'
import {storedText} from '../config/options/stored-config.js'
import {decodeText} from '../config/yaml.js'
import {configFileUnusable, storedConfigUnusable} from '../errors/configuration.js'
import {pasted, pastedPath} from '../errors/define.js'
import {badValue} from '../errors/input.js'
import {K8sWinError, ProblemsError, UnusableFileError} from '../errors/k8s-win-error.js'
import {readUserFile} from '../host/cluster/kubeconfig-file.js'
import {openOperatingSystem} from '../host/os.js'
import {ADMINISTRATORS_ONLY_FILE} from '../host/security/security.js'
import {openTrust, trustedFilesOf} from '../host/security/trust.js'
import {inTime} from '../host/wait.js'
import {FileError, type Files} from '../machine/files.js'
import type {Machine} from '../machine/machine.js'
import {openServices} from '../host/services/services.js'
import {type Journal, openTrustedJournal, recordedSpelling} from '../pipeline/ledger/journal.js'
import {begunRun} from '../pipeline/ledger/run-entries.js'
import {moveFolderAside} from '../pipeline/desired/files/move-aside.js'
import {keptName} from '../pipeline/desired/cluster/node-cluster.js'
import type {Session} from './run.js'

type StoredOn = Pick<Machine, 'clock' | 'files' | 'win32'>

/** A node's configuration has a few lines. */
const LARGEST = 64 * 1024
const READING_MS = 60_000

export interface ConfigurationInput extends Pick<Session, 'environment' | 'signal'> {
  readonly dockerHost?: string | undefined
  readonly flags: GivenOptions
  readonly machine: Pick<Machine, 'clock' | 'files' | 'win32'>
  /** False where the machine can have no base directory: not on Windows. */
  readonly withStored?: boolean
}

/** As readAsked, with the defaults for what is left open: the host and the cluster are not asked. */
export async function readConfiguration(input: ConfigurationInput): Promise<Decided> {
  return decide(await readAsked(input))
}

/** Reads only. Throws a ProblemsError with everything that is wrong in any of the sources. */
export const readAsked = (input: ConfigurationInput): Promise<Asked> =>
  inTime(input.machine.clock, READING_MS, [input.signal], () =>
    gather(input).catch((error: unknown) => {
      const damage =
        error instanceof ProblemsError ? error.problems.find((one) => storedConfigUnusable.is(one)) : undefined
      if (!(error instanceof ProblemsError) || !damage) throw error
      return gatherFromCopy(input, error, damage)
    }),
  )

/** Its copy is that of the last setup, and used. */
const restorableByRecover = (damage: K8sWinError): K8sWinError =>
  damage.with({fix: 'Run "k8s-win recover": it restores the file from its copy, which is used until then.'})

/** A later run began, or the journal does not name the copy: whoever asks decides. */
const withCopyOffered = (
  damage: K8sWinError,
  {copy, node, path}: {readonly copy: string; readonly node: string; readonly path: string},
): K8sWinError =>
  damage.with({
    fix: `Fix the file; or, if ${copy}, which an earlier setup stored, is what this node is to be, delete ${path} and run 'k8s-win setup --node-name ${pasted(node)} --config ${pastedPath(copy)}'.`,
  })

/** Where no setup or upgrade began since the one that stored the copy. Otherwise the copy is offered. */
async function gatherFromCopy(input: ConfigurationInput, error: ProblemsError, damage: K8sWinError): Promise<Asked> {
  const asked = await gather(input, async (machine, baseDir) => {
    const {copy, isProven} = await readCopy(machine, baseDir)
    if (copy && isProven) return copy
    if (!copy) throw error
    const {nodeConfig: path, nodeConfigCopy} = layoutOf(baseDir)
    const services = openServices(machine.win32, machine.clock)
    const node = (await keptName({services}).catch(() => undefined)) ?? '<name>'
    const offered = withCopyOffered(damage, {copy: nodeConfigCopy, node, path})
    throw new ProblemsError(error.problems.map((one) => (one === damage ? offered : one)))
  })
  return {...asked, storedDamage: restorableByRecover(damage)}
}

async function gather(
  {dockerHost, environment, flags, machine, withStored = true}: ConfigurationInput,
  read = readStored,
): Promise<Asked> {
  const problems: K8sWinError[] = []
  const layers: Layer[] = await Promise.all(askedLayers(OPTIONS, flags, environment).map(withPatch))
  const {config: path} = layered(layers).given
  const named = path === undefined ? undefined : parseFile(String(path))
  if (named && 'reason' in named) {
    problems.push(badValue({flag: 'config', ...named, value: String(path), where: '--config'}))
  } else if (named) {
    const file = await readNamed(trustedFilesOf(machine), named.value)
    problems.push(...file.problems)
    layers.push(await withPatch(file))
  }

  const folder = normalizeBaseDir(String(layered(layers).given['base-dir'] ?? optionOf('base-dir').default))
  let spelling: GivenOptions = {}
  let isStored = false
  let madeOn: Asked['madeOn']
  let storedFolder: Asked['storedFolder']
  let storedJoin: Asked['storedJoin']
  let blame = (found: readonly K8sWinError[]): readonly K8sWinError[] => found
  if ('path' in folder && withStored) {
    const stored = await read(machine, folder.path)
    const {'base-dir': before, ...rest} = stored.given
    const {where} = stored
    madeOn = stored.madeOn
    problems.push(...stored.problems)
    isStored = Object.keys(stored.given).length > 0
    storedFolder = before === undefined ? undefined : String(before)
    const {'ca-cert-hash': hashes, server} = stored.given
    storedJoin = server === undefined ? undefined : {caCertHashes: entriesOf(hashes), server: String(server)}
    layers.push(keptOptions({...stored, given: rest}, layered(layers).given))
    blame = (found) => withStoredProblem(found, {given: rest, where}, layoutOf(folder.path).nodeConfig)
    spelling = sameFolder(before ?? (await begunAs(trustedFilesOf(machine), folder.path)), folder.path)
  }

  const all = layered(withoutReplacedJoin(layers))
  const given = {...all.given, ...spelling}
  try {
    const resolved = resolveConfig({...all, dockerHost, given, isStored, madeOn, storedJoin})
    const asked = storedFolder === undefined ? resolved : {...resolved, storedFolder}
    // Of a node that was set up nothing is asked, so what is wrong with its defaults is wrong already here.
    if (isStored) decide(asked)
    if (problems.length === 0) return asked
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    problems.push(...blame(error.problems))
  }

  throw new ProblemsError(problems)
}

/** "1.36" is the newest known patch of it; a minor version without a known patch is refused, because it is not a version. */
async function withPatch<One extends Layer>(layer: One): Promise<One> {
  const [, minor] = /^v?1\.(\d{1,4})$/.exec(String(layer.given.release)) ?? []
  const release = minor === undefined ? undefined : await newestRelease(Number(minor))
  return release === undefined ? layer : {...layer, given: {...layer.given, release}}
}

/** The file that --config names. */
async function readNamed(files: Files, path: string): Promise<ConfigFile> {
  const refused = (problem: K8sWinError): ConfigFile => ({given: {}, problems: [problem], source: 'file', where: {}})
  const unusable = (reason: string): ConfigFile => refused(configFileUnusable({path, reason}))
  try {
    const content = await readUserFile(files, path, LARGEST)
    if (content === undefined) return unusable('the file does not exist')
    return readConfigFile(decodeText(content), path, 'file')
  } catch (error) {
    if (error instanceof K8sWinError) return refused(error)
    if (error instanceof FileError) return unusable(`it cannot be read (${error.code})`)
    // What readUserFile and decodeText say in a sentence; anything else is not theirs.
    if (error instanceof UnusableFileError) return unusable(error.message)
    throw error
  }
}

/** Empty if nothing is stored, or if it cannot be read: then a check reports that the account is not an administrator. */
async function readStored({files, win32}: StoredOn, baseDir: string): Promise<ConfigFile> {
  const path = layoutOf(baseDir).nodeConfig
  const nothing: ConfigFile = {given: {}, problems: [], source: 'stored', where: {}}
  const unusable = (reason: string): ConfigFile => ({...nothing, problems: [storedConfigUnusable({path, reason})]})
  try {
    const status = await files.status(path)
    if (status === undefined) return nothing
    if (status.kind !== 'file') return unusable(`It is a ${status.kind === 'directory' ? 'folder' : status.kind}.`)
    const distrust = await openTrust(win32).problem(path)
    if (distrust) return unusable(`${distrust.message}. ${distrust.reason}`)
    const content = (await readUserFile(files, path, LARGEST)) ?? Buffer.alloc(0)
    const {problems, ...stored} = readConfigFile(decodeText(content), path, 'stored')
    // One place can be wrong in several ways.
    const messages = new Set(problems.map(({message}) => message))
    return messages.size > 0 ? unusable(`${[...messages].join('; ')}.`) : {...stored, problems}
  } catch (error) {
    if (error instanceof FileError && /^(?:EACCES|EPERM|ENOTDIR)$/.test(error.code)) return nothing
    if (error instanceof UnusableFileError) return unusable(`Invalid configuration file: ${error.message}.`)
    throw error
  }
}

interface StoredCopy {
  /** Undefined where there is none that can be used, or node.yaml is no file that only administrators can write. */
  readonly copy?: ConfigFile
  /** It is that of the last setup, and what that did is what the node is. */
  readonly isProven: boolean
}

async function readCopy(machine: StoredOn, baseDir: string): Promise<StoredCopy> {
  const {clock, win32} = machine
  const {journal: journalFile, nodeConfig, nodeConfigCopy} = layoutOf(baseDir)
  const none = {isProven: false}
  try {
    const trust = openTrust(win32)
    const files = trustedFilesOf(machine)
    if ((await files.status(nodeConfig))?.kind !== 'file' || (await trust.problem(nodeConfig))) return none
    const content = await readUserFile(files, nodeConfigCopy, LARGEST)
    if (content === undefined) return none
    const copy = readConfigFile(decodeText(content), nodeConfigCopy, 'stored')
    if (copy.problems.length > 0 || problemsOf(copy).length > 0) return none
    const {distrust, journal} = await openTrustedJournal({clock, files: machine.files, trust}, journalFile)
    const [setup] = journal.entries('base-dir', 'setup')
    const isWhole = distrust === undefined && journal.damage?.message === undefined && begunRun(journal) === undefined
    return {copy, isProven: isWhole && setup?.options === hashOf(content)}
  } catch (error) {
    if (error instanceof K8sWinError || error instanceof FileError || error instanceof UnusableFileError) return none
    throw error
  }
}

/** node.yaml as its copy has it. */
export async function restoreStored({files}: Pick<Machine, 'files'>, baseDir: string): Promise<void> {
  const {nodeConfig, nodeConfigCopy} = layoutOf(baseDir)
  const content = await files.read(nodeConfigCopy)
  if (content) await files.write(nodeConfig, content.toString('utf8'), {sddl: ADMINISTRATORS_ONLY_FILE})
}

const hashOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex')

/** C:\K and c:\k are the same folder: the spelling of the last setup stays, so that no command line changes. */
function sameFolder(stored: GivenOptions['base-dir'], folder: string): GivenOptions {
  const before = normalizeBaseDir(String(stored ?? ''))
  return 'path' in before && before.path.toLowerCase() === folder.toLowerCase() ? {'base-dir': before.path} : {}
}

/** How a setup that did not finish, and so stored nothing, spelled the folder. */
async function begunAs(files: Files, baseDir: string): Promise<string | undefined> {
  try {
    return await recordedSpelling(files, layoutOf(baseDir).journal, baseDir)
  } catch (error) {
    if (error instanceof FileError || error instanceof K8sWinError) return undefined
    throw error
  }
}

const RUNTIME_VERSIONS: Readonly<Record<RuntimeName, (config: Decided) => GivenOptions>> = {
  containerd: ({containerd: {isOurs}, versions: {containerd, crictl}}) => ({
    ...(isOurs && {'containerd-version': containerd.text}),
    'crictl-version': crictl.text,
  }),
  docker: () => ({}),
}

/**
 * Kept for the next run. Written only where it is not there already; the end of the setup before it, so that a journal without
 * it has lost its end.
 */
export async function storeConfiguration(
  {files, win32}: Pick<Machine, 'files' | 'win32'>,
  journal: Pick<Journal, 'record'>,
  config: Decided,
  skip: readonly StepId[] = config.skip,
): Promise<void> {
  const {nodeConfig, nodeConfigCopy} = layoutOf(config.baseDir)
  const os = openOperatingSystem(win32)
  const madeOn = {computerName: await os.computerName(), uuid: (await os.systemUuid()) ?? ''}
  const given = {...RUNTIME_VERSIONS[config.runtime](config), ...config.origin.given}
  const text = storedText(given, config.baseDir, madeOn)
  await journal.record('base-dir', {kind: 'setup', options: hashOf(text), ...(skip.length > 0 && {skip})})
  await moveFolderAside(files, nodeConfigCopy)
  for (const path of [nodeConfig, nodeConfigCopy]) {
    if ((await files.read(path))?.toString('utf8') === text) continue
    await files.write(path, text, {sddl: ADMINISTRATORS_ONLY_FILE})
  }
}

/** Of all problems, those that the stored values have by themselves, as one of that file; the others as they are. */
export function withStoredProblem(
  problems: readonly K8sWinError[],
  stored: Pick<Layer, 'given' | 'where'>,
  path: string,
): K8sWinError[] {
  const own = new Set(problemsOf(stored).map(({message}) => message))
  const damage = problems.filter(({message}) => own.has(message))
  const others = problems.filter(({message}) => !own.has(message))
  if (damage.length === 0) return others
  const reason = damage.map((problem) => `${problem.message}. ${problem.reason}`).join(' ')
  return [...others, storedConfigUnusable({path, reason})]
}

function problemsOf({given, where}: Pick<Layer, 'given' | 'where'>): readonly K8sWinError[] {
  try {
    decide(resolveConfig({given, where}))
    return []
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems
    throw error
  }
}
