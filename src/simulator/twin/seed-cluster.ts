// The cluster of a twin at its start: this host's node and the services.
import type {HttpResponse} from '../../machine/http.js'
import {ofOthers} from '../cluster/node-conditions.js'
import type {NodeCondition} from '../cluster/state.js'
import type {ClusterNode, ClusterState} from '../world.js'

export type AskCluster = (path: string) => Promise<HttpResponse>

interface NodeDocument {
  readonly metadata?: {readonly annotations?: Record<string, string>; readonly labels?: Record<string, string>}
  readonly spec?: {readonly podCIDR?: string; readonly taints?: ClusterNode['taints']}
  readonly status?: {
    readonly addresses?: ClusterNode['addresses']
    readonly conditions?: readonly NodeCondition[]
    readonly nodeInfo?: {readonly kubeletVersion?: string; readonly machineID?: string}
  }
}

interface ServiceList {
  readonly items?: readonly {
    readonly metadata?: {readonly name?: string; readonly namespace?: string}
    readonly spec?: {readonly clusterIP?: string}
  }[]
}

export interface ClusterSeed {
  readonly ask: AskCluster
  /** Services that are assumed if this identity may not list them. */
  readonly assumedServices: ClusterState['services']
  readonly clusterCIDR: string
  /** A cluster that does not answer is not an error: the twin's does not answer, either. */
  readonly mayBeSilent?: true
  readonly nodeName: string
  readonly serverURL: string
}

export async function seedCluster(seed: ClusterSeed): Promise<ClusterState> {
  const {ask, assumedServices, clusterCIDR, nodeName, serverURL} = seed
  const get = async <T>(path: string): Promise<T | undefined> => {
    const {body, status} = await ask(path)
    return status === 200 ? (JSON.parse(body.toString('utf8')) as T) : undefined
  }

  const silent = {} as const
  const asked = get<NodeDocument>(`/api/v1/nodes/${nodeName}`)
  const node = await (seed.mayBeSilent ? asked.catch(() => silent) : asked)
  const begin = {allocateNodeCIDRs: true, clusterCIDR, configMaps: [], elsewhere: true, permissions: ['*'], serverURL}
  if (node === silent) return {...begin, nodes: [], reachable: false, services: assumedServices, version: ''}
  // Nodes may list services; if this one may not, kube-proxy has an identity that may.
  const services = await get<ServiceList>('/api/v1/services').catch(() => undefined)
  return {
    ...begin,
    nodes: node ? [readNode(nodeName, node)] : [],
    reachable: true,
    services: services ? readServices(services) : assumedServices,
    version: (await get<{gitVersion?: string}>('/version'))?.gitVersion ?? '',
  }
}

const readServices = ({items = []}: ServiceList): ClusterState['services'] =>
  items.flatMap(({metadata, spec}) =>
    spec?.clusterIP && spec.clusterIP !== 'None'
      ? [{clusterIP: spec.clusterIP, name: metadata?.name ?? '', namespace: metadata?.namespace ?? ''}]
      : [],
  )

function readNode(name: string, {metadata, spec, status}: NodeDocument): ClusterNode {
  const ready = status?.conditions?.find(({type}) => type === 'Ready')
  const {kubeletVersion, machineID} = status?.nodeInfo ?? {}
  const others = ofOthers(status?.conditions ?? [])
  return {
    addresses: status?.addresses ?? [],
    annotations: metadata?.annotations ?? {},
    ...(others.length > 0 && {conditions: others}),
    ...(kubeletVersion && {kubeletVersion}),
    labels: metadata?.labels ?? {},
    ...(machineID && {machineID}),
    name,
    podCIDR: spec?.podCIDR ?? '',
    ready: ready?.status === 'True',
    ...(ready?.message && {readyMessage: ready.message}),
    readyReason: ready?.reason ?? '',
    taints: spec?.taints ?? [],
  }
}
