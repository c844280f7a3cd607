// What a release has of a table that was made from the sources of all releases: fields of a configuration, or flags.
import {unknownSetting} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {nearest} from '../nearest.js'

/** The minors of 1.x that have it, both ends included; without an end, from the oldest or to the newest that is known. */
export interface Span {
  readonly since?: number
  readonly until?: number
}

/** One entry for each form that it had. */
export type ReleaseTable<Entry extends Span> = Readonly<Record<string, Entry | readonly Entry[]>>

/** More are not read, and a hostile file has a million. */
export const MOST_PROBLEMS = 50
/** A typing error keeps a name short; comparing costs time by the product of both lengths. */
const LONGEST_NAME = 100

/** A name of the user's may be __proto__. */
const entriesOf = <Entry extends Span>(table: ReleaseTable<Entry>, name: string) =>
  (Object.hasOwn(table, name) ? [table[name]].flat() : []) as readonly Entry[]

export function entryOf<Entry extends Span>(
  table: ReleaseTable<Entry>,
  name: string,
  minor: number,
): Entry | undefined {
  return entriesOf(table, name).find(({since = 0, until = Infinity}) => since <= minor && minor <= until)
}

/** A name that the release does not have: with the releases that have it, or else with the name that was meant. */
export function absentName<Entry extends Span>(
  table: ReleaseTable<Entry>,
  name: string,
  minor: number,
  texts: {readonly kind: string; readonly owner: string; readonly where: string},
): K8sWinError {
  const spans = entriesOf(table, name)
  const next = spans.find(({since = 0}) => since > minor)
  const last = spans.findLast(({until = Infinity}) => until < minor)
  const names = Object.keys(table).filter((one) => entryOf(table, one, minor))
  const near = spans.length > 0 || name.length > LONGEST_NAME ? undefined : nearest(name, names)
  const reason =
    next === undefined
      ? last === undefined
        ? 'Names are rejected if they are unknown so that typing errors are noticed.'
        : `Kubernetes 1.${last.until} is the last release that has it.`
      : `Kubernetes 1.${next.since} is the first release that has it.`
  return unknownSetting({
    ...texts,
    given: name,
    reason,
    suggestion: near ?? '',
  })
}
