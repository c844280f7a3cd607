// The world of a twin at its start. Services, registry keys and files are read on demand.
import type {Machine} from '../../machine/machine.js'
import {systemRoot} from '../../machine/system-program.js'
import type {RegistryValue} from '../../machine/win32.js'
import type {ClusterState, World} from '../world.js'
import {seedDocker} from './seed-docker.js'
import {seedFeatures, seedHns, seedOs, seedPodCIDR, seedSwitch} from './seed-windows.js'

const ENVIRONMENT_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

export async function seedWorld(host: Machine, dockerPipe: string, cluster: ClusterState): Promise<World> {
  const {clock, http, win32} = host
  const [os, features, adapters, routes, hns, docker, stored, root] = await Promise.all([
    seedOs(win32, clock.now()),
    seedFeatures(win32),
    win32.adapters(),
    win32.routes(),
    seedHns(win32),
    seedDocker(http, dockerPipe),
    win32.registryValues('HKLM', ENVIRONMENT_KEY),
    systemRoot(win32),
  ])
  const vswitch = seedSwitch({adapters, hns})
  const podCIDRHint = await seedPodCIDR(hns, host.files, cluster.clusterCIDR)
  return {
    $schema: '',
    adapters,
    cluster: {...cluster, ...(podCIDRHint !== undefined && {podCIDRHint})},
    docker,
    downloads: {},
    environment: environmentOf(stored, os.computerName, root),
    firewall: {},
    hns,
    os: {...os, ...features, ...(vswitch && {vswitch})},
    registry: {},
    routes,
    security: {},
    services: {},
  }
}

/** As a new process has it; Windows sets the first three itself. */
function environmentOf(
  stored: Readonly<Record<string, RegistryValue>>,
  computerName: string,
  root: string,
): Record<string, string> {
  const variables = Object.entries(stored).map(
    ([name, {data}]) => [name, String(data).replace(/%SystemRoot%/gi, root)] as const,
  )
  return {COMPUTERNAME: computerName, SystemDrive: root.slice(0, 2), SystemRoot: root, ...Object.fromEntries(variables)}
}
