// A containerd that was on the host before: which program its service runs, and which pipe, folders and sandbox image it
// uses. It is asked for its own configuration, with every default, import and migration (containerd
// cmd/containerd/command/config.go); the answer can hold credentials of registries, so nothing else of it is kept.
import {win32} from 'node:path'
import {ASIDE} from '../../config/layout.js'
import {CONTAINERD, type ContainerdPlace} from '../../config/model.js'
import {isBelow, parseVersion, type Version} from '../../config/version.js'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {pastedPath} from '../../errors/define.js'
import {splitCommandLine} from '../../machine/command-line.js'
import type {Files} from '../../machine/files.js'
import type {Run} from '../../machine/run.js'
import {at, listAt, textAt} from '../document.js'
import type {Calls} from '../security/planted.js'
import {trustedRun} from '../security/trust.js'
import type {Services} from '../services/services.js'
import {configurationFiles, parsed} from './configuration-files.js'
import {CRI_PLUGINS, repairedConfiguration} from './repair-config.js'
import {demandUsedPaths} from './used-paths.js'

/** The kubelet requires version 1 of the CRI, which containerd has from 1.6.0 on. */
export const OLDEST_CONTAINERD = '1.6.0'
/** Where it looks without --config (defaults/defaults_windows.go). */
const DEFAULT_CONFIG = String.raw`C:\Program Files\containerd\config.toml`
const ASKING_MS = 30_000
/** A dump has some 20 kB. */
const LARGEST_ANSWER = 1024 ** 2

const CRI = 'io.containerd.grpc.v1.cri'
const IMAGES = 'io.containerd.cri.v1.images'
const RUNTIME = 'io.containerd.cri.v1.runtime'
const SERVER = 'io.containerd.server.v1.grpc'

/** Why it cannot be asked, in words, and what to do. */
export interface Misfit {
  readonly fix: string
  readonly what: string
}

export interface PresentContainerd {
  /** The key of its configuration that names the folder of CNI plugins. */
  readonly binKey: 'bin_dir' | 'bin_dirs'
  /** The files that disable it: lists of imported files are added to those of the main one (mergeConfig). */
  readonly disabledIn: readonly string[]
  /** Built without the plugin that the kubelet connects to (the build tag no_cri of containerd). */
  readonly isCriAbsent: boolean
  /** Its configuration disables that plugin. */
  readonly isCriDisabled: boolean
  readonly place: ContainerdPlace
  readonly version: Version
}

interface Command {
  readonly args: readonly string[]
  readonly program: string
}

export interface PresentCalls extends Calls {
  readonly files: Pick<Files, 'list' | 'read' | 'readChunks' | 'status'>
  readonly run: Run
  readonly services: Pick<Services, 'command' | 'isOurs' | 'status'>
}

