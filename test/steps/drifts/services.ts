// What happens to the services of a node.
import type {ServiceConfig} from '../../../src/machine/win32.js'
import {closeContainerd} from '../../../src/simulator/containerd/lifetime.js'
import type {ServiceEntry, World} from '../../../src/simulator/world.js'
import {type Drift, inWorld} from './drift.js'

const SERVICES = String.raw`HKLM\SYSTEM\CurrentControlSet\Services`

const onService = (name: string, what: string, change: (entry: ServiceEntry, world: World) => void): Drift =>
  inWorld(`${name}: ${what}`, (world) => {
    const entry = world.services[name]
    if (entry) change(entry, world)
  })

const configured = (name: string, what: string, change: (config: ServiceConfig) => Partial<ServiceConfig>): Drift =>
  onService(name, what, (entry) => {
    entry.config = {...entry.config, ...change(entry.config)}
  })

/** It ended, as when a user stops it: nothing starts it again. */
export function halt(entry: ServiceEntry, world: World): void {
  closeContainerd(world, entry, true)
  Object.assign(entry, {processId: 0, stage: '', state: 'stopped'})
  delete entry.process
  delete entry.listening
  delete entry.restartAt
}

export const serviceDrifts = (name: string): readonly Drift[] => [
  onService(name, 'it was stopped', halt),
  configured(name, 'its command line was changed', ({imagePath}) => ({imagePath: `${imagePath} --v=9`})),
  configured(name, 'its program is not quoted', ({imagePath}) => ({imagePath: imagePath.replaceAll('"', '')})),
  configured(name, 'its failure actions are gone', () => ({
    failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
  })),
  configured(name, 'failure actions only after crashes', () => ({failureFlag: false})),
  configured(name, 'review W3: it depends on another service', () => ({dependencies: ['docker']})),
  configured(name, 'it starts on demand', () => ({startType: 'demand'})),
  inWorld(`${name}: its environment is gone`, (world) =>
    Reflect.deleteProperty(world.registry, `${SERVICES}\\${name}`),
  ),
  inWorld(`${name}: its environment was changed`, (world) => {
    const key = world.registry[`${SERVICES}\\${name}`]
    if (key) key['Environment'] = {data: ['NODE_NAME=somebody-else'], type: 'REG_MULTI_SZ'}
  }),
  // Windows deletes a service that runs when it ends (DeleteService).
  onService(name, 'it was deleted', (entry, world) => {
    halt(entry, world)
    Reflect.deleteProperty(world.services, name)
    Reflect.deleteProperty(world.registry, `${SERVICES}\\${name}`)
  }),
]
