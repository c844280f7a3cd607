// A service's configuration: written in one go, and read back.
import type {ServiceConfig} from '../../../win32.js'
import {ERROR_INSUFFICIENT_BUFFER, ERROR_INVALID_LEVEL} from '../codes.js'
import {demand, refusalOf, type Reply} from '../library.js'
import type {ServiceManager} from './service-manager.js'
import type {QueriedConfig, QueriedFailureActions} from './service-structs.js'
import {decodeFailureActions, encodeFailureActions, START_TYPES} from './service-structs.js'
import {decodeWideList, wideList} from '../text.js'

const SERVICE_ALL_ACCESS = 0xf_01_ff
const SERVICE_WIN32_OWN_PROCESS = 0x10
const SERVICE_ERROR_NORMAL = 1
const SERVICE_NO_CHANGE = 0xffff_ffff
const SERVICE_CONFIG_DESCRIPTION = 1
const SERVICE_CONFIG_FAILURE_ACTIONS = 2
const SERVICE_CONFIG_FAILURE_ACTIONS_FLAG = 4
/** The documented maximum of each query's answer. */
const QUERY_BYTES = 8192

export function createService({calls}: ServiceManager, manager: bigint, name: string, config: ServiceConfig) {
  return calls.create(
    manager,
    name,
    config.displayName,
    SERVICE_ALL_ACCESS,
    SERVICE_WIN32_OWN_PROCESS,
    START_TYPES.indexOf(config.startType),
    SERVICE_ERROR_NORMAL,
    config.imagePath,
    null,
    null,
    wideList(config.dependencies),
    config.account,
    passwordOf(config.account),
  )
}

/** NULL and SERVICE_NO_CHANGE leave a part as it is; an empty list of dependencies clears them. */
export function changeService({calls}: ServiceManager, service: bigint, changes: Partial<ServiceConfig>) {
  const {account, dependencies, displayName, imagePath, startType} = changes
  return calls.changeConfig(
    service,
    SERVICE_NO_CHANGE,
    startType === undefined ? SERVICE_NO_CHANGE : START_TYPES.indexOf(startType),
    SERVICE_NO_CHANGE,
    imagePath ?? null,
    null,
    null,
    dependencies ? wideList(dependencies) : null,
    account ?? null,
    account === undefined ? null : passwordOf(account),
    displayName ?? null,
  )
}

/** What CreateServiceW and ChangeServiceConfigW have no room for. A delayed start that an administrator set is not changed. */
export async function changeDetails(
  {calls}: ServiceManager,
  service: bigint,
  name: string,
  {description, failureActions, failureFlag}: Partial<ServiceConfig>,
): Promise<void> {
  if (description !== undefined) {
    await demand(name, calls.changeDescription(service, SERVICE_CONFIG_DESCRIPTION, {description}))
  }
  if (failureActions) {
    const actions = encodeFailureActions(failureActions)
    await demand(name, calls.changeFailureActions(service, SERVICE_CONFIG_FAILURE_ACTIONS, actions))
  }
  if (failureFlag !== undefined) {
    // A service manager without this level (Wine) reads it back as false, so the difference is visible.
    const flag = {value: failureFlag ? 1 : 0}
    await demand(name, calls.changeBool(service, SERVICE_CONFIG_FAILURE_ACTIONS_FLAG, flag), ERROR_INVALID_LEVEL)
  }
}

export async function readConfig(
  {calls, koffi, structs}: ServiceManager,
  service: bigint,
  name: string,
): Promise<ServiceConfig> {
  const level = (number: number) =>
    query(name, (data, needed) => calls.queryConfig2(service, number, data, data.length, needed))
  // Each answer holds pointers into its own bytes, so it is decoded before the bytes can go.
  const bytes = await query(name, (data, needed) => calls.queryConfig(service, data, data.length, needed))
  const config = koffi.decode(bytes!, structs.QUERY_SERVICE_CONFIGW) as QueriedConfig
  const dependencies = decodeWideList(koffi, config.dependencies)
  const description = await level(SERVICE_CONFIG_DESCRIPTION)
  const actions = await level(SERVICE_CONFIG_FAILURE_ACTIONS)
  const flag = await level(SERVICE_CONFIG_FAILURE_ACTIONS_FLAG)
  return {
    account: config.serviceStartName ?? '',
    dependencies,
    description: description
      ? ((koffi.decode(description, structs.SERVICE_DESCRIPTIONW) as {description: string | null}).description ?? '')
      : '',
    displayName: config.displayName,
    failureActions: actions
      ? decodeFailureActions(koffi, koffi.decode(actions, structs.SERVICE_FAILURE_ACTIONSW) as QueriedFailureActions)
      : {resetAfterSeconds: 0, restartDelaysMs: []},
    failureFlag: flag !== undefined && flag.readInt32LE() !== 0,
    imagePath: config.binaryPathName,
    startType: START_TYPES[config.startType] ?? 'disabled',
  }
}

type Ask = (data: Buffer, needed: number[]) => Promise<Reply<number>>

/** Undefined where the service manager does not know the level. */
async function query(name: string, ask: Ask): Promise<Buffer | undefined> {
  for (let data = Buffer.alloc(QUERY_BYTES); ;) {
    const needed = [0]
    const reply = await ask(data, needed)
    if (reply.result !== 0) return data
    if (reply.lastError === ERROR_INVALID_LEVEL) return undefined
    if (reply.lastError !== ERROR_INSUFFICIENT_BUFFER || needed[0]! <= data.length) throw refusalOf(reply, name)
    data = Buffer.alloc(needed[0]!)
  }
}

/** The built-in accounts have an empty password; NULL would mean "the one it has". */
function passwordOf(account: string): string | null {
  return /^(?:\.\\)?LocalSystem$|^NT AUTHORITY\\/iu.test(account) ? '' : null
}
