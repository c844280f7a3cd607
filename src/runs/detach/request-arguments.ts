// The command line of a run that continues as a service, from everything that was given for it: also from variables and the
// file of --config, which the service would not find.
import {win32} from 'node:path'
import {API_VERSION, KIND} from '../../config/options/config-file.js'
import {askedLayers, type Layered, layered} from '../../config/options/layers.js'
import {type Given, type GivenOptions, type Option, type OptionFlag, OPTIONS} from '../../config/options/options.js'
import {type GivenReset, RESET_OPTIONS} from '../../config/options/reset-options.js'
import {copyOf} from '../../config/options/stored-config.js'

/** Not handed on: the token has a file of its own, the others are about this process or are settled by now. */
const LEFT: readonly OptionFlag[] = [
  'base-dir',
  'config',
  'detach',
  'dry-run',
  'kubeconfig',
  'launcher',
  'reset',
  'token',
  'token-file',
]

interface Place {
  readonly baseDir: string
  /** The working folder: a relative path is meant from there. */
  readonly folder: string
  /** The options that the command has. */
  readonly isKnown: (flag: string) => boolean
}

/** What the last setup stored and what the cluster reports is not given: it is found again. */
export function setupArguments({given, sources}: Pick<Layered, 'given' | 'sources'>, place: Place): string[] {
  const isGiven = (flag: OptionFlag): boolean =>
    ['environment', 'file', 'flag'].includes(sources[flag] ?? '') && place.isKnown(flag) && !LEFT.includes(flag)
  const handedOn = OPTIONS.filter(({flag}) => isGiven(flag)).map(
    (option) => [option.flag, settled(option, given[option.flag], place)] as const,
  )
  return argumentsOf({'base-dir': place.baseDir, ...Object.fromEntries(handedOn)})
}

/** What has no flag, in a configuration file of its own: YAML has JSON in it. */
export function fieldsFile({given, sources}: Pick<Layered, 'given' | 'sources'>): string | undefined {
  if (sources['kubelet-config'] !== 'file') return undefined
  const config: unknown = JSON.parse(String(given['kubelet-config']))
  return JSON.stringify({apiVersion: API_VERSION, kind: KIND, kubelet: {config}})
}

/** A file of the user's may be gone by then: where the step base-dir has copied it, the copy is meant. */
function settled({flag, kind, path, stored}: Option, value: GivenOptions[OptionFlag], {baseDir, folder}: Place) {
  if (kind === 'switch') return String(value).toLowerCase() === 'true'
  if (path === undefined || typeof value !== 'string') return value
  const copy = stored === 'copy' && flag !== 'client-ca-file' ? copyOf(flag, baseDir) : undefined
  return copy ?? win32.resolve(folder, value)
}

/** It has asked already, and its base directory is found by the run that hands it over. `kubeconfig`: of an administrator. */
export function resetArguments(
  typed: GivenReset,
  environment: Readonly<Record<string, string | undefined>>,
  kubeconfig: string | undefined,
): string[] {
  const {detach: _, launcher: _launcher, ...given} = layered(askedLayers(RESET_OPTIONS, typed, environment)).given
  const isSwitch = (flag: string): boolean =>
    RESET_OPTIONS.some((option) => option.flag === flag && option.kind === 'switch')
  const settled = Object.entries(given).map(
    ([flag, value]) => [flag, isSwitch(flag) ? String(value).toLowerCase() === 'true' : value] as const,
  )
  return argumentsOf({kubeconfig, ...Object.fromEntries(settled), launcher: 'none', yes: true})
}

/** As the command line would have them; an option without a value is left out. */
export function argumentsOf(given: Given<string>): string[] {
  return Object.entries(given).flatMap(([flag, value]) => {
    if (typeof value === 'boolean') return [value ? `--${flag}` : `--no-${flag}`]
    return (typeof value === 'object' ? value : value === undefined ? [] : [value]).map((one) => `--${flag}=${one}`)
  })
}
