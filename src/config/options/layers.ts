// Where values come from, and who wins: the command line, the environment, the configuration file, the last setup.
import {environmentVariable, type Given, type OptionFlag} from './options.js'

/** `cluster`: the cluster reports it. `host`: this host has it. `release`: it follows from the release. */
export type Source = 'cluster' | 'default' | 'environment' | 'file' | 'flag' | 'host' | 'release' | 'stored'

/** How a value was given, for messages: --release, K8S_WIN_RELEASE, node.yaml:3:10 release. One each for a list's entries. */
export type Whereabouts<Flag extends string = OptionFlag> = Readonly<Partial<Record<Flag, string | readonly string[]>>>

/** What one source says. */
export interface Layer<Flag extends string = OptionFlag> {
  readonly given: Given<Flag>
  readonly source: Exclude<Source, 'cluster' | 'default' | 'host' | 'release'>
  readonly where: Whereabouts<Flag>
}

/** All sources together. */
export interface Layered<Flag extends string = OptionFlag> {
  readonly given: Given<Flag>
  readonly sources: Readonly<Partial<Record<Flag, Source>>>
  readonly where: Whereabouts<Flag>
}

type Environment = Readonly<Record<string, string | undefined>>

/** What was asked for in this run, by the command line and the environment. A variable that is empty says nothing. */
export function askedLayers<Flag extends string>(
  options: readonly {readonly flag: Flag; readonly typed?: true}[],
  typed: Given<Flag>,
  environment: Environment,
): Layer<Flag>[] {
  const flags = options.map(({flag}) => flag)
  const set = options.flatMap(({flag, typed: isTyped}) =>
    !isTyped && environment[environmentVariable(flag)] ? [flag] : [],
  )
  const environmentGiven = pick<Flag, string>(set, (flag) => environment[environmentVariable(flag)] ?? '')
  return [
    {given: typed, source: 'flag', where: pick(flags, (flag) => `--${flag}`)},
    {given: environmentGiven, source: 'environment', where: pick(set, environmentVariable)},
  ]
}

/** The first that says something of an option wins, wholly: lists are not put together. */
export function layered<Flag extends string>(layers: readonly Layer<Flag>[]): Layered<Flag> {
  const winners = new Map(
    layers.toReversed().flatMap((layer) => (Object.keys(layer.given) as Flag[]).map((flag) => [flag, layer] as const)),
  )
  const each = <T>(value: (layer: Layer<Flag> | undefined, flag: Flag) => T) =>
    pick<Flag, T>([...winners.keys()], (flag) => value(winners.get(flag), flag))
  return {
    given: each((layer, flag) => layer?.given[flag]),
    sources: each((layer) => layer?.source ?? 'default'),
    where: each((layer, flag) => layer?.where[flag] ?? `--${flag}`),
  }
}

/** Who decided a value that was not given, and why, or which object of the cluster says so. */
export interface Origin {
  readonly source: Source
  readonly value: string | readonly string[]
  readonly where: string
}

export type Origins = Readonly<Partial<Record<OptionFlag, Origin>>>

/** What was given, and over it what the host and the cluster say. */
export function withOrigins({given, sources, where}: Layered, origins: Origins): Layered {
  const each = <T>(of: (origin: Origin) => T): Partial<Record<OptionFlag, T>> =>
    Object.fromEntries(Object.entries(origins).map(([flag, origin]) => [flag, of(origin)]))
  return {
    given: {...given, ...each(({value}) => value)},
    sources: {...sources, ...each(({source}) => source)},
    where: {...where, ...each((origin) => origin.where)},
  }
}

function pick<Flag extends string, T>(flags: readonly Flag[], value: (flag: Flag) => T) {
  return Object.fromEntries(flags.map((flag) => [flag, value(flag)])) as Partial<Record<Flag, T>>
}

/** A switch of one run, such as --dry-run. One that is neither true nor false is reported by the resolver. */
export function isOn({given}: Pick<Layered, 'given'>, flag: OptionFlag): boolean {
  return String(given[flag]).toLowerCase() === 'true'
}
