// Words in which the shape of machine.json is said as JSON Schema.

/** The part of JSON Schema that is used here. */
export interface Schema {
  readonly additionalProperties?: Schema
  readonly description?: string
  readonly enum?: readonly (boolean | number | string)[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly type?: 'array' | 'boolean' | 'number' | 'object' | 'string'
}

export const string: Schema = {type: 'string'}
export const number: Schema = {type: 'number'}
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
