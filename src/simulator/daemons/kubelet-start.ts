// How kubelet.exe starts: its flags, its configuration file, and what it refuses before it speaks to the service manager.
import type {Beginning, DaemonProcess} from './daemon.js'
import {parseFeatureGates} from './feature-gates.js'
import type {ParsedFlags} from './flags.js'
import {parseBool, parsePflags} from './flags.js'
import type {Severity} from './klog.js'
import {klogMessage, writeKlog} from './klog.js'
import type {LoadedConfig} from './kubelet-config.js'
import {decodeKubeletConfig, windowsProblems} from './kubelet-config.js'
import {kubeletFlags} from './kubelet-flags.js'
import {labelsProblem} from './kubelet-labels.js'

export type Flags = ReadonlyMap<string, string>

/**
 * cmd/kubelet/app/server.go, NewKubeletCommand: flags, configuration and its validation come before initForOS, which is
 * where --windows-service makes it speak to the service manager.
 */
export async function beginKubelet(process: DaemonProcess): Promise<Beginning> {
  const parsed = parseKubeletFlags(process)
  if (parsed.error !== undefined) {
    await process.stderr(`Error: failed to parse kubelet flag: ${parsed.error}`)
    return {exit: 1}
  }

  const {flags, rest} = parsed
  const fail = async (source: string, message: string, fields: Record<string, string>): Promise<Beginning> => {
    await logKubelet(process, flags, 'E', source, klogMessage(message, fields))
    return {exit: 1}
  }

  if (rest.length > 0) return fail('server.go:164', 'Unknown command', {command: rest[0] ?? ''})
  const badGates = async (gates: string): Promise<Beginning | undefined> => {
    const {error: err} = parseFeatureGates(gates, process.version.minor)
    return err === undefined
      ? undefined
      : fail('server.go:170', 'Failed to set feature gates from initial flags-based config', {err})
  }

  const byFlag = await badGates(flags.get('feature-gates') ?? '')
  if (byFlag) return byFlag
  const labels = labelsProblem(flags.get('node-labels') ?? '')
  if (labels !== undefined) return fail('server.go:190', 'Failed to validate kubelet flags', {err: labels})
  const path = flags.get('config') ?? ''
  const loaded = await loadKubeletConfig(process, flags)
  if (loaded.error !== undefined)
    return fail('server.go:204', 'Failed to load kubelet config file', {err: loaded.error, path})
  if (loaded.warning) {
    const message = klogMessage('Using lenient decoding as strict decoding failed', {err: loaded.warning})
    await logKubelet(process, flags, 'I', 'codec.go:95', message)
  }

  const inFile = Object.entries((loaded.config['featureGates'] ?? {}) as Record<string, unknown>)
  const byFile = await badGates(inFile.map(([name, on]) => `${name}=${String(on)}`).join(','))
  if (byFile) return byFile
  const problems = windowsProblems(loaded.config, flags)
  // From 1.31 this is only a warning (facts d.1).
  if (problems.length > 0 && process.version.minor <= 30) {
    const err = problems.length > 1 ? `[${problems.join(', ')}]` : (problems[0] ?? '')
    return fail('server.go:225', 'Failed to validate kubelet configuration', {err, path})
  }

  const message = klogMessage('Kubelet version', {kubeletVersion: process.version.text})
  await logKubelet(process, flags, 'I', 'server.go:440', message)
  return parseBool(flags.get('windows-service') ?? 'false') ? 'connected' : 'silent'
}

export function parseKubeletFlags({args, version}: DaemonProcess): ParsedFlags {
  return parsePflags(args, kubeletFlags(version.minor))
}

export async function loadKubeletConfig({stage}: DaemonProcess, flags: Flags): Promise<LoadedConfig> {
  const path = flags.get('config')
  if (!path) return {config: {}}
  const bytes = await stage.files.read(path)
  const prefix = `failed to load Kubelet config file ${path}, error`
  if (!bytes)
    return {
      error: `${prefix} failed to read kubelet config file "${path}", error: open ${path}: The system cannot find the file specified.`,
    }
  const decoded = decodeKubeletConfig(bytes.toString('utf8'))
  return decoded.error === undefined ? decoded : {error: `${prefix} ${decoded.error}`}
}

export function logKubelet(
  process: DaemonProcess,
  flags: Flags,
  severity: Severity,
  source: string,
  message: string,
): Promise<void> {
  const toFiles = parseBool(flags.get('logtostderr') ?? 'true') === false
  return writeKlog(process, toFiles ? flags.get('log-dir') : undefined, {message, severity, source})
}
