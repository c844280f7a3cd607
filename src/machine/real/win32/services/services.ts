// Services of Windows, through the service control manager.
import {type Win32, Win32Error} from '../../../win32.js'
import {ERROR_MORE_DATA, ERROR_SERVICE_DOES_NOT_EXIST} from '../codes.js'
import {demand, lazily, type LazyNative} from '../library.js'
import {changeDetails, changeService, createService, readConfig} from './service-config.js'
import {openServiceManager, type ServiceManager} from './service-manager.js'
import {decodeServiceStatus, SERVICE_STATUS_BYTES, SERVICE_STATUS_PROCESS_BYTES} from './service-structs.js'

const SERVICE_QUERY_CONFIG = 0x1
const SERVICE_CHANGE_CONFIG = 0x2
const SERVICE_QUERY_STATUS = 0x4
const SERVICE_ENUMERATE_DEPENDENTS = 0x8
const SERVICE_START = 0x10
const SERVICE_STOP = 0x20
const DELETE = 0x1_00_00
const SERVICE_CONTROL_STOP = 1
const SERVICE_STATE_ALL = 3
const SC_STATUS_PROCESS_INFO = 0

type Services = Pick<
  Win32,
  | 'changeService'
  | 'createService'
  | 'deleteService'
  | 'dependentServices'
  | 'queryServiceConfig'
  | 'queryServiceStatus'
  | 'startService'
  | 'stopService'
>

export function openServices(native: LazyNative): Services {
  const manager = lazily(native, openServiceManager)

  return {
    async changeService(name, changes) {
      const scm = await manager()
      // Failure actions that restart need the right to start.
      await scm.withService(name, SERVICE_CHANGE_CONFIG | SERVICE_START, async (service) => {
        await demand(name, changeService(scm, service, changes))
        await changeDetails(scm, service, name, changes)
      })
    },
    async createService(name, config) {
      const scm = await manager()
      const create = (handle: bigint) => createService(scm, handle, name, config)
      await scm.withNewService(name, create, async (service) => {
        try {
          await changeDetails(scm, service, name, config)
        } catch (error) {
          // Without its description k8s-win would not recognise it.
          await scm.calls.delete(service)
          throw error
        }
      })
    },
    async deleteService(name) {
      const {calls, withService} = await manager()
      await withService(name, DELETE, (service) => demand(name, calls.delete(service)))
    },
    async dependentServices(name) {
      const scm = await manager()
      return scm.withService(name, SERVICE_ENUMERATE_DEPENDENTS, (service) => dependents(scm, service, name))
    },
    async queryServiceConfig(name) {
      const scm = await manager()
      return ifThere(scm.withService(name, SERVICE_QUERY_CONFIG, (service) => readConfig(scm, service, name)))
    },
    async queryServiceStatus(name) {
      const {calls, withService} = await manager()
      return ifThere(
        withService(name, SERVICE_QUERY_STATUS, async (service) => {
          const bytes = Buffer.alloc(SERVICE_STATUS_PROCESS_BYTES)
          await demand(name, calls.queryStatus(service, SC_STATUS_PROCESS_INFO, bytes, bytes.length, [0]))
          return decodeServiceStatus(bytes)
        }),
      )
    },
    async startService(name) {
      const {calls, withService} = await manager()
      await withService(name, SERVICE_START, (service) => demand(name, calls.start(service, 0, null)))
    },
    async stopService(name) {
      const {calls, withService} = await manager()
      const status = Buffer.alloc(SERVICE_STATUS_BYTES)
      await withService(name, SERVICE_STOP, (service) =>
        demand(name, calls.control(service, SERVICE_CONTROL_STOP, status)),
      )
    },
  }
}

async function dependents({calls, koffi, structs}: ServiceManager, service: bigint, name: string): Promise<string[]> {
  for (let data = Buffer.alloc(16_384); ;) {
    const [needed, count] = [[0], [0]]
    const asked = calls.enumDependents(service, SERVICE_STATE_ALL, data, data.length, needed, count)
    if (await demand(name, asked, ERROR_MORE_DATA)) {
      if (count[0] === 0) return []
      const found = koffi.decode(data, koffi.array(structs.ENUM_SERVICE_STATUSW, count[0]!)) as {serviceName: string}[]
      return found.map(({serviceName}) => serviceName)
    }
    data = Buffer.alloc(data.length + needed[0]!)
  }
}

async function ifThere<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof Win32Error && error.code === ERROR_SERVICE_DOES_NOT_EXIST) return undefined
    throw error
  }
}
