// The configuration file as JSON Schema: editors complete and check by it. The program itself checks more.
import {IGNORABLE_CHECK_IDS} from '../check-ids.js'
import {API_VERSION, isOption, KEYS, KIND, type KeyTree} from './config-file.js'
import {BASE_IMAGES} from '../model.js'
import {entriesOf, type Option} from './options.js'
import {NO_IMAGES} from './parse-option.js'
import {STEP_IDS} from '../step-ids.js'

type Schema = Readonly<Record<string, unknown>>

/** A number is taken as it is written. */
const TEXT: Schema = {type: ['string', 'number']}
const TEXTS: Schema = {items: TEXT, type: 'array'}
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'base-images': [...BASE_IMAGES, NO_IMAGES],
  'ignore-check': IGNORABLE_CHECK_IDS,
  skip: STEP_IDS,
}

export function configSchema(): Schema {
  return {
    $id: 'k8s-win/node-config.schema.json',
    $schema: 'http://json-schema.org/draft-07/schema#',
    additionalProperties: false,
    description: 'What k8s-win setup reads with --config. Flags and environment variables take precedence.',
    properties: {
      apiVersion: {const: API_VERSION, description: 'Version of the format.'},
      kind: {const: KIND, description: 'Type of the file.'},
      ...propertiesOf(KEYS),
    },
    required: ['apiVersion', 'kind'],
    title: 'Configuration of a Windows node',
    type: 'object',
  }
}

function propertiesOf(tree: KeyTree): Schema {
  return Object.fromEntries(
    [...tree].map(([key, branch]) => [
      key,
      isOption(branch)
        ? optionSchema(branch)
        : {additionalProperties: false, properties: propertiesOf(branch), type: 'object'},
    ]),
  )
}

function optionSchema(option: Option): Schema {
  const relative = option.path ? ' A relative path is relative to the folder of this file.' : ''
  return {
    ...typeOf(option),
    description: `${option.summary}${relative}${option.kind === 'fields' ? '' : ` (--${option.flag})`}`,
    ...(option.default === undefined ? {} : {default: defaultOf(option)}),
  }
}

function defaultOf({default: initial, kind}: Option): unknown {
  if (kind === 'switch') return false
  return kind === 'text' ? initial : entriesOf(initial)
}

function typeOf({flag, kind}: Option): Schema {
  if (kind === 'switch') return {type: 'boolean'}
  if (kind === 'text') return TEXT
  if (kind === 'fields') return {type: 'object'}
  if (kind === 'names') return {items: {enum: NAMES[flag] ?? []}, type: 'array'}
  if (kind === 'list') return TEXTS
  return {anyOf: [{additionalProperties: TEXT, type: 'object'}, TEXTS]}
}
