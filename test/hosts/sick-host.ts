// What makes a simulated host unhealthy, and what a check must then say.
import type {CheckId} from '../../src/config/check-ids.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {World} from '../../src/simulator/world.js'

export interface Sick {
  readonly check: CheckId
  /** Of the problem; a warning has none. */
  readonly error?: string
  readonly fix: RegExp
  readonly given?: GivenOptions
  readonly name: string
  readonly says: RegExp
  readonly sicken?: (world: World) => void
}

export const GIB = 2 ** 30
export const POLICY = String.raw`HKLM\SOFTWARE\Policies\Microsoft\WindowsFirewall`
export const dword = (data: number) => ({data, type: 'REG_DWORD'}) as const
export const text = (data: string) => ({data, type: 'REG_SZ'}) as const

export function ethernet(world: World, part: Partial<World['adapters'][number]>): void {
  world.adapters = world.adapters.map((one) => (one.name === 'Ethernet0' ? {...one, ...part} : one))
}

export function registry(world: World, key: string, values: World['registry'][string]): void {
  world.registry[key] = {...world.registry[key], ...values}
}

export function service(
  world: World,
  name: string,
  state: 'running' | 'stopped',
  startType: 'automatic' | 'demand' | 'disabled',
): void {
  const known = world.services[name] ?? structuredClone(world.services['rpcss'])
  if (!known) throw new Error('no service to copy')
  world.services[name] = {...known, config: {...known.config, startType}, name, state}
}

export function hardware(world: World, manufacturer: string, product: string): void {
  registry(world, String.raw`HKLM\HARDWARE\DESCRIPTION\System\BIOS`, {
    SystemManufacturer: text(manufacturer),
    SystemProductName: text(product),
  })
}

export function hnsNetwork(world: World, name: string, type: string, adapter?: string): void {
  world.hns.networks.push({
    ID: 'AAAAAAAA-0000-4000-8000-000000000001',
    Name: name,
    Type: type,
    ...(adapter === undefined ? {} : {NetworkAdapterName: adapter}),
  })
}

export function drive(world: World, letter: string, part: Partial<NonNullable<World['os']['drives']>[string]>): void {
  const whole = {fileSystem: 'NTFS', freeBytes: 96 * GIB, kind: 'fixed', totalBytes: 127 * GIB} as const
  world.os.drives = {'C:': whole, ...world.os.drives, [letter]: {...whole, ...part}}
}
