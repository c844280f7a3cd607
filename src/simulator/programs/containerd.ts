// containerd.exe as a program: its version, and its configuration with every default (cmd/containerd/command/main.go and
// config.go of 1.6.39, 1.7.25 and 2.0.0 to 2.3.4).
import {stringify, type TomlTable} from 'smol-toml'
import {CRI, configVersion, IMAGES, type LoadedConfig, RUNTIME, SERVER} from '../containerd/config.js'
import {loadConfig, parseFlags} from '../daemons/containerd.js'
import {lookUp, parseVersion} from '../daemons/daemon.js'
import type {ProgramOutput, ProgramStart, Stage} from '../model.js'
import {isAtLeast} from '../versions.js'

type Loaded = Exclude<LoadedConfig, {readonly error: string}>

const REVISION = '0000000000000000000000000000000000000000'

export async function runContainerd(stage: Stage, {args, env, version}: ProgramStart): Promise<ProgramOutput> {
  const parsed = parseFlags({args})
  if (parsed.error !== undefined) return failed(parsed.error)
  const {flags, rest} = parsed
  if (flags.has('version') || flags.has('v')) {
    const module = `github.com/containerd/containerd${isAtLeast(version, '2.0') ? '/v2' : ''}`
    return {exitCode: 0, stdout: `containerd ${module} ${version} ${REVISION}\n`}
  }

  const [group, command] = rest
  const isMigrate = command === 'migrate' && isAtLeast(version, '2.0')
  const isDefault = command === 'default'
  if (group !== 'config' || !(command === 'dump' || isDefault || isMigrate))
    return failed('this command is not simulated')
  const process = {args, env: (name: string) => lookUp(env, name), stage, version: parseVersion(version)}
  const loaded = await loadConfig(process, isDefault ? 'default' : 'dump')
  if (loaded.error !== undefined) return failed(loaded.error)
  // Before 2.0.6 only "migrate" moves the keys of version 2 to the plugins of version 3.
  const isMoved = isMigrate || !isAtLeast(version, '2.0') || isAtLeast(version, '2.0.6')
  return {
    exitCode: 0,
    stdout: `${stringify(dumpOf(loaded, version, isMoved, process.env('ProgramFiles') ?? 'C:\\Program Files'))}\n`,
  }
}

const failed = (message: string): ProgramOutput => ({exitCode: 1, stderr: `containerd: ${message}\n`})

/** Values that differ from the defaults are those of the file; flags of the daemon are no part of it. */
function dumpOf(
  {config, disabled, imports, plugins}: Loaded,
  version: string,
  isMoved: boolean,
  programFiles: string,
): TomlTable {
  const own = configVersion(version)
  const hasList = isAtLeast(version, '2.1')
  // The default of the newer key stands beside what the file has of the older one.
  const bin = hasList
    ? {bin_dir: '', bin_dirs: [`${programFiles}\\containerd\\cni\\bin`]}
    : {bin_dir: config.cniBinDirs[0] ?? ''}
  const cni = {...bin, ...tableAt(plugins.runtime, 'cni'), conf_dir: config.cniConfDir, max_conf_num: 1}
  const address = {address: config.address, max_recv_message_size: 16_777_216}
  const isCri = config.criProblem !== 'plugin is disabled'
  const images = {
    ...plugins.images,
    image_pull_progress_timeout: config.pullProgressTimeout,
    pinned_images: {...tableAt(plugins.images, 'pinned_images'), sandbox: config.sandboxImage},
  }
  const {pinned_images: _, ...rest} = images
  const ofTwo = isCri ? {[CRI]: {...plugins.runtime, ...rest, cni, sandbox_image: config.sandboxImage}} : {}
  const ofThree = {
    [CRI]: {disable_tcp_service: true},
    ...(isMoved && {[IMAGES]: images, [RUNTIME]: {...plugins.runtime, cni}}),
  }
  return {
    disabled_plugins: [...disabled],
    imports: [...imports],
    required_plugins: [],
    root: config.root,
    state: config.state,
    version: own,
    ...(own < 4 && {grpc: address}),
    plugins: own === 2 ? ofTwo : {...ofThree, ...(own === 4 && {[SERVER]: address})},
  }
}

const tableAt = (table: TomlTable, key: string): TomlTable => (table[key] ?? {}) as TomlTable
