// Win32 calls and programs as the command lines a person would type. Windows is called directly: sc.exe and reg.exe never run.
import {win32 as windowsPath} from 'node:path'
import {quoteArgument} from '../../host/command-line.js'
import type {RegistryValue, ServiceConfig} from '../../machine/win32.js'
import type {RecordedChange} from './record.js'

type CallOf = Extract<RecordedChange, {kind: 'win32'}>
type RunOf = Extract<RecordedChange, {kind: 'run'}>

const START_WORDS: Readonly<Record<ServiceConfig['startType'], string>> = {
  automatic: 'auto',
  boot: 'boot',
  demand: 'demand',
  disabled: 'disabled',
  system: 'system',
}

export const callLines = (call: CallOf): string[] =>
  commandLines(call).map((line) => (/^(?:reg|sc)\.exe /.test(line) ? `equivalent to: ${line}` : line))

function commandLines({args, call, previous}: CallOf): string[] {
  const [first, second, third, fourth] = args
  const name = quoteArgument(String(first))
  switch (call) {
    case 'broadcastEnvironmentChange':
      return ['notify running programs that the environment changed']
    case 'changeService':
      return serviceLines('config', name, {...previous, ...(second as ServiceConfig)}, previous)
    case 'createService':
      return serviceLines('create', name, second as ServiceConfig)
    case 'deleteRegistryValue':
      return [`reg.exe delete ${registryKey(first, second)} /v ${quoteArgument(String(third))} /f`]
    case 'deleteService':
      return [`sc.exe delete ${name}`]
    case 'hnsCall':
      return [`HNSCall ${String(first)} ${String(second)} ${String(third)}`.trimEnd()]
    case 'setRegistryValue':
      return [
        `reg.exe add ${registryKey(first, second)} /v ${quoteArgument(String(third))} ${valueWords(fourth as RegistryValue)} /f`,
      ]
    case 'setSecurity':
      return [`set the access list of ${String(first)} to ${String(second)}`]
    case 'startService':
      return [`sc.exe start ${name}`]
    case 'stopService':
      return [`sc.exe stop ${name}`]
    default:
      return [`${call} ${args.map((one) => JSON.stringify(one)).join(' ')}`]
  }
}

/** Windows' own programs by name, others by path. host-local is described by its environment and input. */
export function runLines({args, env, input, program}: RunOf): string[] {
  const isOfWindows = /^[a-z]:\\[^\\]+\\system32\\/i.test(program)
  const words = [isOfWindows ? windowsPath.basename(program) : quoteArgument(program), ...args.map(quoteArgument)]
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const details = [...variables, ...(input === '' ? [] : [input])].join(' ')
  return [details === '' ? words.join(' ') : `${words.join(' ')} (${details})`]
}

/** sc.exe needs four commands; for a change only the differences are shown. */
function serviceLines(
  verb: 'config' | 'create',
  name: string,
  config: ServiceConfig,
  previous?: ServiceConfig,
): string[] {
  const isOther = (field: keyof ServiceConfig): boolean =>
    JSON.stringify(config[field]) !== JSON.stringify(previous?.[field])
  const {resetAfterSeconds, restartDelaysMs} = config.failureActions
  const words = [
    ...(isOther('imagePath') ? [`binPath= ${quoted(config.imagePath)}`] : []),
    ...(isOther('startType') ? [`start= ${START_WORDS[config.startType]}`] : []),
    ...(isOther('dependencies') ? [`depend= ${quoteArgument(config.dependencies.join('/') || '/')}`] : []),
    ...(isOther('account') ? [`obj= ${quoteArgument(config.account)}`] : []),
    ...(isOther('displayName') ? [`DisplayName= ${quoteArgument(config.displayName)}`] : []),
  ]
  const actions = restartDelaysMs.map((ms) => `restart/${ms}`).join('/')
  return [
    ...(words.length > 0 ? [`sc.exe ${verb} ${name} ${words.join(' ')}`] : []),
    ...(isOther('description') ? [`sc.exe description ${name} ${quoteArgument(config.description)}`] : []),
    ...(isOther('failureActions')
      ? [`sc.exe failure ${name} reset= ${resetAfterSeconds} actions= ${quoteArgument(actions)}`]
      : []),
    ...(isOther('failureFlag') ? [`sc.exe failureflag ${name} ${config.failureFlag ? 1 : 0}`] : []),
  ]
}

/** Always in quotes: a command line has spaces, and quotes of its own. */
const quoted = (text: string): string =>
  `"${text.replaceAll(/(?<!\\)(\\*)"/g, String.raw`$1$1\"`).replace(/(?<!\\)(\\+)$/, '$1$1')}"`

const registryKey = (root: unknown, key: unknown): string => quoteArgument(`${String(root)}\\${String(key)}`)

function valueWords({data, type}: RegistryValue): string {
  const text = Array.isArray(data) ? data.join(String.raw`\0`) : String(data)
  return `/t ${type} /d ${quoted(text)}`
}
