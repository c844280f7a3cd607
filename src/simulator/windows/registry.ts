// The registry: stored values, and those that Windows derives from services and firewall rules. Names compare without case.
import type {RegistryValue} from '../../machine/win32.js'
import type {World} from '../world.js'
import {firewallRegistryValues, FIREWALL_RULES_KEY} from './firewall.js'
import {sameName} from './names.js'
import {applyServiceValue, serviceRegistryValues} from './service-registry.js'

const ENVIRONMENT_KEY = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

export const VERSION_KEY = String.raw`HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`

/** From `os`, so that one edit makes the host another version of Windows. */
function versionRegistryValues({os}: World): Record<string, RegistryValue> {
  return {
    CurrentBuild: {data: String(os.build), type: 'REG_SZ'},
    ProductName: {data: os.productName, type: 'REG_SZ'},
    UBR: {data: os.ubr, type: 'REG_DWORD'},
  }
}

export function systemRootOf(world: World): string {
  return String(readRegistryValue(world, VERSION_KEY, 'SystemRoot')?.data ?? String.raw`C:\Windows`)
}

/** "HKLM" and "\System\X\" make "HKLM\System\X". */
export const registryPath = (root: string, key: string): string => `${root}\\${key.replace(/^\\+|\\+$/g, '')}`

export function readRegistryValues(world: World, path: string): Record<string, RegistryValue> {
  const derived = sameName(path, FIREWALL_RULES_KEY)
    ? firewallRegistryValues(world)
    : sameName(path, VERSION_KEY)
      ? versionRegistryValues(world)
      : serviceRegistryValues(world, path)
  const values: Record<string, RegistryValue> = {...derived}
  for (const [name, value] of Object.entries(storedKey(world, path) ?? {})) {
    if (!Object.keys(values).some((known) => sameName(known, name))) values[name] = value
  }

  return values
}

export function readRegistryValue(world: World, path: string, name: string): RegistryValue | undefined {
  return Object.entries(readRegistryValues(world, path)).find(([known]) => sameName(known, name))?.[1]
}

/** A key exists with its values, or with keys below it. */
export function hasRegistryKey(world: World, path: string): boolean {
  const below = `${path}\\`.toLowerCase()
  return (
    storedKey(world, path) !== undefined ||
    Object.keys(readRegistryValues(world, path)).length > 0 ||
    Object.keys(world.registry).some((key) => key.toLowerCase().startsWith(below))
  )
}

/** Of the stored ones, which are written with their whole paths. */
export function keysBelow(world: World, path: string): string[] {
  const above = `${path}\\`.toLowerCase()
  const below = Object.keys(world.registry).filter((key) => key.toLowerCase().startsWith(above))
  return [...new Set(below.map((key) => key.slice(above.length).split('\\')[0]!))]
}

export function writeRegistryValue(world: World, path: string, name: string, value: RegistryValue): void {
  if (applyServiceValue(world, path, name, value)) return
  const key = storedKey(world, path) ?? (world.registry[path] = {})
  const known = Object.keys(key).find((one) => sameName(one, name)) ?? name
  key[known] = value
}

/** False if there is no such value. */
export function removeRegistryValue(world: World, path: string, name: string): boolean {
  const key = storedKey(world, path)
  const known = key && Object.keys(key).find((one) => sameName(one, name))
  if (!key || known === undefined) return false
  Reflect.deleteProperty(key, known)
  return true
}

/**
 * New processes of people get the machine's environment as it is stored now; services keep the one of the boot
 * (docs/facts.md#paths-and-environment), so what they have is set aside at the first change.
 */
export function refreshEnvironment(world: World): void {
  const stored = readRegistryValues(world, ENVIRONMENT_KEY)
  if (Object.keys(stored).length === 0) return
  // Windows creates these itself; they are not stored.
  const {COMPUTERNAME = '', SystemDrive = ''} = world.environment
  world.os.bootEnvironment ??= {...world.environment}
  world.environment = {COMPUTERNAME, SystemDrive, ...environmentOf(stored, systemRootOf(world))}
}

/** Windows creates the first three; KUBECONFIG is k8s-win's: a reset that was killed may have removed only what is stored. */
const NOT_ADDED: ReadonlySet<string> = new Set(['COMPUTERNAME', 'SystemDrive', 'SystemRoot', 'KUBECONFIG'])

/** Variables that were added to the environment in machine.json are the machine's: without this the next refresh drops them. */
export function storeAddedVariables(world: World): void {
  const stored = readRegistryValues(world, ENVIRONMENT_KEY)
  const isStored = (name: string): boolean => Object.keys(stored).some((one) => sameName(one, name))
  for (const [name, data] of Object.entries(world.environment)) {
    if (isStored(name) || NOT_ADDED.has(name)) continue
    writeRegistryValue(world, ENVIRONMENT_KEY, name, {data, type: 'REG_SZ'})
  }
}

/** What the registry stores, as a new process has it. */
export function environmentOf(stored: Readonly<Record<string, RegistryValue>>, root: string): Record<string, string> {
  const variables = Object.entries(stored).map(
    ([name, {data}]) => [name, String(data).replace(/%SystemRoot%/gi, root)] as const,
  )
  return {SystemRoot: root, ...Object.fromEntries(variables)}
}

function storedKey(world: World, path: string): Record<string, RegistryValue> | undefined {
  return Object.entries(world.registry).find(([key]) => sameName(key, path))?.[1]
}
