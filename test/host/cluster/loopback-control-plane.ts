// A control plane on loopback with the parts that discovery asks: cluster-info, and reviews of access. What it knows is
// kubeadm's, and each test breaks it in one way.
import type {IncomingMessage, RequestListener, ServerResponse} from 'node:http'
import {inspect} from 'node:util'
import {expect} from 'vitest'
import type {Bootstrap} from '../../../src/config/model.js'
import {discoverCluster, type Joining} from '../../../src/host/cluster/discovery.js'
import {CLUSTER_INFO_PATH, detachedSignature} from '../../../src/host/cluster/cluster-info.js'
import type {Http} from '../../../src/machine/http.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {type HandClock, handClock} from '../../fakes/hand-clock.js'
import {pem, serveCluster} from './loopback-cluster.js'

export const ID = 'abcdef'
export const SECRET = 'canary0123456789'
export const TOKEN = `${ID}.${SECRET}`
/** Of ca.pem, which signed server.pem, and of intermediate.pem, which signed server-address-only.pem: with openssl. */
export const PIN = 'sha256:b896efb585a6e567991447dc2f1f390c4a46d837288e5397f72a0349ab01f7aa'
export const OTHER_PIN = 'sha256:c64c12471f7366f155973de1598eaa5baee6684b887ba0f0f6367551c0ed941e'

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** As kubeadm writes it (cmd/kubeadm/app/phases/bootstraptoken/clusterinfo). */
export const infoText = (server: string, ca = pem('ca.pem')): string =>
  [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${base64(ca)}`,
    `    server: ${server}`,
    '  name: ""',
    'contexts: null',
    'current-context: ""',
    'kind: Config',
    'preferences: {}',
    'users: null',
    '',
  ].join('\n')

export const configMap = (kubeconfig: string, signature: string | undefined): object => ({
  apiVersion: 'v1',
  data: {kubeconfig, ...(signature !== undefined && {[`jws-kubeconfig-${ID}`]: signature})},
  kind: 'ConfigMap',
  metadata: {name: 'cluster-info', namespace: 'kube-public'},
})

export const signed = (kubeconfig: string, secret = SECRET): object =>
  configMap(kubeconfig, detachedSignature(kubeconfig, {id: ID, secret}))

export type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void
export const json =
  (document: object, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(document))
const allowed = (isAllowed: boolean): Answer => json({status: {allowed: isAllowed}}, 201)
export const status = (code: number, message: string): Answer => json({code, kind: 'Status', message}, code)

export interface Parts {
  readonly certificate?: string
  /** Of cluster-info; `count` is 1 for the first request. Without it, the right one. */
  info?: Answer
  /** Of reviews. Without it, yes. */
  review?: Answer
}

export interface ControlPlane {
  /** Method, path and Authorization of every request. */
  readonly seen: string[]
  readonly server: string
}

export async function serveControlPlane(parts: Parts = {}): Promise<ControlPlane> {
  const seen: string[] = []
  const counts = {info: 0, review: 0}
  const answer: RequestListener = (request, response) => {
    const {headers, method = '', url = ''} = request
    seen.push([method, url, headers.authorization].filter(Boolean).join(' '))
    const part = url === CLUSTER_INFO_PATH ? 'info' : 'review'
    const usual = part === 'info' ? json(signed(infoText(server))) : allowed(true)
    request.resume().once('end', () => (parts[part] ?? usual)(request, response, ++counts[part]))
  }
  const {certificate} = parts
  const {server} = await serveCluster({answer, ...(certificate !== undefined && {certificate})})
  return {seen, server}
}

interface Discovered {
  readonly bootstrap?: Bootstrap
  readonly clock: HandClock
  readonly fix: string
  /** '' where it succeeded. */
  readonly id: string
  readonly message: string
  readonly reason: string
}

/** What discovery finds, or the error, in which no part of the secret is. No time passes. */
export async function discover(
  server: string,
  options: Partial<Joining> & {readonly environment?: NodeJS.ProcessEnv; readonly signal?: AbortSignal} = {},
): Promise<Discovered> {
  const {environment = {}, signal = new AbortController().signal, ...rest} = options
  const clock = handClock(Date.now())
  const http: Http = openRealMachine({environment}).http
  const join = {caCertHashes: [PIN], isVerificationSkipped: false, server, token: TOKEN, ...rest}
  try {
    const bootstrap = await discoverCluster({clock, http}, join, signal)
    return {bootstrap, clock, fix: '', id: '', message: '', reason: ''}
  } catch (error) {
    const {fix = '', id = String(error), message = '', reason = ''} = error as Partial<Discovered>
    const said = [inspect(error, {depth: 20, showHidden: true}), fix, message, reason].join('\n')
    for (const secret of [SECRET, base64(SECRET), base64(TOKEN)]) expect(said).not.toContain(secret)
    return {clock, fix, id, message, reason}
  }
}
