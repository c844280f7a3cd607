// What Windows itself says of a lab node, as look.ts reports it.
import type {Adapter, RegistryValue, ServiceConfig, ServiceStatus} from '../../../src/machine/win32.js'

export interface ServiceView {
  readonly config: ServiceConfig
  /** All values of its key in the registry. */
  readonly key: Readonly<Record<string, RegistryValue>>
  readonly status: ServiceStatus
}

export interface LabNodeView {
  readonly adapters: readonly Adapter[]
  readonly environment: Readonly<Record<string, RegistryValue>>
  readonly firewall: Readonly<Record<string, RegistryValue>>
  /** PendingFileRenameOperations: each path with its new one, which is empty where the file is deleted. */
  readonly pendingRenames: RegistryValue['data'] | undefined
  /** Ours, Docker and HNS, by name; those that are there. */
  readonly services: Readonly<Record<string, ServiceView>>
}
