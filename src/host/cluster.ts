// The cluster, asked through the Kubernetes API with the one HTTP client and a kubeconfig's identity.
import {parseAddress} from '../config/cidr.js'
import {clusterAnswer} from '../errors/cluster.js'
import {withoutCredentials} from '../machine/credentials.js'
import type {Machine} from '../machine/machine.js'
import {openRequests} from './cluster-request.js'
import type {Kubeconfig} from './kubeconfig.js'

export interface ClusterNode {
  readonly addresses: readonly string[]
  readonly name: string
  readonly podCIDR: string
  readonly ready: boolean
  /** Why it is not Ready, in the kubelet's words. */
  readonly readyMessage: string
}

export interface Cluster {
  deleteNode(name: string): Promise<void>
  /** The cluster's DNS service, or undefined where it has none by a usual name. */
  dnsAddress(): Promise<string | undefined>
  /** Undefined where there is no such node. */
  node(name: string): Promise<ClusterNode | undefined>
  readonly server: string
  /** "v1.21.5" */
  version(): Promise<string>
}

interface ServiceList {
  readonly items?: readonly {
    readonly metadata?: {readonly name?: string}
    readonly spec?: {readonly clusterIP?: string}
  }[]
}

interface NodeDocument {
  readonly spec?: {readonly podCIDR?: string}
  readonly status?: {
    readonly addresses?: readonly {readonly address: string; readonly type: string}[]
    readonly conditions?: readonly {
      readonly message?: string
      readonly reason?: string
      readonly status: string
      readonly type: string
    }[]
  }
}

export function openCluster(machine: Pick<Machine, 'clock' | 'http' | 'run'>, kubeconfig: Kubeconfig): Cluster {
  const server = withoutCredentials(kubeconfig.server)
  const ask = openRequests(machine, kubeconfig)
  const get = async <T extends object>(path: string): Promise<T | undefined> => {
    const response = await ask('GET', path)
    if (response.status === 404) return undefined
    const answer = parsed(response.body)
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as T
    throw clusterAnswer({reason: `It answered GET ${path} with no JSON object.`, server})
  }

  return {
    async deleteNode(name) {
      await ask('DELETE', `/api/v1/nodes/${name}`)
    },
    async dnsAddress() {
      const answer = await get<ServiceList>('/api/v1/namespaces/kube-system/services')
      // kube-dns is the name also of CoreDNS' service; others call it after themselves.
      const services = (answer?.items ?? []).filter((item) => parseAddress(item.spec?.clusterIP ?? '') !== undefined)
      const dns =
        services.find((item) => item.metadata?.name === 'kube-dns') ??
        services.find((item) => /dns/.test(item.metadata?.name ?? ''))
      return dns?.spec?.clusterIP
    },
    async node(name) {
      const node = await get<NodeDocument>(`/api/v1/nodes/${name}`)
      return node && readNode(name, node)
    },
    server,
    async version() {
      return (await get<{gitVersion: string}>('/version'))?.gitVersion ?? 'unknown'
    },
  }
}

function readNode(name: string, node: NodeDocument): ClusterNode {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready')
  return {
    addresses: (node.status?.addresses ?? [])
      .filter((entry) => entry.type === 'InternalIP')
      .map((entry) => entry.address),
    name,
    podCIDR: node.spec?.podCIDR ?? '',
    ready: ready?.status === 'True',
    readyMessage: ready?.message || ready?.reason || 'the kubelet has not said anything yet',
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