/** Undefined without one. Throws what speaks against running its program or reading its configuration. */
export async function findContainerd(calls: PresentCalls): Promise<Misfit | PresentContainerd | undefined> {
  const {services, trust} = calls
  if (!(await services.status(CONTAINERD)) || (await services.isOurs(CONTAINERD))) return undefined
  const line = (await services.command(CONTAINERD)) ?? ''
  const command = containerdIn(line)
  if (!command) {
    return {
      fix: `Register it again ("containerd.exe --register-service"), or remove the service ("sc.exe delete ${CONTAINERD}").`,
      what: `the service ${CONTAINERD} does not run a containerd.exe by its full path`,
    }
  }

  const given = flagOf(command, 'config', 'c')
  const config = given ?? DEFAULT_CONFIG
  const file = await readable(calls.files, config)
  await trust.demand(file)
  const run = trustedRun(calls.run, trust)
  const ask = (...args: readonly string[]): ReturnType<Run> =>
    run(command.program, args, {deadlineMs: ASKING_MS, effect: 'read', maxOutputBytes: LARGEST_ANSWER})
  const version = versionIn((await ask('--version')).stdout)
  if (!version) return {fix: `Replace ${command.program}.`, what: `${command.program} does not report its version`}
  // "dump" of 2.0.0 to 2.0.5 leaves the settings of a file of version 2 where the daemon does not look for them.
  const isUnmigrated = !isBelow(version, 2, 0) && isBelow(version, 2, 0, 6)
  // "dump" of 1.x fails without a file, with which the daemon does run (containerd#7281).
  const isDefault = isBelow(version, 2, 0) && given === undefined && !(await calls.files.read(file))
  const {exitCode, stderr, stdout} = isDefault
    ? await ask('config', 'default')
    : await ask('--config', file, 'config', isUnmigrated ? 'migrate' : 'dump')
  const dump = exitCode === 0 ? parsed(stdout) : undefined
  if (dump === undefined) {
    return {
      fix: `Run ${pastedPath(command.program)} --config ${pastedPath(config)} config dump, which shows the reason, and correct the file.`,
      what: `containerd ${version.text} does not accept its configuration ${config}${whereIn(stderr)}`,
    }
  }

  const used = demandUsedPaths(calls, dump).then(() => configurationFiles(calls, file, listAt(dump, 'imports')))
  const parts = await used.catch((error: unknown) => {
    if (error instanceof UnusableFileError) return error.message
    throw error
  })
  if (typeof parts === 'string') return {fix: `Correct ${config}.`, what: `its configuration ${config} ${parts}`}
  const disabledIn = parts.filter(({text}) => repairedConfiguration(text) !== undefined).map(({path}) => path)
  const isHidden = isBelow(version, 2, 0) && at(dump, 'plugins', CRI) === undefined
  const shown = isHidden ? await withHiddenCri(calls.files, dump, file, version) : dump
  return {
    ...settingsIn(shown, command, config),
    disabledIn: disabledIn.map((path) => (path === file ? config : path)),
    // Of a plugin that it does not have, it shows nothing but what the file says.
    isCriAbsent: !isDisabledIn(dump) && [CRI, RUNTIME].every((id) => at(dump, 'plugins', id) === undefined),
    version,
  }
}

/** A run with --adopt that was killed has only put it aside; without the file, a dump would show the defaults. */
async function readable(files: PresentCalls['files'], config: string): Promise<string> {
  if (await files.read(config)) return config
  const aside = `${config}${ASIDE}`
  return (await files.read(aside)) ? aside : config
}

const isDisabledIn = (dump: unknown): boolean => listAt(dump, 'disabled_plugins').some((id) => CRI_PLUGINS.includes(id))

/**
 * Where the service of one that was there before writes its log. Without --log-file a service has none
 * (cmd/containerd/command/service_windows.go), unless a wrapper writes down what it says.
 */
export async function logFileOf(
  services: Pick<Services, 'command' | 'standardError'>,
  service: string,
): Promise<string | undefined> {
  const command = containerdIn((await services.command(service)) ?? '')
  const given = command && flagOf(command, 'log-file')
  return given || (await services.standardError(service)) || undefined
}

/** 1.x shows nothing of a plugin that is disabled: what it would read (pkg/cri/config/config_windows.go). */
async function withHiddenCri(
  files: PresentCalls['files'],
  dump: unknown,
  path: string,
  version: Version,
): Promise<unknown> {
  const file = parsed((await files.read(path))?.toString('utf8') ?? '')
  const own = at(file, 'plugins', CRI) ?? at(file, 'plugins', 'cri')
  const cni = String.raw`C:\Program Files\containerd\cni`
  const hidden = {
    cni: {
      bin_dir: textAt(own, 'cni', 'bin_dir') || `${cni}\\bin`,
      conf_dir: textAt(own, 'cni', 'conf_dir') || `${cni}\\conf`,
    },
    sandbox_image: textAt(own, 'sandbox_image') || `registry.k8s.io/pause:${isBelow(version, 1, 7) ? '3.6' : '3.8'}`,
  }
  const shown = dump as Readonly<Record<string, unknown>>
  return {...shown, plugins: {[CRI]: hidden}}
}

