// Exit 2: a configuration file that is wrong by itself; exit 3: what the last setup stored on this host.
import {defineError} from './define.js'

const SCHEMA = '"k8s-win config schema" prints what the file may hold.'

export const configFileUnusable = defineError<{path: string; reason: string}>('CONFIG_FILE_UNUSABLE', 2, {
  cause: (p) => `We looked at it: ${p.reason}.`,
  fix: `Give --config the path of a YAML file. ${SCHEMA}`,
  message: (p) => `The configuration file ${p.path} cannot be used`,
})

export const configSyntax = defineError<{reason: string; where: string}>('CONFIG_SYNTAX', 2, {
  cause: (p) => p.reason,
  fix: `Mend the YAML there. ${SCHEMA}`,
  message: (p) => `${p.where} is not YAML as we read it`,
})

export const configKind = defineError<{key: string; wanted: string; where: string}>('CONFIG_KIND', 2, {
  cause: 'By these two keys we know that the file is meant for us, and how to read it.',
  fix: (p) => `Write "${p.key}: ${p.wanted}".`,
  message: (p) => `${p.where}: ${p.key} is not ${p.wanted}`,
})

export const configUnknownKey = defineError<{key: string; suggestion: string; where: string}>('CONFIG_UNKNOWN_KEY', 2, {
  cause: 'There is no such key, and one that is silently ignored would be worse than none.',
  fix: (p) => (p.suggestion === '' ? `Remove it. ${SCHEMA}` : `Did you mean ${p.suggestion}? ${SCHEMA}`),
  message: (p) => `${p.where}: unknown key ${p.key}`,
})

export const configRepeatedKey = defineError<{key: string; where: string}>('CONFIG_REPEATED_KEY', 2, {
  cause: 'Which of the two is meant cannot be known.',
  fix: 'Keep one of them.',
  message: (p) => `${p.where}: ${p.key} stands there twice`,
})

export const configWrongType = defineError<{found: string; key: string; wanted: string; where: string}>(
  'CONFIG_WRONG_TYPE',
  2,
  {
    cause: (p) => `It is ${p.found}.`,
    fix: (p) =>
      p.wanted === 'text' && /^(?:a number|true or false)$/.test(p.found)
        ? 'Put it in quotes.'
        : `Give it ${p.wanted}.`,
    message: (p) => `${p.where}: ${p.key} must be ${p.wanted}`,
  },
)

export const storedConfigUnusable = defineError<{path: string; reason: string}>('STORED_CONFIG_UNUSABLE', 3, {
  cause: (p) => p.reason,
  fix: (p) =>
    `Look at it. Mend it, or remove ${p.path} and give every option that this node needs, --node-name too: without it the defaults count.`,
  message: (p) => `${p.path}, what the last setup stored, cannot be used`,
})

export const nodeOptionsLost = defineError<{node: string; path: string}>('NODE_OPTIONS_LOST', 3, {
  cause: (p) =>
    `${p.path} is gone, and with it name, version, labels and all else that was given: defaults would count.`,
  fix: (p) =>
    `Run "k8s-win setup --node-name ${p.node}" with every other option of the last setup, too: it stores them anew.`,
  message: (p) => `What the node ${p.node} was set up with is not known any more`,
})
