// Where values come from, and who wins: the command line, the environment, the configuration file, the last setup.
import {environmentVariable, type GivenOptions, type OptionFlag, OPTIONS} from './options.js'

export type Source = 'default' | 'environment' | 'file' | 'flag' | 'stored'

/** How a value was given, for messages: --release, K8S_WIN_RELEASE, node.yaml:3:10 release. One each for a list's entries. */
export type Whereabouts = Readonly<Partial<Record<OptionFlag, string | readonly string[]>>>

/** What one source says. */
export interface Layer {
  readonly given: GivenOptions
  readonly source: Exclude<Source, 'default'>
  readonly where: Whereabouts
}

/** All sources together. */
export interface Layered {
  readonly given: GivenOptions
  readonly sources: Readonly<Partial<Record<OptionFlag, Source>>>
  readonly where: Whereabouts
}

export function flagLayer(given: GivenOptions): Layer {
  const where = OPTIONS.flatMap(({flag}) => (given[flag] === undefined ? [] : [[flag, `--${flag}`]]))
  return {given, source: 'flag', where: Object.fromEntries(where) as Whereabouts}
}

/** A variable that is empty says nothing. */
export function environmentLayer(environment: Readonly<Record<string, string | undefined>>): Layer {
  const set = OPTIONS.flatMap(({flag}) => {
    const name = environmentVariable(flag)
    const text = environment[name]
    return text === undefined || text === '' ? [] : [{flag, name, text}]
  })
  return {
    given: Object.fromEntries(set.map(({flag, text}) => [flag, text])),
    source: 'environment',
    where: Object.fromEntries(set.map(({flag, name}) => [flag, name])),
  }
}

/** The first that says something of an option wins, wholly: lists are not put together. */
export function layered(layers: readonly Layer[]): Layered {
  const winners = OPTIONS.flatMap(({flag}) => {
    const layer = layers.find(({given}) => given[flag] !== undefined)
    return layer === undefined ? [] : [{flag, layer}]
  })
  return {
    given: Object.fromEntries(winners.map(({flag, layer}) => [flag, layer.given[flag]])),
    sources: Object.fromEntries(winners.map(({flag, layer}) => [flag, layer.source])),
    where: Object.fromEntries(winners.map(({flag, layer}) => [flag, layer.where[flag]])),
  }
}

/** A switch of one run, such as --dry-run. What is neither true nor false is told where the configuration is resolved. */
export function isOn({given}: Pick<Layered, 'given'>, flag: OptionFlag): boolean {
  return String(given[flag]).toLowerCase() === 'true'
}
