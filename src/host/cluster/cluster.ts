// The cluster, asked through the Kubernetes API with the one HTTP client and a kubeconfig's identity.
import {clusterAnswer} from '../../errors/cluster.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {withoutCredentials} from '../../machine/credentials.js'
import type {Machine} from '../../machine/machine.js'
import {type ClusterNode, type DaemonSet, readDaemonSet, readNode, serviceAddressOf} from './objects.js'
import {type ClusterPods, openPods} from './pods.js'
import {openLists, type Page} from './list.js'
import {openRequests} from './request.js'
import {type ClusterServices, openServices} from './services.js'
import {at, listAt, parseJson, textAt, textsAt} from '../document.js'
import type {Kubeconfig} from './kubeconfig.js'

export type {ClusterNode} from './objects.js'

/** Something that can be allowed or not. */
export interface Access {
  /** '' for the core group. */
  readonly group: string
  readonly name?: string
  readonly namespace?: string
  readonly resource: string
  readonly subresource?: string
  readonly verb: string
}

export interface ServerReport {
  /** How far this host's clock is ahead of the API server's; undefined where that does not tell its time. */
  readonly clockAheadMs: number | undefined
  /** "v1.21.5" */
  readonly version: string
}

export interface Cluster extends ClusterPods, ClusterServices {
  /** Open to everybody, so that it tells whether the server can be asked at all. */
  about(): Promise<ServerReport>
  /** The texts in it. Undefined where there is no such thing. */
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>
  daemonSets(): Promise<readonly DaemonSet[]>
  deleteNode(name: string): Promise<void>
  /** The cluster's DNS service, or undefined where it has none by a usual name. */
  dnsAddress(): Promise<string | undefined>
  /** Asks whether this identity may; nothing is made by it. */
  may(access: Access): Promise<boolean>
  /** A 403 that is not believed yet: what is told where there is no time to ask again. */
  doubt(): K8sWinError | undefined
  /** Undefined where there is no such node. */
  node(name: string): Promise<ClusterNode | undefined>
  /** The first FEW_NODES of them. */
  nodes(): Promise<readonly ClusterNode[]>
  readonly server: string
  /** Undefined where there is no such service, or it has no address. */
  serviceAddress(namespace: string, name: string): Promise<string | undefined>
}

/** Enough to judge by; a large cluster has lists of many megabytes. Who tells of them says that they are the first. */
export const FEW_NODES = 100
const REVIEW = {apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview'}

export function openCluster(machine: Pick<Machine, 'clock' | 'http' | 'run'>, kubeconfig: Kubeconfig): Cluster {
  const server = withoutCredentials(kubeconfig.server)
  let doubt: K8sWinError | undefined
  const ask = openRequests(machine, kubeconfig, (now) => (doubt = now))
  const documentOf = (what: string, body: Buffer): object => {
    const answer = parseJson(body.toString('utf8'))
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer
    throw clusterAnswer({reason: `It answered ${what} with no JSON object.`, server})
  }

  const get = async (path: string): Promise<object | undefined> => {
    const response = await ask('GET', path)
    return response.status === 404 ? undefined : documentOf(`GET ${path}`, response.body)
  }

  const page = async (path: string): Promise<Page> => {
    const response = await ask('GET', path, undefined, {answers: [410]})
    if (response.status === 410) return 'expired'
    return response.status === 404 ? undefined : documentOf(`GET ${path}`, response.body)
  }

  const listAll = openLists(page, server)
  return {
    ...openPods(ask, get, listAll),
    ...openServices(get),
    async about() {
      const asked = machine.clock.now()
      const {body, headers} = await ask('GET', '/version')
      const told = Date.parse(headers['date'] ?? '')
      // It has whole seconds, cut off; and was told somewhere between asking and now.
      const ahead = Math.round((asked + machine.clock.now()) / 2 - (told + 500))
      return {
        clockAheadMs: Number.isNaN(told) ? undefined : ahead,
        version: textAt(documentOf('GET /version', body), 'gitVersion') || 'unknown',
      }
    },
    async configMap(namespace, name) {
      const found = await get(`/api/v1/namespaces/${namespace}/configmaps/${name}`)
      return found && textsAt(found, 'data')
    },
    async daemonSets() {
      return listAll('/apis/apps/v1/daemonsets', readDaemonSet)
    },
    async deleteNode(name) {
      await ask('DELETE', `/api/v1/nodes/${name}`)
    },
    async dnsAddress() {
      // kube-dns is the name also of CoreDNS' service; others call it after themselves.
      const all = await listAll('/api/v1/namespaces/kube-system/services', (item) => ({
        address: serviceAddressOf(item),
        name: textAt(item, 'metadata', 'name'),
      }))
      const services = all.filter(({address}) => address !== undefined)
      const dns = services.find(({name}) => name === 'kube-dns') ?? services.find(({name}) => /dns/.test(name))
      return dns?.address
    },
    doubt: () => doubt,
    async may(resourceAttributes) {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
      const {body} = await ask('POST', path, {...REVIEW, spec: {resourceAttributes}})
      const allowed = at(documentOf(`POST ${path}`, body), 'status', 'allowed')
      if (typeof allowed === 'boolean') return allowed
      throw clusterAnswer({reason: `It answered POST ${path} with neither yes nor no.`, server})
    },
    async node(name) {
      const node = await get(`/api/v1/nodes/${name}`)
      return node && readNode(node, name)
    },
    async nodes() {
      return listAt(await get(`/api/v1/nodes?limit=${FEW_NODES}`), 'items').map((item) => readNode(item))
    },
    server,
    async serviceAddress(namespace, name) {
      return serviceAddressOf(await get(`/api/v1/namespaces/${namespace}/services/${name}`))
    },
  }
}
