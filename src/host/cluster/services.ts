// Services of the cluster, as kube-proxy sees them: it may list them and their EndpointSlices, and get neither by name
// (ClusterRole system:node-proxier).
import {parseAddress} from '../../config/cidr.js'
import {at, listAt, textAt} from '../document.js'

export interface ClusterService {
  /** IPv4 only; the empty text where it has none. */
  readonly clusterIP: string
  readonly name: string
  readonly namespace: string
  readonly ports: readonly number[]
}

export interface ClusterServices {
  /** False also where the API server knows no EndpointSlices (before 1.21). */
  hasReadyEndpoints(service: ClusterService): Promise<boolean>
  /** Those of a namespace; of a large one, some. */
  services(namespace: string, name?: string): Promise<readonly ClusterService[]>
}

const ENOUGH = 500

export function openServices(get: (path: string) => Promise<object | undefined>): ClusterServices {
  return {
    async hasReadyEndpoints({name, namespace}) {
      const selector = `labelSelector=${encodeURIComponent(`kubernetes.io/service-name=${name}`)}`
      const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?${selector}&limit=${ENOUGH}`
      const endpoints = listAt(await get(path), 'items').flatMap((slice) => listAt(slice, 'endpoints'))
      // What is not said counts as ready (discovery/v1, EndpointConditions).
      return endpoints.some((endpoint) => at(endpoint, 'conditions', 'ready') !== false)
    },
    async services(namespace, name) {
      const selector = name === undefined ? '' : `&fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`
      const list = await get(`/api/v1/namespaces/${namespace}/services?limit=${ENOUGH}${selector}`)
      return listAt(list, 'items').map((item) => ({
        clusterIP: addressOf(item),
        name: textAt(item, 'metadata', 'name'),
        namespace,
        ports: portsOf(item),
      }))
    },
  }
}

const portsOf = (service: unknown): readonly number[] =>
  listAt(service, 'spec', 'ports')
    .map((port) => at(port, 'port'))
    .filter((port) => typeof port === 'number')

/** A cluster with two families may have its IPv6 address first. */
function addressOf(service: unknown): string {
  const all = [textAt(service, 'spec', 'clusterIP'), ...listAt(service, 'spec', 'clusterIPs')]
  return all.filter((one) => typeof one === 'string').find((one) => parseAddress(one) !== undefined) ?? ''
}
