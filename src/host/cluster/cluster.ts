// The cluster, asked through the Kubernetes API with the one HTTP client and a kubeconfig's identity.
import {clusterAnswer} from '../../errors/cluster.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {withoutCredentials} from '../../machine/credentials.js'
import type {Machine} from '../../machine/machine.js'
import {at, listAt, parseJson, textAt, textsAt} from '../document.js'
import {type ClusterTokens, openBootstrapTokens} from './bootstrap-tokens.js'
import {type ClusterCertificateRequests, openCertificateRequests} from './certificate-requests.js'
import {type ClusterEndpoints, openEndpoints} from './endpoints.js'
import type {Kubeconfig} from './kubeconfig.js'
import {
  type ClusterNode,
  type DaemonSet,
  type NodeMetadata,
  readDaemonSet,
  readNode,
  readNodeMetadata,
  serviceAddressOf,
} from './objects.js'
import {type ClusterNodeConditions, openNodeConditions} from './node-condition.js'
import {type ClusterPodRuns, openPodRuns} from './pod-runs.js'
import {type ClusterPods, openPods} from './pods.js'
import {type AskOptions, openRequests} from './request.js'

export type {ClusterNode} from './objects.js'

/** Something that can be allowed or not. */
export interface Access {
  /** Of a list; API servers before 1.31 ignore it. */
  readonly fieldSelector?: {
    readonly requirements: readonly {
      readonly key: string
      readonly operator: 'In'
      readonly values: readonly [string]
    }[]
  }
  /** '' for the core group. */
  readonly group: string
  readonly name?: string
  readonly namespace?: string
  readonly resource: string
  readonly subresource?: string
  readonly verb: string
}

export interface ServerReport {
  /** How far this host's clock is ahead of the API server's; undefined if that does not report its time. */
  readonly clockAheadMs: number | undefined
  /** "v1.21.5" */
  readonly version: string
}

export interface Cluster
  extends
    ClusterCertificateRequests,
    ClusterEndpoints,
    ClusterNodeConditions,
    ClusterPodRuns,
    ClusterPods,
    ClusterServices,
    ClusterTokens {
  /** Allowed without credentials, so it shows whether the server responds at all. */
  about(): Promise<ServerReport>
  /** The texts in it. Undefined where there is no such thing. */
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>
  daemonSets(): Promise<readonly DaemonSet[]>
  deleteNode(name: string): Promise<void>
  /** The cluster's DNS service, or undefined where it has none by a usual name. */
  dnsAddress(): Promise<string | undefined>
  /** Asks whether this identity may; nothing is made by it. */
  may(access: Access): Promise<boolean>
  /** A 403 that may be transient: it is reported if there is no time to ask again. */
  doubt(): K8sWinError | undefined
  /** Whether a list of Nodes with this name has it. */
  listsNode(name: string): Promise<boolean>
  /** Undefined where there is no such node. */
  node(name: string): Promise<ClusterNode | undefined>
  /** Of the first FEW_NODES of them: a third of their bytes, for what is read often. */
  nodeMetadata(): Promise<readonly NodeMetadata[]>
  /** The first FEW_NODES of them. */
  nodes(): Promise<readonly ClusterNode[]>
  readonly server: string
  /** Empty also where the API server knows no ServiceCIDRs: they came with 1.33, and as v1beta1 with 1.31. */
  serviceCIDRs(): Promise<readonly {readonly cidrs: readonly string[]; readonly name: string}[]>
  /** Undefined where there is no such service, or it has no address. */
  serviceAddress(namespace: string, name: string): Promise<string | undefined>
}

