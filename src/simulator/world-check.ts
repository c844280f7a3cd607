// Is this really a World? People edit machine.json: what is wrong is said with the key and what belongs there.
import type {Schema} from './schema-parts.js'
import {WORLD_SCHEMA} from './world-schema.js'
import type {World} from './world.js'

/** Throws an Error that names the first key that is wrong. */
export function checkWorld(value: unknown): asserts value is World {
  const problem = problemOf(value, WORLD_SCHEMA, '')
  if (problem !== undefined) throw new Error(problem)
}

function problemOf(value: unknown, schema: Schema, path: string): string | undefined {
  if (schema.type !== undefined && typeOf(value) !== schema.type) {
    return `${path || 'the document'}: expected ${article(schema.type)}, found ${describe(value)}`
  }

  if (schema.enum && !schema.enum.includes(value as string)) {
    return `${path}: expected one of ${schema.enum.join(', ')}, found ${describe(value)}`
  }

  const {maximum = Infinity, minimum = -Infinity} = schema
  if (typeof value === 'number' && (value < minimum || value > maximum)) {
    return `${path}: expected a number from ${minimum} to ${maximum}, found ${value}`
  }

  if (Array.isArray(value)) return firstProblem(value.entries(), schema.items, path)
  if (typeof value !== 'object' || value === null) return undefined
  const missing = schema.required?.find((key) => !(key in value))
  if (missing !== undefined) {
    const expected = schema.properties?.[missing]?.type
    return `${child(path, missing)}: missing${expected ? `, expected ${article(expected)}` : ''}`
  }

  for (const [key, inner] of Object.entries(value)) {
    const known = schema.properties?.[key] ?? schema.additionalProperties
    const problem = known && problemOf(inner, known, child(path, key))
    if (problem !== undefined) return problem
  }

  return undefined
}

function firstProblem(
  entries: Iterable<[number, unknown]>,
  schema: Schema | undefined,
  path: string,
): string | undefined {
  for (const [index, item] of entries) {
    const problem = schema && problemOf(item, schema, `${path}[${index}]`)
    if (problem !== undefined) return problem
  }

  return undefined
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

const child = (path: string, key: string): string =>
  /^[\w$-]+$/.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`
const article = (type: string): string => (/^[ao]/.test(type) ? `an ${type}` : `a ${type}`)
const describe = (value: unknown): string =>
  typeof value === 'object' && value !== null ? article(typeOf(value)) : (JSON.stringify(value) ?? 'nothing')
