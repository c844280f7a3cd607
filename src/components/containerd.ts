// containerd: its service, wrapped with shawl, and the files that it, crictl and its registry client read.
import {win32} from 'node:path'
import {CONTAINERD_DATA, CONTAINERD_ROOT, layoutOf} from '../config/layout.js'
import {CONTAINERD, CONTAINERD_PIPE, type ContainerdPlace, type Decided, endpointOf} from '../config/model.js'
import {isBelow, type Version} from '../config/version.js'
import {accessTo, type HostAccess} from '../host/containerd/registry-access.js'
import {tomlString, tomlValue} from '../host/containerd/toml-text.js'
import {ADMINISTRATORS_ONLY_FILE} from '../host/security/security.js'
import type {ServiceSpec} from '../host/services/services.js'
import {configurationMark} from './configuration-mark.js'
import {proxiesOf, type ProxyVariables} from './machine-proxy.js'
import {pauseImageOf} from './releases/release-table.js'
import {underShawl} from './shawl.js'

export interface ContainerdSettings {
  readonly baseDir: string
  /** The image that holds the network of every pod. */
  readonly sandboxImage: string
  readonly version: Version
}

/** The sandbox image of the node's containerd: one that was there before has its own. */
export const sandboxImageOf = ({containerd, release}: Pick<Decided, 'containerd' | 'release'>): string =>
  containerd.sandboxImage ?? pauseImageOf(release)

export const containerdSettings = ({baseDir, release, versions}: Decided): ContainerdSettings => ({
  baseDir,
  sandboxImage: pauseImageOf(release),
  version: versions.containerd,
})

/**
 * Under shawl, because containerd connects to the service manager only when all its plugins are loaded (1053 after a
 * power cut, which failure actions do not cover) and never rotates its log (cmd/containerd/command/service_windows.go).
 * The price: a stop reaches the pods too. So the mark has only what needs a restart; hosts.toml is read at every pull.
 */
export function containerdService(settings: ContainerdSettings, proxy: ProxyVariables): ServiceSpec {
  const layout = layoutOf(settings.baseDir)
  const {config, program} = layout.containerd
  return {
    command: [...underShawl(layout, CONTAINERD), program, '--config', config],
    description: 'containerd container runtime.',
    environment: {
      ...proxiesOf({proxy}),
      ...configurationMark(containerdConfiguration(settings), settings.version.text),
    },
    name: CONTAINERD,
  }
}

/**
 * config.toml. Version 2 for containerd 1.x, version 3 for every 2.x, which 2.3 and newer migrate in memory. No
 * `imports`: the drop-ins of others would change it. What is not here is containerd's default.
 */
