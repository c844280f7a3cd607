// Words in which the shape of machine.json is said as JSON Schema.

/** The part of JSON Schema that is used here. */
export interface Schema {
  readonly additionalProperties?: Schema
  readonly description?: string
  readonly enum?: readonly (boolean | number | string)[]
  readonly items?: Schema
  readonly maximum?: number
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly type?: 'array' | 'boolean' | 'number' | 'object' | 'string'
}

export const string: Schema = {type: 'string'}
export const number: Schema = {type: 'number'}
/** Milliseconds since 1970, up to the end of the year 9999: what a clock can show. */
export const moment: Schema = {maximum: 253_402_300_799_999, minimum: 0, type: 'number'}
/** Milliseconds; a moment and one of these are still a date. */
export const span: Schema = {maximum: 1e14, minimum: -1e14, type: 'number'}
export const boolean: Schema = {type: 'boolean'}
export const anyObject: Schema = {type: 'object'}
export const oneOf = (...values: readonly string[]): Schema => ({enum: values, type: 'string'})
export const list = (items: Schema): Schema => ({items, type: 'array'})
export const map = (values: Schema): Schema => ({additionalProperties: values, type: 'object'})
/** All properties are required, those in `optional` excepted; unknown ones are let be, for newer versions' sake. */
export const object = (properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  properties: {...properties, ...optional},
  required: Object.keys(properties),
  type: 'object',
})
