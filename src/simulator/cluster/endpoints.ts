// The ready endpoints of the simulated cluster's services, as their EndpointSlices tell them.
import type {ClusterState} from '../world.js'
import {formatAddress, parseCidr} from '../windows/names.js'
import {type KubernetesObject, metadata} from './objects.js'

type Service = ClusterState['services'][number]

/** Where machine.json does not say: the API server itself, and for every other service a pod on another node. */
export function endpointAddresses(cluster: ClusterState, service: Service): readonly string[] {
  if (service.endpoints) return service.endpoints
  if (service.namespace === 'default' && service.name === 'kubernetes') return [new URL(cluster.serverURL).hostname]
  return [formatAddress((parseCidr(cluster.clusterCIDR)?.base ?? 0) + 10 + cluster.services.indexOf(service))]
}

export function endpointSlice(cluster: ClusterState, service: Service): KubernetesObject {
  const {name, namespace} = service
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      ...metadata('EndpointSlice', `${name}-x7k2p`, namespace),
      labels: {'kubernetes.io/service-name': name},
    },
    addressType: 'IPv4',
    endpoints: endpointAddresses(cluster, service).map((address) => ({
      addresses: [address],
      conditions: {ready: true, serving: true, terminating: false},
    })),
    ports: [],
  } as unknown as KubernetesObject
}
