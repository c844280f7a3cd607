// Checks a machine.json that users may have edited: an error names the key and what belongs there.
import {closest} from 'fastest-levenshtein'
import published from '../../schemas/machine.schema.json' with {type: 'json'}
import type {StoredWorld} from './world.js'

/** The keywords of JSON Schema that the generator uses. */
interface Schema {
  readonly $ref?: string
  readonly additionalProperties?: Schema | false
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly definitions?: Readonly<Record<string, Schema>>
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly maximum?: number
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly type?: string
}

const WORLD = published as Schema

/** Throws an Error that names the first wrong key. */
export function checkWorld(value: unknown): asserts value is StoredWorld {
  const problem = problemOf(value, WORLD, '')
  if (problem !== undefined) throw new Error(problem)
}

function problemOf(value: unknown, given: Schema, path: string): string | undefined {
  const schema = resolved(given)
  const expected = (what: string): string => `${path || 'the document'}: expected ${what}, found ${describe(value)}`
  if (schema.anyOf) {
    const problems = schema.anyOf.map((one) => problemOf(value, one, path))
    return problems.includes(undefined) ? undefined : [...new Set(problems)].join('; or ')
  }

  if (schema.type !== undefined && typeOf(value) !== schema.type) return expected(article(schema.type))
  const {const: only, enum: allowed = only === undefined ? undefined : [only]} = schema
  if (allowed && !allowed.includes(value))
    return expected(`${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}`)
  const {maximum = Infinity, minimum = -Infinity} = schema
  if (typeof value === 'number' && (value < minimum || value > maximum)) {
    return expected(`a number from ${minimum} to ${maximum}`)
  }

  if (typeof value !== 'object' || value === null) return undefined
  const {additionalProperties: more, properties = {}} = schema
  const unknown = more === false ? Object.keys(value).find((key) => !Object.hasOwn(properties, key)) : undefined
  // Refused, because the host would not be what its editor meant it to be.
  if (unknown !== undefined) {
    const near = closest(unknown, Object.keys(properties))
    return `${child(path, unknown)}: unknown key; the nearest one is ${child(path, near)}`
  }

  const missing = schema.required?.find((key) => !(key in value))
  if (missing !== undefined) {
    const {type} = resolved(properties[missing] ?? {})
    return `${child(path, missing)}: missing${type ? `, expected ${article(type)}` : ''}`
  }

  for (const [key, inner] of Object.entries(value)) {
    const known = schema.items ?? schema.properties?.[key] ?? (more || undefined)
    const problem = known && problemOf(inner, known, schema.items ? `${path}[${key}]` : child(path, key))
    if (problem !== undefined) return problem
  }

  return undefined
}

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(WORLD.definitions?.[schema.$ref.slice('#/definitions/'.length)] ?? {})

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

const child = (path: string, key: string): string =>
  /^[\w$-]+$/.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`
const article = (type: string): string => (/^[ao]/.test(type) ? `an ${type}` : `a ${type}`)
const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? article(typeOf(value)) : (JSON.stringify(value) ?? 'nothing')