export const isMisfit = (found: Misfit | PresentContainerd): found is Misfit => 'what' in found

/** Its own command line, also behind a wrapper that takes one. */
function containerdIn(line: string): Command | undefined {
  const words = splitCommandLine(line.trim().replace(/^([a-z]:\\[^"]*?\.exe)(?=\s|$)/i, '"$1"'))
  const at = words.findIndex((word) => win32.basename(word).toLowerCase() === 'containerd.exe')
  const program = words[at]
  if (program === undefined || !/^[a-z]:\\/i.test(program)) return undefined
  return {args: words.slice(at + 1), program: win32.normalize(program)}
}

/** As Go's flags are written: one hyphen or two, with "=" or without. */
function flagOf({args}: Command, ...names: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, name = '', , value] = /^--?([^=]+)(=([^]*))?$/.exec(arg) ?? []
    if (names.includes(name)) return value ?? args[index + 1]
  }

  return undefined
}

/** "containerd github.com/containerd/containerd/v2 v2.3.4 <revision>"; AKS has a suffix. */
function versionIn(text: string): Version | undefined {
  return parseVersion(/^containerd \S{1,100} v?(\d{1,4}\.\d{1,4}\.\d{1,4})/.exec(text)?.[1] ?? '')
}

/** The message of the parser itself may quote a line of the file. */
function whereIn(stderr: string): string {
  const [, row, column] = /\((\d{1,6}), (\d{1,6})\)|row (\d{1,6}) column (\d{1,6})/.exec(stderr)?.filter(Boolean) ?? []
  return row === undefined ? '' : ` (row ${row}, column ${String(column)})`
}

/** By the keys of its version: 2 of containerd 1.x, 3 of 2.0 to 2.2, 4 from 2.3 on. */
function settingsIn(
  dump: unknown,
  command: Command,
  config: string,
): Omit<PresentContainerd, 'disabledIn' | 'isCriAbsent' | 'version'> {
  const isTwo = at(dump, 'version') === 2
  const [images, plugin] = [isTwo ? CRI : IMAGES, isTwo ? CRI : RUNTIME].map((id) => at(dump, 'plugins', id))
  // A file that sets the older key wins over the default of the newer one (internal/cri/config/config.go,
  // ValidateRuntimeConfig of 2.1.0 and newer).
  const folder = textAt(plugin, 'cni', 'bin_dir')
  const folders = listAt(plugin, 'cni', 'bin_dirs').filter((one) => typeof one === 'string')
  const hasList = at(plugin, 'cni', 'bin_dirs') !== undefined
  const address = textAt(dump, 'plugins', SERVER, 'address') || textAt(dump, 'grpc', 'address')
  return {
    binKey: folder === '' && hasList ? 'bin_dirs' : 'bin_dir',
    isCriDisabled: isDisabledIn(dump) || plugin === undefined,
    place: {
      cniBinaries: folderOf(folder || (folders[0] ?? '')),
      cniConfigFolder: folderOf(textAt(plugin, 'cni', 'conf_dir')),
      config,
      ctr: win32.join(win32.dirname(command.program), 'ctr.exe'),
      data: folderOf(flagOf(command, 'root') ?? textAt(dump, 'root')),
      isOurs: false,
      pipe: (flagOf(command, 'address', 'a') ?? address).replaceAll('/', '\\'),
      program: command.program,
      sandboxImage: isTwo ? textAt(images, 'sandbox_image') : textAt(images, 'pinned_images', 'sandbox'),
      service: CONTAINERD,
    },
  }
}

/** Written with either slash (Azure/AgentBaker, containerdfunc.ps1). */
const folderOf = (path: string): string => (path === '' ? '' : win32.normalize(path).replace(/(?<!:)\\$/, ''))
