// Options from text to values, for every command that has some: all problems are collected, each with where it was given.
import {badValue} from '../../errors/input.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Whereabouts} from './layers.js'
import type {OptionSpec} from './option-spec.js'
import {entriesOf, type Given} from './options.js'
import type {OptionParser} from './parse-option.js'

/** Options as text. */
export interface GivenText<Flag extends string> {
  readonly given: Given<Flag>
  /** How each was given, for messages; where it is not said, by its flag. */
  readonly where?: Whereabouts<Flag>
}

export class Resolver<Flag extends string> {
  readonly problems: K8sWinError[] = []

  constructor(
    private readonly options: readonly (OptionSpec & {readonly flag: Flag})[],
    private readonly asked: GivenText<Flag>,
  ) {}

  whereOf(flag: Flag, entry = 0): string {
    const known = this.asked.where?.[flag]
    return (typeof known === 'object' ? (known[entry] ?? known[0]) : known) ?? `--${flag}`
  }

  text(flag: Flag): string | undefined {
    const value = this.asked.given[flag]
    return value === undefined || typeof value === 'object' ? undefined : String(value)
  }

  /** Only where it is given: a default that the host or the cluster may replace is not taken. */
  given<T>(flag: Flag, parser: OptionParser<T>): T | undefined {
    return this.text(flag) === undefined ? undefined : this.value(flag, parser)
  }

  /** Given, or the default; undefined where there is neither, or where it is wrong. */
  value<T>(flag: Flag, parser: OptionParser<T>): T | undefined {
    const chosen = this.text(flag) ?? this.#defaultOf(flag)
    return chosen === undefined ? undefined : this.#parsed(flag, chosen, parser)[0]
  }

  entries<T>(flag: Flag, parser: OptionParser<T>): T[] {
    const chosen = this.asked.given[flag] ?? this.#defaultOf(flag)
    return entriesOf(chosen, this.options.find((option) => option.flag === flag)?.kind).flatMap((text, index) =>
      this.#parsed(flag, text, parser, index),
    )
  }

  /** As `entries`, and refuses two entries about the same thing: it is not clear which is meant. */
  distinct<T>(flag: Flag, parser: OptionParser<T>, thingOf: (entry: T) => string): T[] {
    const seen = new Set<string>()
    return this.entries(flag, (text) => {
      const outcome = parser(text)
      if (!('value' in outcome)) return outcome
      const thing = thingOf(outcome.value)
      if (seen.has(thing)) return {reason: `${thing} is set more than once.`, wanted: `one value for ${thing}`}
      seen.add(thing)
      return outcome
    })
  }

  refuse(flag: Flag, value: string, why: {readonly reason: string; readonly wanted: string}, entry?: number): void {
    this.problems.push(badValue({flag, ...why, value, where: this.whereOf(flag, entry)}))
  }

  /** Throws a ProblemsError that lists everything that is wrong. */
  demandNoProblem(): void {
    if (this.problems.length > 0) throw new ProblemsError(this.problems.map((one) => this.#withKeys(one)))
  }

  /** What a configuration file says is fixed there, by its key: it has no flags. */
  #withKeys(problem: K8sWinError): K8sWinError {
    if (!/:\d+:\d+ [\w.]+/.test(problem.message)) return problem
    const keyOf = (flag: string): string | undefined => this.options.find((one) => `--${one.flag}` === flag)?.key
    return problem.with({
      fix: problem.fix.replaceAll(/--[a-z][a-z-]*/g, (flag) => (keyOf(flag) ? `the key ${keyOf(flag)}` : flag)),
    })
  }

  #defaultOf(flag: Flag): string | undefined {
    return this.options.find((option) => option.flag === flag)?.default
  }

  #parsed<T>(flag: Flag, text: string, parser: OptionParser<T>, entry?: number): T[] {
    const outcome = parser(text)
    if ('value' in outcome) return [outcome.value]
    const {reason, shown = text, wanted} = outcome
    this.refuse(flag, shown, {reason, wanted}, entry)
    return []
  }
}
