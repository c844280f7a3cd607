// config.toml as containerd reads it, by its own version and by the file's (cmd/containerd/server/config/config.go,
// internal/cri/config/config.go and plugins/cri/images/plugin.go of containerd 2.3.4; services/server/config and
// pkg/cri/config of 1.7.25).
import {parse as parseToml, TomlError, type TomlTable, type TomlValue} from 'smol-toml'
import {isAtLeast} from '../versions.js'
import {type ImportedFile, isTable, mergeConfig} from './imports.js'
import type {ContainerdConfig} from './state.js'

export const CRI = 'io.containerd.grpc.v1.cri'
export const IMAGES = 'io.containerd.cri.v1.images'
export const RUNTIME = 'io.containerd.cri.v1.runtime'
export const SERVER = 'io.containerd.server.v1.grpc'

/** Keys that each table may have; others are ignored, by 2.x with a warning. */
const KNOWN: Readonly<Record<string, string>> = {
  '': `version root state temp debug disabled_plugins required_plugins plugins oom_score cgroup proxy_plugins timeouts
    imports stream_processors grpc ttrpc metrics plugin_dir`,
  [CRI]: `disable_tcp_service stream_server_address stream_server_port stream_idle_timeout enable_tls_streaming
    x509_key_pair_streaming`,
  [IMAGES]: `snapshotter disable_snapshot_annotations discard_unpacked_layers pinned_images runtime_platforms registry
    image_decryption max_concurrent_downloads concurrent_layer_fetch_buffer image_pull_progress_timeout
    image_pull_with_sync_fs stats_collect_period use_local_image_pull`,
  [RUNTIME]: `containerd cni enable_selinux selinux_category_range max_container_log_line_size disable_apparmor
    restrict_oom_score_adj disable_proc_mount unset_seccomp_profile tolerate_missing_hugetlb_controller
    disable_hugetlb_controller device_ownership_from_security_context ignore_image_defined_volumes
    netns_mounts_under_state_dir enable_unprivileged_ports enable_unprivileged_icmp enable_cdi cdi_spec_dirs
    drain_exec_sync_io_timeout ignore_deprecation_warnings stats_collect_period stats_retention_period enable_criu
    enable_experimental_restore_via_create`,
}
/** Of version 2, by the plugin that has them since version 3. */
const MOVED = {
  images: `registry image_decryption max_concurrent_downloads image_pull_progress_timeout image_pull_with_sync_fs
    stats_collect_period`.split(/\s+/),
  stays: (KNOWN[CRI] ?? '').split(/\s+/),
}

export type LoadedConfig =
  | {
      readonly config: ContainerdConfig
      readonly error?: undefined
      /** What the file has of each plugin, under the names of this containerd. */
      readonly plugins: Readonly<Record<'cri' | 'images' | 'runtime', TomlTable>>
      readonly disabled: readonly string[]
      /** As "config dump" shows them. */
      readonly imports: readonly string[]
      readonly warnings: readonly string[]
    }
  | {readonly error: string}

export interface Environment {
  readonly programData: string
  readonly programFiles: string
}

/** The newest version of the file that a containerd reads; it migrates older ones in memory. */
export function configVersion(version: string): number {
  if (!isAtLeast(version, '2.0')) return 2
  return isAtLeast(version, '2.3') ? 4 : 3
}

/** The image of a pod's sandbox by default (DefaultSandboxImage at each tag). */
function defaultSandboxImage(version: string): string {
  const tags = [
    ['2.3', '3.10.2'],
    ['2.2', '3.10.1'],
    ['2.0', '3.10'],
    ['1.7', '3.8'],
  ]
  return `registry.k8s.io/pause:${tags.find(([since = '']) => isAtLeast(version, since))?.[1] ?? '3.6'}`
}

