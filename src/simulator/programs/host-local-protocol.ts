// The CNI protocol of a plugin (containernetworking/cni, pkg/skel): environment, configuration, version.
import {isAtLeast} from '../versions.js'
import {goTypeError, type NetworkDocument} from './host-local-config.js'
import type {ProgramOutput} from '../model.js'

/** Codes of cni/pkg/types. */
export const CODE = {decoding: 6, environment: 4, incompatible: 1, internal: 999, network: 7} as const

/** Environment variables each command needs (getCmdArgsFromEnv). */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ADD: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
  CHECK: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
  DEL: ['CNI_CONTAINERID', 'CNI_IFNAME', 'CNI_PATH'],
}
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/
const LONGEST_INTERFACE = 15

export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly details = '',
  ) {
    super(message)
  }

  get output(): ProgramOutput {
    const {code, details, message: msg} = this
    return {exitCode: 1, stdout: pretty({code, msg, ...(details && {details})})}
  }
}

/** Indented and escaped as Go does. */
export const pretty = (value: unknown): string =>
  JSON.stringify(value, undefined, 4).replaceAll(
    /[&<>]/g,
    (letter) => `\\u00${letter.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

/** Versions of the CNI library of a release of the plugins; 1.1.0 since 1.5.0. */
export function supportedVersions(release: string): readonly string[] {
  const old = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0']
  return isAtLeast(release, '1.5.0') ? [...old, '1.1.0'] : old
}

/** The configuration of a valid ADD, CHECK or DEL; throws a Refusal otherwise. */
export function admit(
  command: string,
  env: Readonly<Record<string, string>>,
  input: string,
  supported: readonly string[],
): NetworkDocument {
  const missing = (NEEDED[command] ?? []).filter((name) => !env[name])
  if (missing.length > 0) {
    throw new Refusal(CODE.environment, `required env variables [${missing.join(',')}] missing`)
  }

  const document = readDocument(input)
  demandNames(document.name, env['CNI_CONTAINERID'] ?? '', env['CNI_IFNAME'] ?? '')
  if (!NEEDED[command]) throw new Refusal(CODE.environment, `unknown CNI_COMMAND: ${command}`)
  const version = document.cniVersion || '0.1.0'
  if (command === 'CHECK' && !isAtLeast(version, '0.4.0')) {
    throw new Refusal(CODE.incompatible, 'config version does not allow CHECK')
  }

  if (command === 'CHECK' && !supported.some((one) => isAtLeast(one, version))) {
    throw new Refusal(CODE.incompatible, 'plugin version does not allow CHECK')
  }

  if (!supported.includes(version)) {
    const list = supported.map((one) => `"${one}"`).join(' ')
    const details = `config is "${version}", plugin supports [${list}]`
    throw new Refusal(CODE.incompatible, 'incompatible CNI versions', details)
  }

  return document
}

function readDocument(input: string): NetworkDocument {
  const refuse = (why: string) => new Refusal(CODE.decoding, `error unmarshall network config: ${why}`)
  let value: unknown
  try {
    value = JSON.parse(input)
  } catch {
    // Go reports the first byte that cannot begin a value; other texts count as cut short.
    const first = Buffer.from(input.replace(/^[\t\n\r ]+/, ''))[0]
    const isBegun = first === undefined || /["[\]{}\d-]/.test(String.fromCharCode(first))
    throw refuse(
      isBegun
        ? 'unexpected end of JSON input'
        : `invalid character '${String.fromCharCode(first)}' looking for beginning of value`,
    )
  }

  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw refuse(goTypeError(value, String.raw`value of type struct { Name string "json:\"name\"" }`))
  }

  return value
}

function demandNames(network: string | undefined, container: string, device: string): void {
  const refuseIf = (isWrong: boolean, code: number, message: string, details?: string): void => {
    if (isWrong) throw new Refusal(code, message, details)
  }
  refuseIf(!network, CODE.network, 'missing network name')
  refuseIf(!NAME.test(network ?? ''), CODE.network, 'invalid characters found in network name', network)
  refuseIf(!container, 3, 'missing containerID')
  refuseIf(!NAME.test(container), CODE.environment, 'invalid characters in containerID', container)
  refuseIf(device === '', CODE.environment, 'interface name is empty')
  const longest = `interface name should be less than ${LONGEST_INTERFACE + 1} characters`
  const isTooLong = Buffer.byteLength(device) > LONGEST_INTERFACE
  refuseIf(isTooLong, CODE.environment, 'interface name is too long', longest)
  refuseIf(device === '.' || device === '..', CODE.environment, 'interface name is . or ..')
  const characters = 'interface name contains / or : or whitespace characters'
  refuseIf(/[/:\s]/.test(device), CODE.environment, characters)
}
