// The Windows feature Containers: its library and services are there only after the restart that follows its installation
// (the assumption containers-pending).
import {makeServices} from '../profiles/services.js'
import type {World} from '../world.js'

const SERVICES = ['hns', 'vmcompute'] as const
/** Exists while an installation waits for a restart. */
export const SERVICING_PENDING = String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending`

export const hasContainers = ({os}: World): boolean => (os.features?.containers ?? true) === true

/** vmcompute.dll comes with Containers and with Hyper-V. */
export const hasComputeLibrary = (world: World): boolean => hasContainers(world) || world.os.features?.hyperV === true

/** A Windows Server as it is installed: enabling the feature needs a restart. */
export function removeContainers({os, services}: World): void {
  os.features = {containers: false}
  for (const name of SERVICES) delete services[name]
}

/** Makes it available at once. */
export function installContainers(world: World): void {
  world.os.features = {...world.os.features, containers: true}
  const fresh = makeServices(world.os.time, false)
  for (const name of SERVICES) {
    const entry = fresh[name]
    if (entry) world.services[name] ??= entry
  }
}

export function pendContainers(world: World): void {
  world.os.features = {...world.os.features, containers: 'pending'}
  world.registry[SERVICING_PENDING] ??= {}
}