/** `text` undefined: no file was given, and the default one does not exist. */
export function loadContainerdConfig(
  text: string | undefined,
  path: string,
  version: string,
  {programData, programFiles}: Environment,
  imported: readonly ImportedFile[] = [],
): LoadedConfig {
  const [hasPattern, isFirst] = [isAtLeast(version, '2.2'), !isAtLeast(version, '2.0')]
  let file: TomlTable
  try {
    file = parseToml(text ?? '')
    for (const one of imported) {
      const {version: _, ...rest} = parseToml(one.text)
      file = mergeConfig(file, rest, isFirst)
    }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const {column, line: row} = error
    // Its words, without the lines of the file, and not those of containerd's parsers, which also refuse what only TOML
    // 1.1 allows: the escapes \x and \e, and line ends in an inline table.
    const message = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '')
    return {
      error: isFirst
        ? `failed to load TOML: ${path}: (${row}, ${column}): ${message}`
        : `failed to unmarshal TOML at row ${row} column ${column}: toml: ${message}`,
    }
  }

  const own = configVersion(version)
  const given = typeof file['version'] === 'number' ? file['version'] : text === undefined ? own : 1
  if (given > own) {
    return {
      error:
        own === 2
          ? `failed to load TOML: ${path}: unsupported config version \`${given}\``
          : `failed to load TOML from ${path}: expected containerd config version equal to or less than \`${own}\`, got \`${given}\``,
    }
  }

  const reader = new ConfigReader(file, given, own)
  const config = reader.config(version, programData, programFiles)
  const {disabled, plugins, problem, warnings} = reader
  // ValidateV2 of 1.x and ValidateVersion of 2.x: names of version 1 are not accepted in version 2 and newer.
  const short =
    given < 2 ? undefined : disabled.find((id) => (own === 2 ? !id.startsWith('io.containerd.') : !id.includes('.')))
  if (problem !== undefined) return {error: problem}
  if (short !== undefined) {
    return {error: `failed to load TOML from ${path}: invalid disabled plugin URI "${short}" expect io.containerd.x.vx`}
  }

  if (config.root === config.state) return {error: 'root and state must be different paths'}
  // 1.x shows the files that it has read; 2.x the lines as they are written, after its own (DefaultConfigIncludePattern).
  const imports = isFirst
    ? [...(text === undefined ? [] : [path]), ...imported.map((one) => one.path)]
    : [...(hasPattern ? [`${programFiles}\\containerd\\conf.d\\*.toml`] : []), ...reader.imports]
  return {config, disabled, imports, plugins, warnings: own === 2 ? [] : warnings}
}

class ConfigReader {
  /** A value of another type than the field: the daemon ends. */
  problem: string | undefined
  readonly disabled: readonly string[]
  readonly imports: readonly string[]
  readonly plugins: Readonly<Record<'cri' | 'images' | 'runtime', TomlTable>>
  readonly warnings: string[] = []
  private readonly images: TomlTable
  private readonly runtime: TomlTable
  private readonly server: TomlTable
  private readonly isOldNames: boolean

  constructor(
    private readonly file: TomlTable,
    given: number,
    own: number,
  ) {
    this.warnUnknown('', file)
    const plugins = {...this.table(file, 'plugins')}
    if (given < 2 && plugins['cri'] !== undefined) plugins[CRI] = plugins['cri']
    const cri = this.table(plugins, CRI)
    // Up to 1.7 there is only the old plugin; newer ones move its keys while the file is older than they are, 2.0 to 2.2
    // not those of version 1: LoadConfig calls that file one of version 3 before the plugins are asked to move theirs.
    const isMoved = own === 2 || (given < own && !(own === 3 && given < 2))
    const moved = isMoved ? cri : {}
    const containerd = this.table(moved, 'containerd')
    const pinned = this.table(own === 2 ? {} : this.table(plugins, IMAGES), 'pinned_images')
    this.images = {
      ...(own === 2 ? {} : this.table(plugins, IMAGES)),
      ...pick(moved, MOVED.images),
      ...pick(containerd, ['snapshotter', 'disable_snapshot_annotations', 'discard_unpacked_layers']),
      pinned_images: {...pinned, ...('sandbox_image' in moved && {sandbox: moved['sandbox_image'] ?? ''})},
    }
    const rest = Object.keys(moved).filter(
      (key) => key !== 'sandbox_image' && ![...MOVED.images, ...MOVED.stays].includes(key),
    )
    this.runtime = {...(own === 2 ? {} : this.table(plugins, RUNTIME)), ...pick(moved, rest)}
    this.server = own === 4 ? this.table(plugins, SERVER) : {}
    this.plugins = {cri, images: this.images, runtime: this.runtime}
    this.imports = this.texts(file, 'imports') ?? []
    const disabled = this.texts(file, 'disabled_plugins') ?? []
    // v1MigratePluginName of 2.x; 1.x compares the names of version 1 as they are.
    this.disabled = own > 2 && given < 2 ? disabled.map((id) => (id === 'cri' ? CRI : id)) : disabled
    this.isOldNames = given < 2
    if (own === 2) return
    this.warnUnknown(IMAGES, this.images)
    this.warnUnknown(RUNTIME, this.runtime)
    if (!isMoved) this.warnUnknown(CRI, cri)
    if (given < own) {
      const advice = 'use `containerd config migrate` to avoid migration'
      this.warnings.unshift(`Configuration migrated from version ${given}, ${advice}`)
    }
  }

