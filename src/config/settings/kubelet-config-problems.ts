// What the kubelet of a release would not accept, or not know, in a KubeletConfiguration.
import {badValue, unknownSetting} from '../../errors/input.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {acceptsNull, isPlain, KINDS} from './go-values.js'
import data from './kubelet-fields.json' with {type: 'json'}
import {absentName, entryOf, MOST_PROBLEMS, type ReleaseTable, type Span} from './release-data.js'
import {isRecord, isText} from '../shape.js'
import type {Version} from '../version.js'

/** The name of a kind (go-values.ts) or of a structure of the data. */
type FieldType = string | {readonly list: FieldType} | {readonly map: FieldType}

interface Field extends Span {
  /** Whether null, and where there are values the empty text, stands for the default, if its kind says otherwise. */
  readonly null?: boolean
  /** The least number, and the greatest if there is one. */
  readonly range?: readonly number[]
  /** Why the kubelet does not start with it. */
  readonly refused?: string
  readonly type: FieldType
  /** All that its texts may be. */
  readonly values?: readonly string[]
}

const TYPES: Readonly<Record<string, ReleaseTable<Field>>> = data.types
const ROOT: Field = {type: 'KubeletConfiguration'}

/** What messages write before the name of a field: its path, or also its place in the user's file. */
type WhereOf = (path: string) => string

/** All problems, up to MOST_PROBLEMS. */
export function kubeletConfigProblems(
  fragment: unknown,
  release: Version,
  whereOf: WhereOf = (path) => path,
): K8sWinError[] {
  const problems: K8sWinError[] = []
  for (const problem of judged(fragment, ROOT, 'kubelet.config', {minor: release.minor, whereOf})) {
    if (problems.push(problem) === MOST_PROBLEMS) break
  }
  return problems
}

interface Context {
  readonly minor: number
  readonly whereOf: WhereOf
}

/** It goes no deeper than the types of the kubelet do. */
function* judged(value: unknown, field: Field, path: string, context: Context): Generator<K8sWinError, void> {
  const {range: [least = -Infinity, most = Infinity] = [], type, values} = field
  if (value === null && (field.null ?? acceptsNull(type))) return
  const wrong = (wanted: string): K8sWinError => {
    const reason = `It is ${nameOf(value)}; the kubelet expects ${wanted}.`
    return badValue({flag: path, reason, value: shown(value), wanted, where: context.whereOf(path)})
  }

  if (typeof type === 'object' && 'list' in type) {
    if (!Array.isArray(value)) yield wrong('a list')
    else
      for (const [at, entry] of value.entries())
        yield* judged(entry, {...field, null: values === undefined, type: type.list}, `${path}[${at}]`, context)
  } else if (typeof type === 'object') {
    if (!isRecord(value) || !Object.keys(value).every(isPlain)) yield wrong('a mapping of texts to values')
    else
      for (const [at, entry] of Object.entries(value))
        yield* judged(entry, {...field, type: type.map}, `${path}.${at}`, context)
  } else if (TYPES[type]) {
    if (isRecord(value)) yield* judgedFields(value, TYPES[type], path, context)
    else yield wrong('a mapping')
  } else {
    const kind = KINDS[type]
    if (!kind?.is(value)) yield wrong(kind?.wanted ?? type)
    // An empty text stands for the default, but not in a list.
    else if (values && !values.includes(String(value)) && (value !== '' || field.null === false)) {
      yield wrong(`one of ${values.join(', ')}`)
    } else if (Number(value) < least || Number(value) > most) {
      yield wrong(`a whole number ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}`)
    }
  }
}

function* judgedFields(
  fields: Readonly<Record<string, unknown>>,
  table: ReleaseTable<Field>,
  path: string,
  context: Context,
): Generator<K8sWinError, void> {
  const owner = `the kubelet of Kubernetes 1.${context.minor}`
  for (const [name, value] of Object.entries(fields)) {
    const at = `${path}.${name}`
    const field = entryOf(table, name, context.minor)
    const texts = {kind: 'field', owner, where: context.whereOf(at)}
    if (!field) yield absentName(table, name, context.minor, texts)
    else if (field.refused === undefined || value === null) yield* judged(value, field, at, context)
    else yield unknownSetting({...texts, given: name, reason: field.refused, suggestion: ''})
  }
}

function nameOf(value: unknown): string {
  if (value === null) return 'empty'
  if (isText(value)) return isPlain(value) ? 'text' : 'text with control characters'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a mapping'
  return typeof value === 'boolean' ? 'true or false' : 'a number'
}

/** As people wrote it, where that is short. */
const shown = (value: unknown): string =>
  isText(value) ? value : isRecord(value) ? '{…}' : Array.isArray(value) ? '[…]' : JSON.stringify(value)
