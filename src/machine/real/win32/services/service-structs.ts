// The structures of the service control manager (winsvc.h), without names so that they can be made more than once.
import type {ServiceFailureActions, ServiceRunState, ServiceStartType, ServiceStatus} from '../../../win32.js'
import type {Koffi} from '../koffi.js'
import type {Pointer} from '../library.js'

const SC_ACTION_RESTART = 1
const SC_ACTION_BYTES = 8

export const START_TYPES: readonly ServiceStartType[] = ['boot', 'system', 'automatic', 'demand', 'disabled']

/** By dwCurrentState, which counts from 1. */
const RUN_STATES: readonly ServiceRunState[] = [
  'stopped',
  'start-pending',
  'stop-pending',
  'running',
  'continue-pending',
  'pause-pending',
  'paused',
]

export const SERVICE_STATUS_BYTES = 28
export const SERVICE_STATUS_PROCESS_BYTES = 36

export interface QueriedConfig {
  readonly binaryPathName: string
  readonly dependencies: Pointer
  readonly displayName: string
  readonly serviceStartName: string | null
  readonly startType: number
}

export interface QueriedFailureActions {
  readonly actionCount: number
  readonly actions: Pointer
  readonly resetPeriod: number
}

export function serviceStructs(koffi: Koffi) {
  return {
    /** SERVICE_DELAYED_AUTO_START_INFO and SERVICE_FAILURE_ACTIONS_FLAG are both one BOOL. */
    BOOL_INFO: koffi.struct({value: 'int32_t'}),
    ENUM_SERVICE_STATUSW: koffi.struct({
      serviceName: 'str16',
      displayName: 'str16',
      status: koffi.array('uint32_t', SERVICE_STATUS_BYTES / 4),
    }),
    QUERY_SERVICE_CONFIGW: koffi.struct({
      serviceType: 'uint32_t',
      startType: 'uint32_t',
      errorControl: 'uint32_t',
      binaryPathName: 'str16',
      loadOrderGroup: 'str16',
      tagId: 'uint32_t',
      dependencies: 'void *',
      serviceStartName: 'str16',
      displayName: 'str16',
    }),
    SERVICE_DESCRIPTIONW: koffi.struct({description: 'str16'}),
    SERVICE_FAILURE_ACTIONSW: koffi.struct({
      resetPeriod: 'uint32_t',
      rebootMessage: 'str16',
      command: 'str16',
      actionCount: 'uint32_t',
      actions: 'void *',
    }),
  }
}

/** SERVICE_FAILURE_ACTIONSW. A null list would mean "leave as it is", so an empty one still has an address. */
export function encodeFailureActions({resetAfterSeconds, restartDelaysMs}: ServiceFailureActions) {
  const actions = Buffer.alloc(Math.max(1, restartDelaysMs.length) * SC_ACTION_BYTES)
  for (const [index, delay] of restartDelaysMs.entries()) {
    actions.writeInt32LE(SC_ACTION_RESTART, index * SC_ACTION_BYTES)
    actions.writeUInt32LE(delay, index * SC_ACTION_BYTES + 4)
  }
  const actionCount = restartDelaysMs.length
  return {actionCount, actions, command: null, rebootMessage: null, resetPeriod: resetAfterSeconds}
}

export function decodeFailureActions(koffi: Koffi, queried: QueriedFailureActions): ServiceFailureActions {
  const {actionCount, actions, resetPeriod} = queried
  const numbers =
    actions === null || actionCount === 0 ? [] : (koffi.decode(actions, 'uint32_t', actionCount * 2) as Uint32Array)
  const restartDelaysMs: number[] = []
  for (let at = 0; at < numbers.length; at += 2) {
    if (numbers[at] === SC_ACTION_RESTART) restartDelaysMs.push(numbers[at + 1]!)
  }
  return {resetAfterSeconds: resetPeriod, restartDelaysMs}
}

/** From SERVICE_STATUS_PROCESS: nine numbers of 32 bits. */
export function decodeServiceStatus(bytes: Buffer): ServiceStatus {
  const number = (index: number) => bytes.readUInt32LE(index * 4)
  const state = RUN_STATES[number(1) - 1]
  if (state === undefined) throw new RangeError(`the service manager reported an unknown state: ${number(1)}`)
  return {processId: number(7), serviceExitCode: number(4), state, win32ExitCode: number(3)}
}
