// An API server on loopback that has Secrets and cluster-info, and an administrator's kubeconfig for it in a file.
import {writeFileSync} from 'node:fs'
import type {RequestListener} from 'node:http'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {stringify} from 'yaml'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {TokenInput} from '../../../src/runs/token/admin-cluster.js'
import {AUTHORITY, NODE_USER, serveCluster} from '../../host/cluster/loopback-cluster.js'
import {temporaryFolder} from '../../steps/rig.js'

export const NOW = Date.parse('2026-11-16T12:00:00.750Z')
const SECRETS = '/api/v1/namespaces/kube-system/secrets'

interface StoredSecret {
  readonly data: Record<string, string>
  readonly metadata: {readonly name: string}
  readonly type: string
}

export interface TokenCluster {
  /** "GET /path" of every request, without its query. */
  readonly asked: string[]
  readonly input: TokenInput
  readonly secrets: StoredSecret[]
  readonly server: string
}

export interface TokenClusterOptions {
  /** The kubeconfig in cluster-info; a status in its place; none at all by default. */
  readonly clusterInfo?: number | object | string
  /** Methods on Secrets that are forbidden. */
  readonly forbidden?: readonly string[]
  /** Names that are taken, whatever the secrets are. */
  readonly isTaken?: (name: string) => boolean
}

/** As kubeadm publishes it. */
export const clusterInfo = (server: string): string =>
  stringify({apiVersion: 'v1', clusters: [{cluster: {...AUTHORITY, server}, name: ''}], contexts: null, kind: 'Config'})

export async function tokenCluster(options: TokenClusterOptions = {}): Promise<TokenCluster> {
  const {clusterInfo: info, forbidden = [], isTaken = () => false} = options
  const asked: string[] = []
  const secrets: StoredSecret[] = []
  const answer: RequestListener = (request, response) => {
    const {method = '', url = ''} = request
    const {pathname} = new URL(url, 'https://x')
    asked.push(`${method} ${pathname}`)
    const reply = (status: number, document: object): void =>
      void response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(document))
    void buffer(request).then((bytes) => {
      if (pathname.endsWith('/configmaps/cluster-info')) {
        if (typeof info === 'number' || info === undefined) return reply(info ?? 404, {message: 'no cluster-info'})
        return reply(200, {data: typeof info === 'string' ? {kubeconfig: info} : info})
      }
      if (forbidden.includes(method)) return reply(403, {message: 'User "viewer" cannot do that to secrets'})
      const name = pathname.slice(SECRETS.length + 1)
      const found = secrets.findIndex(({metadata}) => metadata.name === name)
      if (method === 'GET') return reply(200, {items: secrets})
      if (method === 'DELETE') return reply(found < 0 ? 404 : 200, {deleted: secrets.splice(found, found < 0 ? 0 : 1)})
      const secret = JSON.parse(bytes.toString('utf8')) as StoredSecret
      if (isTaken(secret.metadata.name)) return reply(409, {message: 'already exists'})
      secrets.push(secret)
      return reply(201, secret)
    })
  }
  const {server} = await serveCluster({answer})
  const path = join(temporaryFolder(), 'admin.conf')
  writeFileSync(path, stringify(kubeconfigFor(server)))
  const machine = openRealMachine({environment: {}, now: () => NOW})
  const patient = {...machine, clock: {...machine.clock, sleep: () => Promise.resolve()}}
  return {
    asked,
    input: {kubeconfig: path, machine: patient, onSecret: () => {}, variable: {separator: ':', value: undefined}},
    secrets,
    server,
  }
}

const kubeconfigFor = (server: string): object => ({
  apiVersion: 'v1',
  clusters: [{cluster: {...AUTHORITY, server}, name: 'loopback'}],
  contexts: [{context: {cluster: 'loopback', user: 'admin'}, name: 'admin'}],
  'current-context': 'admin',
  kind: 'Config',
  users: [{name: 'admin', user: NODE_USER}],
})

export const decoded = ({data}: StoredSecret): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]))
