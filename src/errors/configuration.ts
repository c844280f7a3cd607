// Exit 2: a configuration file that is wrong by itself; exit 3: what the last setup stored on this host.
import {defineError} from './define.js'

const SCHEMA = '"k8s-win config schema" prints what the file may hold.'

export const configFileUnusable = defineError('CONFIG_FILE_UNUSABLE', 2, {
  cause: 'Invalid configuration file: {reason}.',
  fix: `Pass the path of a YAML file to --config. ${SCHEMA}`,
  message: 'The configuration file {path} cannot be used',
})

export const configSyntax = defineError('CONFIG_SYNTAX', 2, {
  cause: '{reason}',
  fix: `Fix the YAML syntax. ${SCHEMA}`,
  message: '{where} is not valid YAML',
})

export const configKind = defineError('CONFIG_KIND', 2, {
  cause: 'These two keys identify the file as a configuration file of k8s-win and its version.',
  fix: 'Write "{key}: {wanted}".',
  message: '{where}: {key} is not {wanted}',
})

export const configUnknownKey = defineError('CONFIG_UNKNOWN_KEY', 2, {
  cause: 'The configuration file has no such key. Unknown keys are rejected so that typing errors are noticed.',
  fix: (p: {suggestion: string}) =>
    p.suggestion === '' ? `Remove it. ${SCHEMA}` : `Did you mean ${p.suggestion}? ${SCHEMA}`,
  message: '{where}: unknown key {key}',
})

export const configRepeatedKey = defineError('CONFIG_REPEATED_KEY', 2, {
  cause: 'It is ambiguous which of the two applies.',
  fix: 'Keep one of them.',
  message: '{where}: {key} is set twice',
})

export const configWrongType = defineError('CONFIG_WRONG_TYPE', 2, {
  cause: 'It is {found}.',
  fix: (p: {found: string; wanted: string}) =>
    p.wanted === 'text' && p.found === 'true or false' ? 'Put it in quotes.' : `Set it to ${p.wanted}.`,
  message: '{where}: {key} must be {wanted}',
})

export const registryConfigUnusable = defineError('REGISTRY_CONFIG_UNUSABLE', 2, {
  cause: '{reason}',
  fix: 'Fix it, or pass another folder to --registry-config. docs/registries.md has examples.',
  message: 'The registry configuration {path} cannot be used',
})

export const registryConfigLost = defineError('REGISTRY_CONFIG_LOST', 3, {
  cause:
    'It is the copy that setup made of the folder of --registry-config, from which the files of registries are written again.',
  fix: 'Run "k8s-win setup --registry-config <folder>" with the folder; with an empty one if this node needs no registries of its own.',
  message: '{path} is missing or damaged',
})

export const storedConfigUnusable = defineError('STORED_CONFIG_UNUSABLE', 3, {
  cause: '{reason}',
  fix: 'Fix the file, or delete {path} and pass every option of this node to setup, including --node-name: options that are not passed get their defaults.',
  message: '{path}, the stored configuration of the last setup, cannot be used',
})

export const nodeOptionsLost = defineError('NODE_OPTIONS_LOST', 3, {
  cause:
    '{path} is missing, and with it the name, version, labels and other options of the node: setup would use the defaults.',
  fix: 'Run "k8s-win setup {options}" with all other options of the last setup: it stores them again.',
  message: 'The options of the node {node} are lost',
})
