// The ports of Services and the addresses behind them, as kube-proxy lists them (kubernetes: pkg/proxy/endpointslicecache.go).
import {parseAddress} from '../../config/cidr.js'
import {at, listAt, textAt} from '../document.js'
import type {ListAll} from './cluster.js'
import {serviceAddressOf} from './objects.js'

export interface ServicePort {
  /** IPv4. */
  readonly clusterIP: string
  /** Traffic from this node goes to pods of this node only (internalTrafficPolicy). */
  readonly isLocalOnly: boolean
  readonly name: string
  readonly namespace: string
  readonly port: number
  /** Slices refer to it; '' where the Service has only one. */
  readonly portName: string
  /** TCP, UDP, SCTP. */
  readonly protocol: string
}

export interface ServiceEndpoint {
  /** IPv4. */
  readonly address: string
  readonly isReady: boolean
  /** Where its pod runs; '' where that is not said. */
  readonly node: string
  /** The pod; '' where it is something else. */
  readonly pod: string
}

/** Some of the endpoints of a Service. */
export interface EndpointSlice {
  /** When it was last written, in milliseconds since 1970; 0 where the API server does not say. */
  readonly changedAt: number
  readonly endpoints: readonly ServiceEndpoint[]
  readonly namespace: string
  readonly ports: readonly {readonly name: string; readonly port: number; readonly protocol: string}[]
  readonly service: string
}

export interface ClusterEndpoints {
  /** All of IPv4, or those of a namespace. */
  endpointSlices(namespace?: string): Promise<readonly EndpointSlice[]>
  /** All ports of all Services that kube-proxy proxies, or of those of a namespace. */
  servicePorts(namespace?: string): Promise<readonly ServicePort[]>
}

/** Of a Service with this label another proxy takes care (pkg/proxy/apis, LabelServiceProxyName). */
const OTHER_PROXY = 'service.kubernetes.io/service-proxy-name'

export function openEndpoints(listAll: ListAll): ClusterEndpoints {
  return {
    async endpointSlices(namespace) {
      const path = `/apis/discovery.k8s.io/v1${folderOf(namespace)}/endpointslices`
      return (await listAll(path, readSlice)).flatMap((slice) => slice ?? [])
    },
    async servicePorts(namespace) {
      return (await listAll(`/api/v1${folderOf(namespace)}/services`, readPorts)).flat()
    },
  }
}

const folderOf = (namespace: string | undefined): string => (namespace === undefined ? '' : `/namespaces/${namespace}`)

function readPorts(service: unknown): ServicePort[] {
  const clusterIP = serviceAddressOf(service)
  if (clusterIP === undefined || at(service, 'metadata', 'labels', OTHER_PROXY) !== undefined) return []
  return listAt(service, 'spec', 'ports').flatMap((port) => {
    const number = at(port, 'port')
    if (typeof number !== 'number') return []
    return [
      {
        clusterIP,
        isLocalOnly: textAt(service, 'spec', 'internalTrafficPolicy') === 'Local',
        name: textAt(service, 'metadata', 'name'),
        namespace: textAt(service, 'metadata', 'namespace'),
        port: number,
        portName: textAt(port, 'name'),
        protocol: textAt(port, 'protocol') || 'TCP',
      },
    ]
  })
}

function readSlice(slice: unknown): EndpointSlice | undefined {
  const service = textAt(slice, 'metadata', 'labels', 'kubernetes.io/service-name')
  if (service === '' || textAt(slice, 'addressType') !== 'IPv4') return undefined
  const times = listAt(slice, 'metadata', 'managedFields').map((field) => Date.parse(textAt(field, 'time')))
  return {
    changedAt: Math.max(0, ...times.filter((time) => !Number.isNaN(time))),
    endpoints: listAt(slice, 'endpoints').flatMap(readEndpoint),
    namespace: textAt(slice, 'metadata', 'namespace'),
    ports: listAt(slice, 'ports').map((port) => ({
      name: textAt(port, 'name'),
      port: Number(at(port, 'port')),
      protocol: textAt(port, 'protocol') || 'TCP',
    })),
    service,
  }
}

function readEndpoint(endpoint: unknown): ServiceEndpoint[] {
  // All addresses of one endpoint are the same pod's; kube-proxy uses the first.
  const [address] = listAt(endpoint, 'addresses')
  if (typeof address !== 'string' || parseAddress(address) === undefined) return []
  return [
    {
      address,
      // What is not said counts as true (discovery/v1, EndpointConditions). With publishNotReadyAddresses a pod counts as
      // ready before it serves, and kube-proxy leaves it out (pkg/proxy/winkernel/proxier.go).
      isReady: ['ready', 'serving'].every((condition) => at(endpoint, 'conditions', condition) !== false),
      node: textAt(endpoint, 'nodeName'),
      pod: textAt(endpoint, 'targetRef', 'kind') === 'Pod' ? textAt(endpoint, 'targetRef', 'name') : '',
    },
  ]
}
