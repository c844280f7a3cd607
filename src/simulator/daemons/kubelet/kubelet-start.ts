// How kubelet.exe starts: its flags, its configuration file, and what it refuses before it connects to the service manager.
import type {Beginning, DaemonProcess} from '../daemon.js'
import {parseBool, type ParsedFlags, parsePflags} from '../flags.js'
import {type Flags, type KlogProcess, withKlog} from '../klog.js'
import type {KubeletConfig, LoadedConfig} from './kubelet-config.js'
import {cgroupOptions, decodeKubeletConfig, windowsProblems} from './kubelet-config.js'
import {labelsProblem, nodeNameOf} from './kubelet-node.js'
import {configProblems, tlsProblem} from './kubelet-settings.js'
import {kubeletFlags, parseFeatureGates} from '../releases.js'

/** cmd/kubelet/app/init_windows.go, getPriorityValue. */
const PRIORITY_CLASSES = ['IDLE', 'BELOW_NORMAL', 'NORMAL', 'ABOVE_NORMAL', 'HIGH', 'REALTIME'].map(
  (name) => `${name}_PRIORITY_CLASS`,
)

/**
 * cmd/kubelet/app/server.go, NewKubeletCommand: flags, configuration and its validation come before initForOS, where
 * --windows-service makes it connect to the service manager.
 */
export async function beginKubelet(process: DaemonProcess): Promise<Beginning> {
  const {minor} = process.version
  const parsed = parseKubeletFlags(process)
  if (parsed.error !== undefined) {
    await process.stderr(`Error: failed to parse kubelet flag: ${parsed.error}`)
    return {exit: 1}
  }

  const {flags, rest} = parsed
  const {log} = withKlog(process, flags)
  // Up to 1.23 each is logged where it is found; from 1.24 on it is returned, and component-base/cli/run.go logs it.
  const fail = async (
    source: string,
    message: string,
    fields: Record<string, string>,
    returned = `${message.charAt(0).toLowerCase()}${message.slice(1)}: ${fields['err'] ?? ''}`,
  ): Promise<Beginning> => {
    if (minor >= 24) await log('E', 'run.go:72', 'command failed', {err: returned})
    else await log('E', source, message, fields)
    return {exit: 1}
  }
  const failGates = (err: string): Promise<Beginning> =>
    fail('server.go:170', 'Failed to set feature gates from initial flags-based config', {err})

  if (rest.length > 0) {
    return fail('server.go:164', 'Unknown command', {command: rest[0] ?? ''}, `unknown command ${rest[0] ?? ''}`)
  }
  const byFlag = parseFeatureGates(flags.get('feature-gates') ?? '', minor)
  if (byFlag.error !== undefined) return failGates(byFlag.error)
  const labels = labelsProblem(flags.get('node-labels') ?? '')
  if (labels !== undefined) return fail('server.go:190', 'Failed to validate kubelet flags', {err: labels})
  const path = flags.get('config') ?? ''
  if (process.entry.process) delete process.entry.process.configuration
  const {config, error, warning} = await loadKubeletConfig(process, flags)
  if (error !== undefined) {
    const rest = minor >= 28 ? `path: ${path}, error: ${error}` : `error: ${error}, path: ${path}`
    const returned = `failed to load kubelet config file, ${rest}`
    return fail('server.go:204', 'Failed to load kubelet config file', {err: error, path}, returned)
  }

  if (warning) await log('I', 'codec.go:95', 'Using lenient decoding as strict decoding failed', {err: warning})
  const inFile = Object.entries((config['featureGates'] ?? {}) as Record<string, unknown>)
  const byFile = parseFeatureGates(inFile.map(([name, on]) => `${name}=${String(on)}`).join(','), minor)
  if (byFile.error !== undefined) return failGates(byFile.error)
  const problems = [...configProblems(config, flags, minor), ...windowsProblems(config, flags, minor)]
  if (problems.length > 0) {
    const err = problems.length > 1 ? `[${problems.join(', ')}]` : (problems[0] ?? '')
    const returned = `failed to validate kubelet configuration, error: ${err}, path: ${path}`
    return fail('server.go:225', 'Failed to validate kubelet configuration', {err, path}, returned)
  }

  for (const ignored of minor >= 31 ? cgroupOptions(config, flags) : []) {
    await log('W', 'validation_windows.go:36', `ignored configuration option: ${ignored}`)
  }

  const tls = tlsProblem(config)
  if (tls !== undefined) return fail('server.go:262', 'Failed to construct kubelet dependencies', {err: tls})
  await log('I', 'server.go:440', 'Kubelet version', {kubeletVersion: process.version.text})
  const priority = flags.get('windows-priorityclass') ?? 'NORMAL_PRIORITY_CLASS'
  if (!PRIORITY_CLASSES.includes(priority)) {
    const err = `failed OS init: unknown priority class ${priority}, valid ones are available at https://docs.microsoft.com/en-us/windows/win32/procthread/scheduling-priorities`
    return fail('server.go:292', 'Failed to run kubelet', {err}, err)
  }

  return parseBool(flags.get('windows-service') ?? 'false') ? 'connected' : 'silent'
}

/** A kubelet with its flags and its configuration. */
export interface Kubelet extends KlogProcess {
  /** The kubeconfig with which it requests its first certificate; may be empty. */
  readonly bootstrapKubeconfig: string
  readonly config: KubeletConfig
  /** Whether it rotates its client certificate. */
  readonly isRotating: boolean
  readonly kubeconfig: string
  readonly nodeName: string
}

/** Undefined where its flags are not valid. */
export async function openKubelet(process: DaemonProcess): Promise<Kubelet | undefined> {
  const parsed = parseKubeletFlags(process)
  if (parsed.error !== undefined) return undefined
  const {flags} = parsed
  const {config} = await loadKubeletConfig(process, flags)
  return {
    ...withKlog(process, flags),
    bootstrapKubeconfig: flags.get('bootstrap-kubeconfig') ?? flags.get('experimental-bootstrap-kubeconfig') ?? '',
    config,
    isRotating: parseBool(flags.get('rotate-certificates') ?? '') ?? config['rotateCertificates'] === true,
    kubeconfig: flags.get('kubeconfig') ?? '',
    nodeName: nodeNameOf(flags.get('hostname-override'), process.stage.world.os.computerName),
  }
}

const parseKubeletFlags = ({args, version}: DaemonProcess): ParsedFlags =>
  parsePflags(args, kubeletFlags(version.minor))

/** cmd/kubelet/app/server.go reads the file once, before it runs. */
async function loadKubeletConfig({entry, stage, version}: DaemonProcess, flags: Flags): Promise<LoadedConfig> {
  const path = flags.get('config')
  if (!path) return {config: {}}
  const text = entry.process?.configuration ?? (await stage.files.read(path))?.toString('utf8')
  if (entry.process && text !== undefined) entry.process.configuration = text
  const {error, ...loaded} =
    text === undefined
      ? {
          config: {},
          error: `failed to read kubelet config file "${path}", error: open ${path}: The system cannot find the file specified.`,
        }
      : decodeKubeletConfig(text, version.minor)
  return {...loaded, ...(error !== undefined && {error: `failed to load Kubelet config file ${path}, error ${error}`})}
}
