// The HNS network that flanneld creates or finds (pkg/backend/vxlan/device_windows.go), by its version.
import type {Stage} from '../model.js'
import {adapterWithAddress} from '../windows/adapters.js'
import {createNetwork, deleteNetwork} from '../windows/hns-networks.js'
import type {HnsError, HnsNetwork} from '../windows/hns-objects.js'
import {isHnsRunning, isOverlay, networkNamed, networksOf, NON_PERSISTENT, shownError} from '../windows/hns-objects.js'
import {formatAddress, parseCidr} from '../windows/names.js'
import type {Version} from './daemon.js'
import {isAtLeast} from '../versions.js'
import type {FlannelConfig} from './flannel-settings.js'

export type EnsuredNetwork =
  | {readonly error: string}
  | {readonly error?: undefined; readonly lines: readonly string[]; readonly network: HnsNetwork}

const refusal = (error: HnsError): string => `hcnCreateNetwork failed in Win32: ${shownError(error)}`

/** Facility 7 with the Win32 code 1062. */
const HNS_STOPPED: HnsError = {code: 0x80070426, text: 'The service has not been started.'}

export function ensureNetwork(
  stage: Stage,
  version: Version,
  config: FlannelConfig,
  podCIDR: string,
  address: string,
): EnsuredNetwork {
  const {world} = stage
  if (!isHnsRunning(world)) return {error: refusal(HNS_STOPPED)}
  // Up to 0.11 a network with this address must exist: the old scripts created `External` for that.
  if (
    !isAtLeast(version.text, '0.12.0') &&
    !networksOf(world).some((one) => isOverlay(one) && one.ManagementIP === address)
  ) {
    return {error: `Cannot find network with Management IP ${address}`}
  }

  const lines: string[] = []
  const known = networkNamed(world, config.name)
  if (known && isOverlay(known) && known.Subnets?.[0]?.AddressPrefix === podCIDR) {
    return {lines: [`Found existing HostComputeNetwork ${config.name}`], network: known}
  }

  if (known) {
    const problem = deleteNetwork(stage, known.ID)
    if (problem) return {error: `failed to delete existing HostComputeNetwork ${config.name}: ${refusal(problem)}`}
    lines.push(`Deleted stale HostComputeNetwork ${config.name}`)
  }

  lines.push(`Attempting to create HostComputeNetwork ${config.name}`)
  const gateway = formatAddress((parseCidr(podCIDR)?.base ?? 0) + 1)
  const isNew = isAtLeast(version.text, '0.12.0')
  const outcome = createNetwork(stage, {
    Name: config.name,
    Policies: isNew ? [{Type: 'HostRoute'}] : [],
    Subnets: [{AddressPrefix: podCIDR, GatewayAddress: gateway, Policies: [{Type: 'VSID', VSID: config.vni}]}],
    Type: 'Overlay',
    ...(isNew && {Flags: NON_PERSISTENT}),
    // Since 0.24.1 the adapter with --iface is named; under a switch that is a vEthernet, which HNS refuses.
    ...adapterName(stage, version, address),
  })
  if (outcome.error) return {error: `failed to create HostComputeNetwork ${config.name}: ${refusal(outcome.error)}`}
  lines.push(`Waiting to get ManagementIP from HostComputeNetwork ${config.name}`)
  lines.push(
    `Waiting to get net interface for HostComputeNetwork ${config.name} (${outcome.network.ManagementIP ?? ''})`,
  )
  return {lines, network: outcome.network}
}

function adapterName(stage: Stage, version: Version, address: string): {NetworkAdapterName?: string} {
  const adapter = isAtLeast(version.text, '0.24.1') ? adapterWithAddress(stage.world, address) : undefined
  return adapter ? {NetworkAdapterName: adapter.name} : {}
}
