// HNS objects and errors: field names as in microsoft/hcsshim internal/hns, codes as in winerror.h (HCN_E_…).
import type {World} from '../world.js'
import {sameName} from './names.js'

export interface HnsSubnet {
  AddressPrefix?: string
  GatewayAddress?: string
  Policies?: Record<string, unknown>[]
}

export interface HnsNetwork {
  /** 8: not persistent, deleted when HNS restarts. */
  Flags?: number
  ID: string
  ManagementIP?: string
  Name: string
  NetworkAdapterName?: string
  Policies?: Record<string, unknown>[]
  SourceMac?: string
  Subnets?: HnsSubnet[]
  Type: string
}

export interface HnsEndpoint {
  GatewayAddress?: string
  ID: string
  IPAddress?: string
  IsRemoteEndpoint?: boolean
  MacAddress?: string
  Name?: string
  Policies?: Record<string, unknown>[]
  PrefixLength?: number
  /** 1 created, 2 attached, 3 shared, 4 detached. */
  State?: number
  VirtualNetwork: string
  VirtualNetworkName?: string
}

export interface HnsPolicyList {
  ID: string
  Policies?: Record<string, unknown>[]
  References?: string[]
}

export interface HnsError {
  readonly code: number
  readonly text: string
}

const error = (code: number, text: string): HnsError => ({code, text})

export const HNS_ERRORS = {
  adapterNotFound: error(0x803b0006, 'An adapter was not found.'),
  endpointNotFound: error(0x803b0002, 'The endpoint was not found.'),
  invalidAddress: error(0x803b001e, 'The IP address is either invalid or not part of any configured subnet(s).'),
  invalidJson: error(0x803b001b, 'Invalid JSON document string.'),
  // HCN_E_ENTITY_HAS_REFERENCES (hcnhresult of the HCN API); 0x803b0018 is HCN_E_SHARED_SWITCH_MODIFICATION.
  networkInUse: error(0x803b002c, 'The entity still has references.'),
  networkNotFound: error(0x803b0001, 'The network was not found.'),
  networkExists: error(0x803b0010, 'A network with this name already exists.'),
  parameter: error(0x80070057, 'The parameter is incorrect.'),
  policyNotFound: error(0x803b0008, 'The policy was not found.'),
  ruleExists: error(0x800700b7, 'Cannot create a file when that file already exists.'),
  unsupported: error(0x803b0015, 'The request is not supported.'),
} as const

/** hcsshim shows the Win32 code in a facility-7 HRESULT (flannel-io/flannel#1966: 0x57), and other HRESULTs as they are. */
export const shownError = ({code, text}: HnsError): string => {
  const shown = (code & 0x1f_ff_00_00) === 0x7_00_00 ? code & 0xff_ff : code
  return `${text} (0x${shown.toString(16)})`
}

export const NON_PERSISTENT = 8

/** Versions that know direct server return: 9.3 to 9.x, and from 10.2 on (docs/facts.md#hns-versions). */
export const knowsDsr = ({hns: {version}}: World): boolean =>
  (version.Major === 9 && version.Minor >= 3) || (version.Major === 10 && version.Minor >= 2) || version.Major > 10

export const isHnsRunning = ({services}: World): boolean => (services['hns']?.state ?? 'running') === 'running'

export const networksOf = (world: World): HnsNetwork[] => world.hns.networks as unknown as HnsNetwork[]
export const endpointsOf = (world: World): HnsEndpoint[] => world.hns.endpoints as unknown as HnsEndpoint[]
export const policyListsOf = (world: World): HnsPolicyList[] => world.hns.policyLists as unknown as HnsPolicyList[]

export const networkNamed = (world: World, name: string): HnsNetwork | undefined =>
  networksOf(world).find((network) => sameName(network.Name, name))

/** The same HNS reports types as "overlay" and "Overlay" (docs/facts.md#hns). */
export const isOverlay = (network: HnsNetwork): boolean => sameName(network.Type, 'overlay')
export const isOnAdapter = (network: HnsNetwork): boolean =>
  ['l2bridge', 'l2tunnel', 'overlay', 'transparent'].includes(network.Type.toLowerCase())
