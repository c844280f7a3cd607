// The cluster, asked through the Kubernetes API with the one HTTP client and a kubeconfig's identity.
import {parseAddress} from '../config/cidr.js'
import {clusterAnswer, clusterForbids, clusterRefused, execPluginFailed} from '../errors/host.js'
import type {Http, HttpResponse} from '../machine/http.js'
import type {Run} from '../machine/run.js'
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

interface NodeDocument {
  readonly metadata: {readonly name: string}
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

const DEADLINE_MS = 15_000

export function openCluster(http: Http, run: Run, kubeconfig: Kubeconfig): Cluster {
  const request = async (method: 'DELETE' | 'GET', path: string): Promise<HttpResponse> => {
    const token = kubeconfig.token ?? (await tokenOfPlugin(run, kubeconfig))
    const response = await http.request({
      deadlineMs: DEADLINE_MS,
      effect: method === 'GET' ? 'read' : 'change',
      headers: {accept: 'application/json', ...(token === undefined ? {} : {authorization: `Bearer ${token}`})},
      method,
      tls: kubeconfig.tls,
      url: `${kubeconfig.server}${path}`,
    })
    const what = `${method} ${path}`
    if (response.status === 401) throw clusterRefused({server: kubeconfig.server})
    if (response.status === 403) throw clusterForbids({request: what, said: messageOf(response)})
    if (response.status >= 300 && response.status !== 404) {
      throw clusterAnswer({
        reason: `It answered ${response.status} to ${what}: ${messageOf(response)}`,
        server: kubeconfig.server,
      })
    }

    return response
  }

  const get = async <T>(path: string): Promise<T | undefined> => {
    const response = await request('GET', path)
    if (response.status === 404) return undefined
    try {
      return JSON.parse(response.body.toString('utf8')) as T
    } catch (error) {
      throw clusterAnswer({reason: `It answered GET ${path} with no JSON.`, server: kubeconfig.server}, {cause: error})
    }
  }

  return {
    async deleteNode(name) {
      await request('DELETE', `/api/v1/nodes/${name}`)
    },
    async dnsAddress() {
      const answer = await get<{items: {metadata: {name: string}; spec: {clusterIP: string}}[]}>(
        '/api/v1/namespaces/kube-system/services',
      )
      // kube-dns is the name also of CoreDNS' service; others call it after themselves.
      const services = (answer?.items ?? []).filter((item) => parseAddress(item.spec.clusterIP) !== undefined)
      const dns =
        services.find((item) => item.metadata.name === 'kube-dns') ??
        services.find((item) => /dns/.test(item.metadata.name))
      return dns?.spec.clusterIP
    },
    async node(name) {
      const node = await get<NodeDocument>(`/api/v1/nodes/${name}`)
      return node && readNode(node)
    },
    server: kubeconfig.server,
    async version() {
      return (await get<{gitVersion: string}>('/version'))?.gitVersion ?? 'unknown'
    },
  }
}

function readNode(node: NodeDocument): ClusterNode {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready')
  return {
    addresses: (node.status?.addresses ?? [])
      .filter((entry) => entry.type === 'InternalIP')
      .map((entry) => entry.address),
    name: node.metadata.name,
    podCIDR: node.spec?.podCIDR ?? '',
    ready: ready?.status === 'True',
    readyMessage: ready?.message ?? ready?.reason ?? 'the kubelet has not said anything yet',
  }
}

/** As kubectl does: the plugin prints an ExecCredential. It is not searched for on PATH, where anybody could put one. */
async function tokenOfPlugin(run: Run, kubeconfig: Kubeconfig): Promise<string | undefined> {
  if (!kubeconfig.exec) return undefined
  const {args, command, env} = kubeconfig.exec
  if (!/^[a-z]:[/\\].+\.exe$/i.test(command)) {
    throw execPluginFailed({command, reason: 'It is not the whole path of an .exe.'})
  }

  const result = await run(command, args, {deadlineMs: DEADLINE_MS, effect: 'read', env})
  if (result.exitCode !== 0) throw execPluginFailed({command, reason: `It ended with ${result.exitCode}.`})
  try {
    return (JSON.parse(result.stdout) as {status?: {token?: string}}).status?.token
  } catch (error) {
    throw execPluginFailed({command, reason: 'It printed no ExecCredential.'}, {cause: error})
  }
}

function messageOf(response: HttpResponse): string {
  try {
    return (JSON.parse(response.body.toString('utf8')) as {message?: string}).message ?? ''
  } catch {
    return ''
  }
}
