// containerd.exe: what it refuses, when its pipe opens, and what it needs while it runs.
import {standInDatabase} from '../containerd/database.js'
import {win32} from 'node:path'

import {loadContainerdConfig, type LoadedConfig} from '../containerd/config.js'
import {importsOf} from '../containerd/imports.js'
import {isOnDriveC, pipeKey, pipeOwner, shimBeside} from '../containerd/lifetime.js'
import {compareVersions, isAtLeast} from '../versions.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {flagSet, type ParsedFlags, parseGoFlags} from './flags.js'

/** cmd/containerd/command/main.go and service_windows.go, the same from 1.7.25 to 2.3.4. */
const FLAGS = flagSet({
  bool: 'h help register-service run-service unregister-service v version',
  string: 'a address c config l log-file log-level root service-name state',
})
const SERVING_AFTER_MS = 1000

export const containerd: Daemon = {
  async advance(process) {
    const {entry, stage, uptime, version} = process
    if (entry.stage === 'starting' || entry.stage === 'launched') return uptime >= SERVING_AFTER_MS && serve(process)
    const {config} = stage.world.containerd
    if (entry.stage !== 'serving' || !config || config.criProblem !== undefined) return false
    if (await stage.files.status(config.cniConfDir)) return false
    if (!isAtLeast(version.text, '2.1')) {
      // The watch is gone with the folder (fsnotify, backend_windows.go); containerd before 0c2805a6e does not notice it.
      config.cniConfDirLost = true
      return false
    }

    // internal/cri/server/cni_conf_syncer.go: the loop ends, then the CRI service, and with it the daemon.
    await log(process, 'fatal', 'Failed to run CRI service', {
      error: 'cni network conf monitor error: cni conf dir is removed, stop watching',
    })
    await process.exit(1, stage.now())
    return true
  },

  async begin(process) {
    const flags = parseFlags(process)
    if (flags.error !== undefined) return fail(process, flags.error)
    const loaded = await loadConfig(process)
    if (loaded.error !== undefined) return fail(process, loaded.error)
    const {root, state} = loaded.config
    // Of another drive nothing is simulated but its space.
    for (const folder of [root, state].filter(isOnDriveC)) await process.stage.files.makeDirectory(folder)
    const isService = flags.flags.has('run-service')
    return isService ? 'connected' : 'silent'
  },
}

type Started = Pick<DaemonProcess, 'args' | 'env' | 'stage' | 'version'>

export const parseFlags = ({args}: Pick<DaemonProcess, 'args'>): ParsedFlags => parseGoFlags(args, FLAGS)

/**
 * Its configuration file, and the flags that win over it. A daemon does not start without the file that it was given;
 * "config dump" of 1.x requires one also where none was given (containerd#7281).
 */
export async function loadConfig(
  process: Started,
  reader: 'daemon' | 'default' | 'dump' = 'daemon',
): Promise<LoadedConfig> {
  const {env, stage, version} = process
  const parsed = parseFlags(process)
  if (parsed.error !== undefined) return {error: parsed.error}
  const {flags} = parsed
  const [programData, programFiles] = [
    env('ProgramData') ?? 'C:\\ProgramData',
    env('ProgramFiles') ?? 'C:\\Program Files',
  ]
  const given = flags.get('config') ?? flags.get('c')
  const path = given ?? `${programFiles}\\containerd\\config.toml`
  const bytes = reader === 'default' ? undefined : await stage.files.read(path)
  const isOld = !isAtLeast(version.text, '2.0')
  if (!bytes && (reader === 'dump' ? isOld : reader === 'daemon' && given !== undefined)) {
    const where = isOld ? `failed to load TOML: ${path}: ` : ''
    return {error: `${where}open ${path}: The system cannot find the file specified.`}
  }
  const text = bytes?.toString('utf8')
  const imported = await importsOf(stage.files, path, text ?? '')
  if ('missing' in imported) return {error: `open ${imported.missing}: The system cannot find the file specified.`}
  const loaded = loadContainerdConfig(text, path, version.text, {programData, programFiles}, imported)
  if (loaded.error !== undefined) return loaded
  const [address, root, state] = [flags.get('address') ?? flags.get('a'), flags.get('root'), flags.get('state')]
  return {...loaded, config: {...loaded.config, ...(address && {address}), ...(root && {root}), ...(state && {state})}}
}