  config(version: string, programData: string, programFiles: string): ContainerdConfig {
    const folder = `${programFiles}\\containerd\\cni`
    const cni = this.table(this.runtime, 'cni')
    const registry = this.table(this.images, 'registry')
    const address = this.text(this.server, 'address') ?? this.text(this.table(this.file, 'grpc'), 'address')
    const hasList = isAtLeast(version, '2.1')
    const given = hasList ? this.texts(cni, 'bin_dirs') : undefined
    const [only, bin] = [this.text(cni, 'bin_dir'), `${folder}\\bin`]
    // Its default in the newer key counts as not given beside the older one (ValidateRuntimeConfig).
    const folders = only && given?.every((one) => one === bin) ? undefined : given
    const criProblem = this.criProblem(registry, Boolean(folders?.length && only))
    return {
      address: address || String.raw`\\.\pipe\containerd-containerd`,
      cniBinDirs: folders ?? [only || bin],
      cniConfDir: this.text(cni, 'conf_dir') ?? `${folder}\\conf`,
      ...(criProblem !== undefined && {criProblem}),
      pullProgressTimeout: this.text(this.images, 'image_pull_progress_timeout') || '5m',
      registryConfigPath: this.text(registry, 'config_path') ?? '',
      root: this.text(this.file, 'root') || `${programData}\\containerd\\root`,
      sandboxImage: this.text(this.table(this.images, 'pinned_images'), 'sandbox') || defaultSandboxImage(version),
      state: this.text(this.file, 'state') || `${programData}\\containerd\\state`,
    }
  }

  /** The daemon runs without a plugin that it cannot load (ValidateImageConfig, ValidateRuntimeConfig). */
  private criProblem(registry: TomlTable, hasTwoFolders: boolean): string | undefined {
    const names = [CRI, IMAGES, RUNTIME, ...(this.isOldNames ? ['cri'] : [])]
    if (this.disabled.some((id) => names.includes(id))) {
      return 'plugin is disabled'
    }

    const isMirrored = Object.keys(this.table(registry, 'mirrors')).length > 0
    if (isMirrored && registry['config_path']) return '`mirrors` cannot be set when `config_path` is provided'
    const timeout = this.text(this.images, 'image_pull_progress_timeout')
    if (timeout && !/^(?:0|(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))+)$/.test(timeout)) {
      return `invalid image pull progress timeout: time: invalid duration ${JSON.stringify(timeout)}`
    }

    return hasTwoFolders ? '`cni.bin_dir` and `cni.bin_dirs` cannot be set at the same time' : undefined
  }

  private warnUnknown(id: string, table: TomlTable): void {
    const known = (KNOWN[id] ?? '').split(/\s+/)
    for (const key of Object.keys(table).filter((one) => !known.includes(one))) {
      this.warnings.push(
        id === '' ? `Ignoring unknown key in TOML: ${key}` : `Ignoring unknown key in TOML for plugin ${id}: ${key}`,
      )
    }
  }

  private table(from: Readonly<TomlTable>, key: string): TomlTable {
    const value = from[key]
    if (value === undefined) return {}
    if (isTable(value)) return value
    this.problem ??= `toml: cannot decode TOML ${typeOf(value)} into a table: ${key}`
    return {}
  }

  private text(from: Readonly<TomlTable>, key: string): string | undefined {
    const value = from[key]
    if (value === undefined || typeof value === 'string') return value
    this.problem ??= `toml: cannot decode TOML ${typeOf(value)} into a Go value of type string: ${key}`
    return undefined
  }

  private texts(from: Readonly<TomlTable>, key: string): string[] | undefined {
    const value = from[key]
    if (value === undefined) return undefined
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
    this.problem ??= `toml: cannot decode TOML ${typeOf(value)} into a Go value of type []string: ${key}`
    return undefined
  }
}

const typeOf = (value: TomlValue): string => (Array.isArray(value) ? 'array' : typeof value)
const pick = (from: TomlTable, keys: readonly string[]): TomlTable =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))
