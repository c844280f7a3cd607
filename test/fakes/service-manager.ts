// A service control manager in memory: enough of it to be asked, changed, stopped and to be slow or stubborn.
import {
  type RegistryValue,
  type ServiceConfig,
  type ServiceRunState,
  type Win32,
  Win32Error,
} from '../../src/machine/win32.js'
import {only} from './partial.js'

export interface FakeService {
  /** It stops, but its handler returns later than Windows waits for. */
  answersLate?: boolean
  config: ServiceConfig
  /** It has died, and its failure actions start it again after that many queries. */
  comesBackAfter?: number
  /** Its process ends on a stop request, before it has answered. */
  endsUnanswered?: boolean
  exitCode?: number
  /** Queries that it still answers after it was deleted: a user holds a handle. */
  heldFor?: number
  markedForDeletion?: boolean
  /** Windows error of every stop request. */
  refusesToStop?: number
  /** Asked to stop the first time, it is this one that is started by a user. */
  revives?: string
  /** Somebody starts it just before it is deleted. */
  startedOnDelete?: boolean
  state: ServiceRunState
  /** Queries from the stop request until it has stopped. */
  stopsAfter?: number
}

export function serviceManager(start: Readonly<Record<string, FakeService>> = {}) {
  const services = new Map(Object.entries(start))
  const registry = new Map<string, RegistryValue>()
  const calls: string[] = []
  const demand = (call: string, name: string): FakeService => {
    const service = services.get(name)
    if (!service) throw new Win32Error(call, 1060, name)
    if (service.markedForDeletion && !['ControlService', 'OpenServiceW'].includes(call))
      throw new Win32Error(call, 1072, name)
    return service
  }

  const look = (name: string): FakeService | undefined => {
    const service = services.get(name)
    if (service?.markedForDeletion && service.state === 'stopped') {
      service.heldFor = (service.heldFor ?? 0) - 1
      if (service.heldFor < 0) services.delete(name)
    }

    return services.get(name)
  }

  const win32 = only<Win32>('win32', {
    async changeService(name, changes) {
      calls.push(`change ${name}`)
      const service = demand('ChangeServiceConfigW', name)
      service.config = {...service.config, ...changes}
    },
    async createService(name, config) {
      calls.push(`create ${name}`)
      if (services.has(name)) throw new Win32Error('CreateServiceW', 1073, name)
      services.set(name, {config, state: 'stopped'})
    },
    async deleteService(name) {
      calls.push(`delete ${name}`)
      const service = demand('DeleteService', name)
      service.markedForDeletion = true
      if (service.startedOnDelete) service.state = 'running'
    },
    async dependentServices(name) {
      demand('OpenServiceW', name)
      return [...services].filter(([, {config}]) => config.dependencies.includes(name)).map(([key]) => key)
    },
    queryServiceConfig: async (name) => look(name)?.config,
    async queryServiceStatus(name) {
      const service = look(name)
      if (!service) return undefined
      if (service.state === 'stop-pending') {
        service.stopsAfter = (service.stopsAfter ?? 0) - 1
        if (service.stopsAfter < 0) service.state = 'stopped'
      } else if (service.state === 'stopped' && service.comesBackAfter !== undefined) {
        service.comesBackAfter -= 1
        if (service.comesBackAfter < 0) {
          Object.assign(service, {comesBackAfter: undefined, exitCode: 0, state: 'running'})
        }
      } else if (service.state === 'start-pending') {
        service.state = 'running'
        return {processId: 7, serviceExitCode: 0, state: 'start-pending', win32ExitCode: 0}
      }

      return {processId: 7, serviceExitCode: 0, state: service.state, win32ExitCode: service.exitCode ?? 0}
    },
    registryValue: async (_root, key, name) => registry.get(`${key}\\${name}`),
    async setRegistryValue(_root, key, name, value) {
      calls.push(`set ${key}\\${name}`)
      registry.set(`${key}\\${name}`, value)
    },
    async startService(name) {
      calls.push(`start ${name}`)
      const service = demand('StartServiceW', name)
      if (service.state === 'running') throw new Win32Error('StartServiceW', 1056, name)
      service.state = 'running'
    },
    async stopService(name) {
      calls.push(`stop ${name}`)
      const service = demand('ControlService', name)
      if (service.state === 'stopped') throw new Win32Error('ControlService', 1062, name)
      if (service.state.endsWith('pending')) throw new Win32Error('ControlService', 1061, name)
      if (service.refusesToStop !== undefined) throw new Win32Error('ControlService', service.refusesToStop, name)
      const revived = services.get(service.revives ?? '')
      if (revived) revived.state = 'running'
      delete service.revives
      const isHeld = [...services.values()].some(
        ({config, state}) => config.dependencies.includes(name) && state !== 'stopped',
      )
      if (isHeld) throw new Win32Error('ControlService', 1051, name)
      service.state = service.endsUnanswered ? 'stopped' : 'stop-pending'
      if (service.endsUnanswered) throw new Win32Error('ControlService', 109, name)
      if (service.answersLate) throw new Win32Error('ControlService', 1053, name)
    },
  })
  return {calls, registry, services, win32}
}
