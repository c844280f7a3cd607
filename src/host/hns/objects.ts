// The HNS objects that k8s-win relies on (docs/facts.md#hns). Other programs may create anything, so each is validated.
// null is as good as absent.
import {type Guard, isAbsent, isNumber, isRecord, isText, listOf, optional, shaped} from '../../config/shape.js'

export interface HnsSubnet {
  readonly AddressPrefix: string
  readonly GatewayAddress: string
  readonly Policies?: readonly {readonly Type: string; readonly VSID?: number}[]
}

export interface HnsNetwork {
  readonly Flags?: number
  readonly ID: string
  readonly ManagementIP?: string
  readonly Name: string
  readonly NetworkAdapterName?: string
  readonly Subnets?: readonly HnsSubnet[]
  /** Overlay, L2Bridge, NAT, …; compare without case. */
  readonly Type: string
}

export interface HnsEndpoint {
  readonly ID: string
  readonly IPAddress?: null | string
  /** Stands for a pod on another node. */
  readonly IsRemoteEndpoint?: boolean
  readonly Name?: string
  /** 1 created, 2 attached, 3 shared, 4 detached, 5 degraded, 6 destroyed (docs/facts.md#hns). */
  readonly State?: null | number
  /** The network's ID. */
  readonly VirtualNetwork?: null | string
}

export interface HnsPolicyList {
  readonly ID: string
  /** A load balancer has one of type ELB, with the addresses it balances (hcsshim internal/hns, ELBPolicy). */
  readonly Policies?: null | readonly HnsPolicy[]
  /** "/endpoints/<id>" */
  readonly References?: null | readonly string[]
}

/** What "Get-HnsPolicyList" shows of kube-proxy's (projectcalico/calico#8465); kube-proxy makes one for each port of a Service. */
export interface HnsPolicy {
  /** The Service's port; the pods' own is InternalPort. */
  readonly ExternalPort?: unknown
  /** 6 for TCP, 17 for UDP. */
  readonly Protocol?: unknown
  readonly Type?: null | string
  readonly VIPs?: null | readonly string[]
}

export interface HnsVersion {
  readonly Major: number
  readonly Minor: number
}

/** One and the same HNS gives an ID in capitals and refers to it in small letters (projectcalico/calico#8465). */
export const sameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export interface Balanced {
  readonly address: string
  readonly ports: readonly number[]
}

/**
 * What a field counts as that HNS left out of an object: with true an object has what it may have, with false only what HNS
 * reported. Nothing differs where only the second is wrong.
 */
export type Unreported = boolean

const holds = <T>(value: T | null | undefined, unreported: Unreported, is: (value: T) => boolean): boolean =>
  isAbsent(value) ? unreported : is(value)

export const isOn = ({VirtualNetwork}: HnsEndpoint, network: HnsNetwork, unreported: Unreported): boolean =>
  holds(VirtualNetwork, unreported, (id) => sameId(id, network.ID))

export const hasAddress = ({IPAddress}: HnsEndpoint, address: string, unreported: Unreported): boolean =>
  holds(IPAddress, unreported, (its) => its === address)

/** Whether the policy is a load balancer of this address and one of these ports. */
export const isBalancerOf = (
  {ExternalPort, Type, VIPs}: HnsPolicy,
  {address, ports}: Balanced,
  unreported: Unreported,
): boolean =>
  holds(Type, unreported, (type) => type.toUpperCase() === 'ELB') &&
  holds(ExternalPort, unreported, (external) => ports.some((port) => port === external)) &&
  holds(VIPs, unreported, (addresses) => addresses.includes(address))

export const hasPolicy = (
  {Policies}: HnsPolicyList,
  unreported: Unreported,
  is: (policy: HnsPolicy) => boolean,
): boolean => holds(Policies, unreported, (policies) => policies.some(is))

/** The ID of an endpoint that a policy list refers to. */
export const referredId = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/**
 * Whether one of the lists balances this: the address and one of the ports, to at least one of the endpoints. kube-proxy makes
 * none without endpoints, and makes all of these on the node's network (winkernel/proxier.go), so one without any is not its own,
 * or is left of a network that is gone. Whatever its SourceVIP: that of "kubernetes" is the node's own address.
 */
export function isBalanced(
  balanced: Balanced,
  lists: readonly HnsPolicyList[],
  among: readonly HnsEndpoint[],
  unreported: Unreported,
): boolean {
  const isThere = (reference: string): boolean => among.some(({ID}) => sameId(referredId(reference), ID))
  return lists.some(
    (list) =>
      hasPolicy(list, unreported, (policy) => isBalancerOf(policy, balanced, unreported)) &&
      holds(list.References, unreported, (references) => references.some(isThere)),
  )
}

/** Makes a value of an answer's Output; undefined where that is not what was asked for. */
export type ReadOutput<T> = (output: unknown) => T | undefined

/** An ID goes into the path of the next request, and without one that names all of its kind. */
const isId: Guard<string> = (value): value is string => isText(value) && value !== ''

const isSubnet = shaped({AddressPrefix: optional(isText), Policies: optional(listOf(isRecord))})
const isPolicy = shaped({Type: optional(isText), VIPs: optional(listOf(isText))})

export const isNetwork = shaped<HnsNetwork>({
  Flags: optional(isNumber),
  ID: isId,
  Name: optional(isText),
  Subnets: optional(listOf(isSubnet)),
  Type: isText,
})

export const isEndpoint = shaped<HnsEndpoint>({
  ID: isId,
  IPAddress: optional(isText),
  VirtualNetwork: optional(isText),
})

export const isPolicyList = shaped<HnsPolicyList>({
  ID: isId,
  Policies: optional(listOf(isPolicy)),
  References: optional(listOf(isText)),
})

/** A list of things of one shape. An empty one comes without Output, or with an empty one (docs/facts.md#hns). */
export function readList<T>(isEntry: Guard<T>): ReadOutput<readonly T[]> {
  return (output) => {
    if (isAbsent(output) || output === '') return []
    return listOf(isEntry)(output) ? output : undefined
  }
}

/** How many: a list, or an object that has the list (both are seen in the field). */
export const readPortPools: ReadOutput<number> = (output) => {
  const list = isRecord(output) ? (output['PortPoolAllocations'] ?? []) : output
  return readList(isRecord)(list)?.length
}

export const readVersion: ReadOutput<HnsVersion> = (output) =>
  isRecord(output) && Number.isInteger(output['Major']) && Number.isInteger(output['Minor'])
    ? (output as unknown as HnsVersion)
    : undefined
