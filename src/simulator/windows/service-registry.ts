// Services in the registry: HKLM\SYSTEM\CurrentControlSet\Services\<name>.
import type {RegistryValue, ServiceConfig} from '../../machine/win32.js'
import type {ServiceEntry, World} from '../world.js'
import {sameName} from './names.js'

export const SERVICES_KEY = String.raw`HKLM\SYSTEM\CurrentControlSet\Services`
const START_TYPES = ['boot', 'system', 'automatic', 'demand', 'disabled'] as const
const OWN_PROCESS = 16

const STRING_FIELDS = {
  Description: 'description',
  DisplayName: 'displayName',
  ImagePath: 'imagePath',
  ObjectName: 'account',
} as const satisfies Record<string, keyof ServiceConfig>

export function serviceRegistryValues(world: World, path: string): Record<string, RegistryValue> {
  const config = serviceAt(world, path)?.config
  if (!config) return {}
  return {
    // Without dependencies there is no such value, also in Wine.
    ...(config.dependencies.length > 0 && {
      DependOnService: {data: config.dependencies, type: 'REG_MULTI_SZ'} as const,
    }),
    Description: {data: config.description, type: 'REG_SZ'},
    DisplayName: {data: config.displayName, type: 'REG_SZ'},
    ErrorControl: {data: 1, type: 'REG_DWORD'},
    FailureActionsOnNonCrashFailures: {data: config.failureFlag ? 1 : 0, type: 'REG_DWORD'},
    ImagePath: {data: config.imagePath, type: 'REG_EXPAND_SZ'},
    ObjectName: {data: config.account, type: 'REG_SZ'},
    Start: {data: START_TYPES.indexOf(config.startType), type: 'REG_DWORD'},
    Type: {data: OWN_PROCESS, type: 'REG_DWORD'},
  }
}

/** Changes the service's configuration. False if the value is not one of the service manager's. */
export function applyServiceValue(world: World, path: string, name: string, value: RegistryValue): boolean {
  const entry = serviceAt(world, path)
  const field = Object.entries(STRING_FIELDS).find(([known]) => sameName(known, name))?.[1]
  if (!entry || !field || typeof value.data !== 'string') return false
  entry.config = {...entry.config, [field]: value.data}
  return true
}

/** With the variables in the REG_MULTI_SZ value Environment of the service's key. */
export function serviceEnvironment(world: World, name: string): Record<string, string> {
  const key = Object.entries(world.registry).find(([path]) => sameName(path, `${SERVICES_KEY}\\${name}`))?.[1] ?? {}
  const value = Object.entries(key).find(([known]) => sameName(known, 'Environment'))?.[1]
  const result: Record<string, string> = {...(world.os.bootEnvironment ?? world.environment)}
  for (const line of value?.type === 'REG_MULTI_SZ' ? value.data : []) {
    const at = line.indexOf('=')
    if (at > 0) result[line.slice(0, at)] = line.slice(at + 1)
  }

  return result
}

export function forgetServiceKey(world: World, name: string): void {
  for (const path of Object.keys(world.registry)) {
    if (sameName(path, `${SERVICES_KEY}\\${name}`)) Reflect.deleteProperty(world.registry, path)
  }
}

function serviceAt(world: World, path: string): ServiceEntry | undefined {
  return Object.values(world.services).find(({name}) => sameName(path, `${SERVICES_KEY}\\${name}`))
}
