// KubeletConfiguration as the kubelet loads it: decoded strictly, then leniently with a warning, then validated for Windows.
import {parse} from 'yaml'

import {remembered} from '../../../machine/remembered.js'
import {parseBool} from '../flags.js'
import {decodeFields} from './kubelet-fields.js'

export type KubeletConfig = Readonly<Record<string, unknown>>
export interface LoadedConfig {
  /** Empty where it could not be loaded. */
  readonly config: KubeletConfig
  readonly error?: string
  readonly warning?: string
}

/**
 * Unknown fields are no error in v1beta1: where strict decoding fails, a lenient decoder continues with a warning
 * (pkg/kubelet/kubeletconfig/util/codec, DecodeKubeletConfiguration). Wrong types are errors to both.
 */
export const decodeKubeletConfig = (text: string, minor: number): LoadedConfig => decodersOf(minor)(text)
const decodersOf = remembered((minor: number) => remembered((text: string) => decode(text, minor)))

function decode(text: string, minor: number): LoadedConfig {
  const failed = (reason: string): LoadedConfig => ({config: {}, error: `failed to decode: ${reason}`})
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    return failed(`yaml: ${(error as Error).message.split('\n')[0] ?? ''}`)
  }

  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failed("couldn't get version/kind; json parse error: json: cannot unmarshal into Go value")
  }

  const config = value as Record<string, unknown>
  const {apiVersion, kind} = config
  if (typeof kind !== 'string') return failed(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion !== 'kubelet.config.k8s.io/v1beta1' || kind !== 'KubeletConfiguration') {
    const version = typeof apiVersion === 'string' ? apiVersion : ''
    const scheme = 'k8s.io/kubernetes/pkg/kubelet/apis/config/scheme/scheme.go:33'
    return failed(`no kind "${kind}" is registered for version "${version}" in scheme "${scheme}"`)
  }

  const {error, unknown} = decodeFields(config, minor)
  if (error !== undefined) return failed(error)
  if (unknown.length === 0) return {config}
  const fields = unknown.map((name) => `found unknown field: ${name}`).join(', ')
  return {config, warning: `strict decoder error: v1beta1.KubeletConfiguration.ReadObject: ${fields}`}
}

/**
 * pkg/kubelet/apis/config/validation/validation_windows.go at 1.21 to v1.37.0-rc.1. Up to 1.30 cgroupsPerQOS and
 * enforceNodeAllocatable are refused, and both are on unless switched off; from 1.31 on they are only a warning
 * (docs/facts.md#kubelet), and newer fields that Windows does not have are refused.
 */
export function windowsProblems(config: KubeletConfig, flags: ReadonlyMap<string, string>, minor: number): string[] {
  if (minor <= 30) return cgroupProblems(config, flags)
  return [
    ...(minor >= 32 ? ['singleProcessOOMKill'] : []),
    ...(minor >= 33 ? ['userNamespaces'] : []),
    ...(minor >= 37 && Object.keys(config['defaultPodSysctls'] ?? {}).length > 0 ? ['defaultPodSysctls'] : []),
  ]
    .filter((name) => config[name] !== undefined && config[name] !== null)
    .map((name) => `invalid configuration: ${name} is not supported on Windows`)
}

function cgroupProblems(config: KubeletConfig, flags: ReadonlyMap<string, string>): string[] {
  const {levels, perQos} = cgroupsOf(config, flags)
  const needs = '(--enforce-node-allocatable) is not supported unless cgroupsPerQOS (--cgroups-per-qos) is set to true'
  return [
    ...(!perQos && levels.length > 0 ? [`enforceNodeAllocatable ${needs}`] : []),
    ...cgroupOptions(config, flags),
  ].map((problem) => `invalid configuration: ${problem}`)
}

/** The options that Windows does not have: refused up to 1.30, and a warning of every start from 1.31 on. */
export function cgroupOptions(config: KubeletConfig, flags: ReadonlyMap<string, string>): string[] {
  const {levels, perQos} = cgroupsOf(config, flags)
  return [
    ...(perQos ? ['CgroupsPerQOS (--cgroups-per-qos) true'] : []),
    ...(levels.length > 0 ? [`EnforceNodeAllocatable (--enforce-node-allocatable) [${levels.join(' ')}]`] : []),
  ].map((option) => `${option} is not supported on Windows`)
}

/** Both are on unless switched off. */
function cgroupsOf(
  config: KubeletConfig,
  flags: ReadonlyMap<string, string>,
): {readonly levels: readonly string[]; readonly perQos: boolean} {
  const perQos = (parseBool(flags.get('cgroups-per-qos') ?? '') ?? config['cgroupsPerQOS'] ?? true) === true
  const flag = flags.get('enforce-node-allocatable')
  const levels =
    flag === undefined ? ((config['enforceNodeAllocatable'] ?? ['pods']) as string[]) : flag.split(',').filter(Boolean)
  return {levels, perQos}
}

/** Up to 1.22 an empty resolvConf in the file gets the default, so that only the flag can switch it off (docs/facts.md#kubelet). */
export function resolvConfOf(config: KubeletConfig, flags: ReadonlyMap<string, string>, minor: number): string {
  const flag = flags.get('resolv-conf')
  if (flag !== undefined) return flag
  const field = config['resolvConf']
  return typeof field === 'string' && (field !== '' || minor >= 23) ? field : '/etc/resolv.conf'
}

/** A port in the notation of machine.json, "tcp/10250". The flag has priority over the file. */
export function tcpPort(flag: string | undefined, field: unknown, otherwise: number): string {
  return `tcp/${flag ?? (typeof field === 'number' ? field : otherwise)}`
}