/** Enough to judge by; a large cluster has lists of many megabytes. Messages about them say that they are the first. */
export const FEW_NODES = 100
const DNS_PORT = 53
export const REVIEW = {apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview'}

export function openCluster(machine: Pick<Machine, 'clock' | 'http' | 'run'>, kubeconfig: Kubeconfig): Cluster {
  const server = withoutCredentials(kubeconfig.server)
  let doubt: K8sWinError | undefined
  const ask = openRequests(machine, kubeconfig, (now) => (doubt = now))
  const documentOf = (what: string, body: Buffer): object => {
    const answer = parseJson(body.toString('utf8'))
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer
    throw clusterAnswer({reason: `It returned no JSON object for ${what}.`, server})
  }

  const get = async (path: string, options?: AskOptions): Promise<object | undefined> => {
    const response = await ask('GET', path, undefined, options)
    return response.status === 404 ? undefined : documentOf(`GET ${path}`, response.body)
  }

  const page = async (path: string, options?: AskOptions): Promise<Page> => {
    const response = await ask('GET', path, undefined, {answers: [410], ...options})
    if (response.status === 410) return 'expired'
    return response.status === 404 ? undefined : documentOf(`GET ${path}`, response.body)
  }

  const listAll = openLists(page, server)
  const listIfAllowed = openLists((path) => page(path, {isOptional: true}), server)
  return {
    ...openBootstrapTokens(ask, listAll, server),
    ...openCertificateRequests(get, listAll),
    ...openEndpoints(listAll),
    ...openNodeConditions(ask, documentOf),
    ...openPodRuns(ask, get),
    ...openPods(ask, get, listAll),
    ...openServices(get, server),
    async about() {
      const {at: heardAt = machine.clock.now(), body, headers} = await ask('GET', '/version')
      const serverTime = Date.parse(headers['date'] ?? '')
      // It has whole seconds, truncated.
      const ahead = Math.round(heardAt - (serverTime + 500))
      return {
        clockAheadMs: Number.isNaN(serverTime) ? undefined : ahead,
        version: versionIn(documentOf('GET /version', body)),
      }
    },
    async configMap(namespace, name) {
      const found = await get(`/api/v1/namespaces/${namespace}/configmaps/${name}`)
      return found && textsAt(found, 'data')
    },
    async daemonSets() {
      return listIfAllowed('/apis/apps/v1/daemonsets', readDaemonSet)
    },
    async deleteNode(name) {
      await ask('DELETE', `/api/v1/nodes/${name}`)
    },
    async dnsAddress() {
      // kube-dns is the name also of CoreDNS' service; others call it after themselves. ExternalDNS has another port.
      const all = await listAll('/api/v1/namespaces/kube-system/services', (item) => ({
        address: serviceAddressOf(item),
        name: textAt(item, 'metadata', 'name'),
        ports: portsOf(item),
      }))
      const services = all.filter(({address}) => address !== undefined)
      const dns =
        services.find(({name}) => name === 'kube-dns') ??
        services.find(({name, ports}) => /dns/.test(name) && ports.includes(DNS_PORT))
      return dns?.address
    },
    doubt: () => doubt,
    async may(resourceAttributes) {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
      const {body} = await ask('POST', path, {...REVIEW, spec: {resourceAttributes}})
      const allowed = at(documentOf(`POST ${path}`, body), 'status', 'allowed')
      if (typeof allowed === 'boolean') return allowed
      throw clusterAnswer({reason: `It returned neither yes nor no for POST ${path}.`, server})
    },
    async listsNode(name) {
      const selector = encodeURIComponent(`metadata.name=${name}`)
      const list = await get(`/api/v1/nodes?fieldSelector=${selector}&limit=1`, {isMetadata: true})
      return listAt(list, 'items').some((item) => textAt(item, 'metadata', 'name') === name)
    },
    async node(name) {
      const node = await get(`/api/v1/nodes/${name}`)
      return node && readNode(node, name)
    },
    async nodeMetadata() {
      const list = await get(`/api/v1/nodes?limit=${FEW_NODES}`, {isMetadata: true})
      return listAt(list, 'items').map((item) => readNodeMetadata(item))
    },
    async nodes() {
      return listAt(await get(`/api/v1/nodes?limit=${FEW_NODES}`), 'items').map((item) => readNode(item))
    },
    server,
    async serviceCIDRs() {
      const path = (version: string): string => `/apis/networking.k8s.io/${version}/servicecidrs?limit=${ENOUGH}`
      const list = (await get(path('v1'))) ?? (await get(path('v1beta1')))
      return listAt(list, 'items').map((item) => ({
        cidrs: listAt(item, 'spec', 'cidrs').filter((cidr) => typeof cidr === 'string'),
        name: textAt(item, 'metadata', 'name'),
      }))
    },
    async serviceAddress(namespace, name) {
      return serviceAddressOf(await get(`/api/v1/namespaces/${namespace}/services/${name}`))
    },
  }
}

/** With --emulated-version an API server behaves as an older minor, and gitVersion is still that of its program. */
function versionIn(about: object): string {
  const [git, emulated] = [textAt(about, 'gitVersion') || 'unknown', textAt(about, 'emulationMinor')]
  const isOlder = /^\d{1,4}$/.test(emulated) && Number(emulated) < Number(textAt(about, 'minor').replace('+', ''))
  return isOlder ? `v1.${emulated}.0 (emulated by ${git})` : git
}

interface ClusterService {
  /** IPv4 only; the empty text where it has none. */
  readonly clusterIP: string
  readonly name: string
  readonly namespace: string
  readonly ports: readonly number[]
}

interface ClusterServices {
  /** Throws where this identity is not sent the lists of all namespaces that kube-proxy reads before it creates anything. */
  demandServices(): Promise<void>
  /** False also where the API server knows no EndpointSlices (before 1.21). */
  hasReadyEndpoints(service: ClusterService): Promise<boolean>
  /** Those of a namespace; of a large one, some. */
  services(namespace: string, name?: string): Promise<readonly ClusterService[]>
}

const ENOUGH = 500

function openServices(get: (path: string) => Promise<object | undefined>, server: string): ClusterServices {
  const demandOne = async (path: string): Promise<void> => {
    // Every cluster has those of the API server.
    if (listAt(await get(`${path}?limit=1`), 'items').length > 0) return
    throw clusterAnswer({reason: `Its list ${path} is empty.`, server})
  }

  return {
    async demandServices() {
      await Promise.all([demandOne('/api/v1/services'), demandOne('/apis/discovery.k8s.io/v1/endpointslices')])
    },
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
        clusterIP: serviceAddressOf(item) ?? '',
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

/** Keeps of every item only what `read` makes of it: whole pages are large. */
export type ListAll = <T>(path: string, read: (item: unknown) => T, fieldSelector?: string) => Promise<T[]>

/** kubectl asks for as many at once. */
const PAGE = 500
const WHOLE = 'limit=0'
/** A server that always has one more page is none. */
const MOST_PAGES = 100
/** Base64 of a resource version and a key of etcd (apiserver pkg/storage/continue.go): a few hundred characters. */
const CONTINUE = /^[\x20-\x7e]{0,4096}$/

/** `expired`: the API server answers 410 where the state of the first page is gone from etcd (compaction, every 5 minutes). */
type Page = object | 'expired' | undefined

function openLists(get: (path: string) => Promise<Page>, server: string): ListAll {
  return async <T>(path: string, read: (item: unknown) => T, fieldSelector?: string) => {
    const selected = fieldSelector === undefined ? '' : `fieldSelector=${encodeURIComponent(fieldSelector)}&`
    let limit = `limit=${PAGE}`
    let items: T[] = []
    let next = ''
    for (let page = 0; page < MOST_PAGES; page++) {
      const more = next === '' ? '' : `&continue=${encodeURIComponent(next)}`
      const answer = await get(`${path}?${selected}${limit}${more}`)
      if (answer === 'expired') {
        if (next === '' || limit === WHOLE) throw clusterAnswer({reason: `It answered 410 to GET ${path}.`, server})
        // As client-go's pager does (tools/pager, FullListIfExpired): once more, as a whole.
        ;[items, limit, next] = [[], WHOLE, '']
        continue
      }

      const found = listAt(answer, 'items')
      if (items.length + found.length > PAGE * MOST_PAGES) break
      for (const item of found) items.push(read(item))
      next = textAt(answer, 'metadata', 'continue')
      if (!CONTINUE.test(next)) throw clusterAnswer({reason: `Its list ${path} has an invalid continue token.`, server})
      if (next === '') return items
    }

    throw clusterAnswer({reason: `Its list ${path} does not end.`, server})
  }
}
