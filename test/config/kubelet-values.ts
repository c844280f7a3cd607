// Values for every field of the data, and what the simulated kubelet of a minor says of a fragment with them.
import fc from 'fast-check'
import {stringify} from 'yaml'
import data from '../../src/config/settings/kubelet-fields.json' with {type: 'json'}
import {entryOf, type ReleaseTable} from '../../src/config/settings/release-data.js'
import {decodeKubeletConfig, windowsProblems} from '../../src/simulator/daemons/kubelet/kubelet-config.js'
import {configProblems, settingsProblem, tlsProblem} from '../../src/simulator/daemons/kubelet/kubelet-settings.js'

export const MINORS = Array.from({length: 17}, (_, index) => 21 + index)
export const release = (minor: number) => ({major: 1, minor, patch: 0, text: `1.${minor}.0`})

type FieldType = string | {readonly list: FieldType} | {readonly map: FieldType}
interface Field {
  readonly range?: readonly number[]
  readonly refused?: string
  readonly since?: number
  readonly type: FieldType
  readonly until?: number
  readonly values?: readonly string[]
}

export const TYPES: Readonly<Record<string, ReleaseTable<Field>>> = data.types
/** Flags that k8s-win sets up to 1.30, where the kubelet needs them. */
const FLAGS = new Map([
  ['cgroups-per-qos', 'false'],
  ['enforce-node-allocatable', ''],
])

/** Why the kubelet does not take it, or what it does not know of it; empty where it takes all. */
export function refusals(fragment: object, minor: number): string[] {
  const head = {apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration'}
  const {config, error, warning} = decodeKubeletConfig(stringify({...head, ...fragment}), minor)
  const whole = [
    tlsProblem(config),
    ...configProblems(config, new Map(), minor),
    ...windowsProblems(config, FLAGS, minor),
  ]
  return [error, warning, ...whole, settingsProblem(config, minor)].filter((one) => one !== undefined)
}

export interface Place {
  readonly field: Field
  /** Names of fields; a number is an index of a list, and `*` a name of the user's in a mapping. */
  readonly path: readonly (number | string)[]
}

/** The fields that a minor has, with those of their structures. */
export function placesOf(minor: number): Place[] {
  const within = (type: FieldType, path: Place['path']): Place[] => {
    if (typeof type === 'object')
      return 'list' in type ? within(type.list, [...path, 0]) : within(type.map, [...path, '*'])
    return Object.keys(TYPES[type] ?? {}).flatMap((name) => {
      const field = entryOf(TYPES[type]!, name, minor)
      return field
        ? [{field, path: [...path, name]}, ...(field.refused === undefined ? within(field.type, [...path, name]) : [])]
        : []
    })
  }
  return within('KubeletConfiguration', [])
}

/** Names of fields that other minors have, with the structure they are in. */
export function absentIn(minor: number): (readonly [type: string, name: string])[] {
  return Object.entries(TYPES).flatMap(([type, table]) =>
    Object.keys(table).flatMap((name) => (entryOf(table, name, minor) ? [] : [[type, name] as const])),
  )
}

export function fragmentOf(path: Place['path'], value: unknown): Record<string, unknown> {
  const made = path.reduceRight<unknown>((inner, name) => (typeof name === 'number' ? [inner] : {[name]: inner}), value)
  return made as Record<string, unknown>
}

const VALID: Readonly<Record<string, unknown>> = {
  amount: '500m',
  boolean: true,
  duration: '1h30m',
  durationOrNumber: '5s',
  gracePeriod: '90s',
  int32: 81,
  int64: 1_000_000,
  number: 0.9,
  quantity: '10Mi',
  quantityOrNumber: '1Gi',
  reclaim: '5%',
  string: 'a',
  threshold: '10%',
  time: '2026-01-01T00:00:00Z',
  uint32: 4,
}

/** A value that the kubelet takes. */
export function validValue({range: [least = 0, most = Infinity] = [], type, values}: Field, minor: number): unknown {
  if (typeof type === 'object') {
    const inner = 'list' in type ? {...(values && {values}), type: type.list} : {type: type.map}
    const value = validValue(inner, minor)
    return 'list' in type ? [value] : {a: value}
  }
  if (TYPES[type]) {
    return Object.fromEntries(
      Object.keys(TYPES[type]).flatMap((name) => {
        const field = entryOf(TYPES[type]!, name, minor)
        return field && field.refused === undefined ? [[name, validValue(field, minor)]] : []
      }),
    )
  }
  return values?.[0] ?? (type === 'int32' ? Math.max(least, Math.min(most, 84)) : VALID[type])
}

const NUMBERS = [0, 1, -1, 31, 32, 100, 101, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 1e21, 0.5]
const WORDS = data.types.KubeletConfiguration.hairpinMode.values
const scalar = fc.oneof(
  fc.boolean(),
  fc.constantFrom(...NUMBERS),
  fc.constant(null),
  fc.constantFrom(
    '',
    '0',
    'none',
    'text',
    'Webhook',
    'Static',
    'pods',
    'NoSchedule',
    'VersionTLS12',
    '0%',
    '100%',
    ...WORDS,
  ),
  fc.stringMatching(/^[+-]?\d{0,3}\.?\d{0,2}(?:Ki|Mi|Gi|m|n|k|M|E|e3|E-2|x|%|%%| )?$/),
  fc.stringMatching(/^[+-]?(?:\d{0,3}\.?\d{0,2}(?:h|m|s|ms|us|ns|x)?){0,3}$/),
)
export const anyValue = fc.oneof(
  {arbitrary: scalar, weight: 6},
  fc.array(scalar, {maxLength: 2}),
  fc.dictionary(fc.constantFrom('a', 'cpu', 'memory.available', 'mode', '__proto__', 'toString'), scalar, {maxKeys: 2}),
)