/** Its plugins are loaded, and its pipe opens. */
async function serve(process: DaemonProcess): Promise<boolean> {
  const {entry, stage, version} = process
  const {world} = stage
  const loaded = await loadConfig(process)
  if (loaded.error !== undefined) return false
  const {warnings} = loaded
  const {openedBy = version.text} = world.containerd
  const config = isOlderMajor(version.text, openedBy)
    ? {...loaded.config, criProblem: `its root was opened by containerd ${openedBy}`}
    : loaded.config
  await log(process, 'info', 'starting containerd', {version: version.text})
  for (const warning of warnings) await log(process, 'warning', warning)
  if (config.criProblem !== undefined) {
    const isOfImages = isAtLeast(version.text, '2.0') && !config.criProblem.includes('bin_dir')
    const part = isOfImages ? 'cri image' : 'plugin'
    await log(process, 'warning', 'failed to load plugin', {
      // plugins/cri/images/plugin.go and plugins/cri/runtime/plugin.go; up to 1.7 one plugin (pkg/cri/cri.go).
      error:
        loaded.config.criProblem === undefined ? config.criProblem : `invalid ${part} config: ${config.criProblem}`,
      id: 'io.containerd.grpc.v1.cri',
    })
  } else if (config.cniConfDir !== '') {
    await stage.files.makeDirectory(config.cniConfDir)
  }

  if (pipeOwner(world, config.address) !== undefined) {
    // go-winio opens the first instance of a pipe only.
    const problem = `open ${config.address}: Access is denied.`
    await fail(process, `failed to get listener for main endpoint: ${problem}`)
    await process.exit(1, entry.startedAt + SERVING_AFTER_MS)
    return true
  }

  const database = `${config.root}\\io.containerd.metadata.v1.bolt\\meta.db`
  if (isOnDriveC(config.root) && isOlderMajor(world.containerd.openedBy ?? 'v0', version.text)) {
    await stage.files.makeDirectory(win32.dirname(database))
    await stage.files.write(database, standInDatabase(version.text))
  }

  Object.assign(world.containerd, {
    config,
    installed: true,
    openedBy: compareVersions(version.text, openedBy) > 0 ? version.text : openedBy,
    running: true,
    shim: shimBeside(process.program),
    version: version.text,
  })
  entry.listening = [pipeKey(config.address)]
  entry.stage = 'serving'
  await log(process, 'info', 'containerd successfully booted in 1.000000s')
  return true
}

/**
 * Assumption containerd-older-major: 1.7 would open the database of 2.x (metadata/db.go, Init skips a newer version of the
 * same schema), but not find the sandboxes, which 2.0 has moved (core/metadata/migrations.go, migrateSandboxes).
 */
const isOlderMajor = (version: string, openedBy: string): boolean =>
  compareVersions(version.replace(/\..*/, ''), openedBy.replace(/\..*/, '')) < 0

/** cmd/containerd/main.go */
async function fail(process: DaemonProcess, message: string): Promise<{exit: number}> {
  await process.stderr(`containerd: ${message}`)
  return {exit: 1}
}

/** logrus, to standard error or to --log-file. */
async function log(
  process: DaemonProcess,
  level: 'fatal' | 'info' | 'warning',
  message: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  const {stage} = process
  const time = `time=${JSON.stringify(new Date(stage.now()).toISOString().replace('Z', '000000Z'))}`
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${/^[\w./@-]+$/.test(value) ? value : JSON.stringify(value)}`,
  )
  const line = [time, `level=${level}`, `msg=${JSON.stringify(message)}`, ...rest].join(' ')
  const flags = parseFlags(process)
  const file = flags.error === undefined ? flags.flags.get('log-file') : undefined
  if (file === undefined) await process.stderr(line)
  else await stage.files.append(file, `${line}\n`)
}
