// Exit 2: a configuration file that is wrong by itself; exit 3: what the last setup stored on this host.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

const SCHEMA = '"k8s-win config schema" prints what the file may hold.'

export const configFileUnusable = defineError<{path: string; reason: string}>('CONFIG_FILE_UNUSABLE', 2, {
  cause: (p) => `Invalid configuration file: ${p.reason}.`,
  fix: `Pass the path of a YAML file to --config. ${SCHEMA}`,
  message: (p) => `The configuration file ${p.path} cannot be used`,
})

export const configSyntax = defineError<{reason: string; where: string}>('CONFIG_SYNTAX', 2, {
  cause: (p) => p.reason,
  fix: `Fix the YAML syntax. ${SCHEMA}`,
  message: (p) => `${p.where} is not valid YAML`,
})

export const configKind = defineError<{key: string; wanted: string; where: string}>('CONFIG_KIND', 2, {
  cause: 'These two keys identify the file as a configuration file of k8s-win and its version.',
  fix: (p) => `Write "${p.key}: ${p.wanted}".`,
  message: (p) => `${p.where}: ${p.key} is not ${p.wanted}`,
})

export const configUnknownKey = defineError<{key: string; suggestion: string; where: string}>('CONFIG_UNKNOWN_KEY', 2, {
  cause: 'The configuration file has no such key. Unknown keys are rejected so that typing errors are noticed.',
  fix: (p) => (p.suggestion === '' ? `Remove it. ${SCHEMA}` : `Did you mean ${p.suggestion}? ${SCHEMA}`),
  message: (p) => `${p.where}: unknown key ${p.key}`,
})

export const configRepeatedKey = defineError<{key: string; where: string}>('CONFIG_REPEATED_KEY', 2, {
  cause: 'It is ambiguous which of the two applies.',
  fix: 'Keep one of them.',
  message: (p) => `${p.where}: ${p.key} is set twice`,
})

export const configWrongType = defineError<{found: string; key: string; wanted: string; where: string}>(
  'CONFIG_WRONG_TYPE',
  2,
  {
    cause: (p) => `It is ${p.found}.`,
    fix: (p) =>
      p.wanted === 'text' && /^(?:a number|true or false)$/.test(p.found)
        ? 'Put it in quotes.'
        : `Set it to ${p.wanted}.`,
    message: (p) => `${p.where}: ${p.key} must be ${p.wanted}`,
  },
)

export const storedConfigUnusable = defineError<{path: string; reason: string}>('STORED_CONFIG_UNUSABLE', 3, {
  cause: (p) => p.reason,
  fix: (p) =>
    `Fix the file, or delete ${p.path} and pass every option of this node to setup, including --node-name: options that are not passed get their defaults.`,
  message: (p) => `${p.path}, the stored configuration of the last setup, cannot be used`,
})

export const nodeOptionsLost = defineError<{node: string; path: string}>('NODE_OPTIONS_LOST', 3, {
  cause: (p) =>
    `${p.path} is missing, and with it the name, version, labels and other options of the node: setup would use the defaults.`,
  fix: (p) =>
    `Run "k8s-win setup --node-name ${pasted(p.node)}" with all other options of the last setup: it stores them again.`,
  message: (p) => `The options of the node ${p.node} are lost`,
})