export function containerdConfiguration({baseDir, sandboxImage, version}: ContainerdSettings): string {
  const {cniBinaries, cniConfigFolder, containerd} = layoutOf(baseDir)
  const folder = tomlString(cniBinaries)
  const [images, runtime] =
    version.major < 2
      ? ['io.containerd.grpc.v1.cri', 'io.containerd.grpc.v1.cri']
      : ['io.containerd.cri.v1.images', 'io.containerd.cri.v1.runtime']
  const inImages = `plugins."${images}"`
  // Unpacking a Windows layer takes minutes, in which a pull shows no progress (containerd#13909).
  const patience = `  image_pull_progress_timeout = '30m'`
  const sandbox = tomlString(sandboxImage)
  const lines = [
    `version = ${version.major < 2 ? 2 : 3}`,
    `root = ${tomlString(CONTAINERD_ROOT)}`,
    `state = ${tomlString(win32.join(CONTAINERD_DATA, 'state'))}`,
    '',
    '[grpc]',
    `  address = ${tomlString(CONTAINERD_PIPE)}`,
    '',
    // Its bin comes before the Path, in which containerd looks for the shim of pods, and runs it as SYSTEM: what another
    // installation or another account has put into a folder of the Path is not found (plugins/services/opt/service.go).
    '[plugins."io.containerd.internal.v1.opt"]',
    `  path = ${tomlString(win32.dirname(containerd.bin))}`,
    '',
    `[${inImages}]`,
    patience,
    ...(version.major < 2
      ? [`  sandbox_image = ${sandbox}`]
      : ['', `[${inImages}.pinned_images]`, `  sandbox = ${sandbox}`]),
    '',
    `[${inImages}.registry]`,
    `  config_path = ${tomlString(containerd.certs)}`,
    '',
    `[plugins."${runtime}".cni]`,
    // The list is known since 2.1 (internal/cri/config/config.go), and both together are an error.
    isBelow(version, 2, 1) ? `  bin_dir = ${folder}` : `  bin_dirs = [${folder}]`,
    `  conf_dir = ${tomlString(cniConfigFolder)}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Where the images of Microsoft come from, unless a mirror is given. */
export const MICROSOFT_REGISTRY = 'mcr.microsoft.com'

interface HostsFile {
  readonly content: string
  readonly path: string
  readonly sddl?: string
}

/** Those that --image-registry stands for: the second has the sandbox image (release-table.ts, pauseImageOf). */
export const MIRRORED = [MICROSOFT_REGISTRY, 'registry.k8s.io']

/**
 * With a mirror containerd asks it first, for pods too, and the registry itself for what the mirror does not have.
 * Without one there are no such files.
 */
export function mirrorFiles({
  baseDir,
  imageRegistry,
  registries,
}: Pick<Decided, 'baseDir' | 'imageRegistry' | 'registries'>): HostsFile[] {
  if (imageRegistry === MICROSOFT_REGISTRY) return []
  const access = registries && accessTo(imageRegistry, registries)
  return MIRRORED.map((registry) => mirrorHosts(baseDir, registry, imageRegistry, access))
}

/** Of --registry-config: keys and headers are secrets. */
export const registryFiles = ({baseDir, registries}: Pick<Decided, 'baseDir' | 'registries'>): HostsFile[] =>
  (registries?.files ?? []).map(({content, path}) => ({
    content,
    path: win32.join(layoutOf(baseDir).containerd.certs, path),
    sddl: ADMINISTRATORS_ONLY_FILE,
  }))

/** Of registries, whatever the options are. */
export const registryPaths = (config: Pick<Decided, 'baseDir' | 'registries'>): string[] => [
  ...MIRRORED.map((registry) => hostsPath(config.baseDir, registry)),
  ...registryFiles(config).map(({path}) => path),
]

/** For a mirror with the same paths: `mirror` is a host, perhaps with a port and a path. */
export function mirrorHosts(baseDir: string, registry: string, mirror: string, access?: HostAccess): HostsFile {
  const [host = '', ...path] = mirror.split('/')
  // With a path of its own the address is used as it is; without, containerd adds /v2 (containerd, hosts.toml: override_path).
  const table = `host."https://${host}${path.length === 0 ? '' : `/v2/${path.join('/')}`}"`
  const lines = [
    `server = ${tomlString(`https://${registry}`)}`,
    '',
    `[${table}]`,
    `  capabilities = ['pull', 'resolve']`,
    ...(path.length === 0 ? [] : ['  override_path = true']),
    ...(access ? accessLines(baseDir, table, access) : []),
  ]
  const content = `${lines.join('\n')}\n`
  return {content, path: hostsPath(baseDir, registry), ...(access && {sddl: ADMINISTRATORS_ONLY_FILE})}
}

/** containerd takes certificates and headers from the file of the registry that an image is named after, not from the mirror's. */
function accessLines(baseDir: string, table: string, {fields, folder}: HostAccess): string[] {
  const {ca, client, header, ...rest} = fields
  const path = (named: string): string => win32.join(layoutOf(baseDir).containerd.certs, folder, named)
  const headers = Object.entries(header ?? {}).map(
    ([name, value]) => `    ${JSON.stringify(name)} = ${tomlValue(value)}`,
  )
  return [
    ...Object.entries({ca, client}).flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name} = ${tomlValue(value, path)}`],
    ),
    ...Object.entries(rest).map(([name, value]) => `  ${name} = ${tomlValue(value)}`),
    ...(headers.length === 0 ? [] : [`  [${table}.header]`, ...headers]),
  ]
}

/** Windows has no colon in names; this form is known to every containerd (core/remotes/docker/config/config_windows.go). */
const hostsPath = (baseDir: string, registry: string): string =>
  win32.join(layoutOf(baseDir).containerd.certs, registry.replaceAll(':', ''), 'hosts.toml')

/**
 * Per call, in seconds, a pull aside (cri-tools cmd/crictl/main.go): stopping a pod with many containers, and removing an
 * image with the layers that nothing else uses (internal/cri/server/images/image_remove.go, SynchronousDelete), take
 * minutes on Windows. Shorter calls are ended by their own deadlines (host/containerd/programs.ts).
 */
const CRICTL_TIMEOUT_S = 600

/** crictl.yaml: without a file of its own crictl reads that of the user's profile. */
export const crictlConfiguration = (place: Pick<ContainerdPlace, 'pipe'> = {pipe: CONTAINERD_PIPE}): string =>
  [
    `runtime-endpoint: ${endpointOf(place)}`,
    `image-endpoint: ${endpointOf(place)}`,
    `timeout: ${CRICTL_TIMEOUT_S}`,
    '',
  ].join('\n')
