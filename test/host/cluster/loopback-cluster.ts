// The simulator's cluster behind a real TLS server on loopback, and our host asking it over the real machine.
import {readFileSync} from 'node:fs'
import type {RequestListener} from 'node:http'
import {createServer, type ServerOptions} from 'node:https'
import type {TLSSocket} from 'node:tls'
import {buffer} from 'node:stream/consumers'
import {inspect} from 'node:util'
import {expect} from 'vitest'

import {type Cluster, openCluster} from '../../../src/host/cluster/cluster.js'
import {readKubeconfig} from '../../../src/host/cluster/kubeconfig.js'
import type {Machine} from '../../../src/machine/machine.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import {NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {identify} from '../../../src/simulator/cluster/identity.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import type {ClusterNode} from '../../../src/simulator/world.js'
import {listening} from '../../machine/real/servers.js'
import {makeStage} from '../../simulator/fresh-model.js'

export const TOKEN = 'canary-token-5f2c'
export const pem = (name: string): string => readFileSync(new URL(`../certificates/${name}`, import.meta.url), 'utf8')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const AUTHORITY = {'certificate-authority-data': base64(pem('ca.pem'))}
export const clientPair = (cert: string, key: string): object => ({
  'client-certificate-data': base64(cert),
  'client-key-data': base64(key),
})
export const NODE_USER = clientPair(NODE_CERTIFICATE.cert, NODE_CERTIFICATE.key)

const NODE: ClusterNode = {
  addresses: [{address: '10.0.0.5', type: 'InternalIP'}],
  annotations: {},
  labels: {},
  name: 'win-1',
  podCIDR: '10.244.3.0/24',
  ready: true,
  readyReason: 'KubeletReady',
  taints: [],
}

interface LoopbackCluster {
  /** Requests as they came: method, path, and who was recognised. */
  readonly seen: string[]
  readonly server: string
  readonly stage: Stage
}

interface ServeOptions extends ServerOptions {
  /** In place of the model. */
  readonly answer?: RequestListener
  /** A name under certificates/. */
  readonly certificate?: string
}

/** Asks for a client certificate and looks at it itself, as kube-apiserver does. Closes with its test. */
export async function serveCluster({
  answer,
  certificate = 'server.pem',
  ...tls
}: ServeOptions = {}): Promise<LoopbackCluster> {
  const stage = makeStage()
  stage.world.cluster.tokens = {[TOKEN]: 'system:serviceaccount:kube-system:node'}
  stage.world.cluster.permissionsOf = {'system:serviceaccount:kube-system:node': ['get nodes']}
  stage.world.cluster.nodes.push(NODE)
  const seen: string[] = []
  const model: RequestListener = (request, response) => {
    const {headers, method = '', socket, url = ''} = request
    const shown = (socket as TLSSocket).getPeerX509Certificate()?.toString()
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const identity = identify(stage.world.cluster, shown === undefined ? {} : {cert: shown}, plain, Date.now())
    const {pathname, searchParams} = new URL(url, 'https://x')
    seen.push(`${method} ${url} ${identity?.user ?? 'nobody'}`)
    void buffer(request)
      .then((body) =>
        answerCluster(stage, {body, headers: plain, method, path: pathname, query: searchParams}, identity),
      )
      .then((model: ModelResponse) => response.writeHead(model.status, model.headers).end(model.body as string))
  }
  const server = createServer(
    {cert: pem(certificate), key: pem('leaf.key'), rejectUnauthorized: false, requestCert: true, ...tls},
    answer ?? model,
  )
  return {seen, server: `https://127.0.0.1:${await listening(server)}`, stage}
}

/** Proxies of the machine the tests run on are no part of it, and no one waits. */
const machine = openRealMachine({environment: {}})
const real: Machine = {...machine, clock: {...machine.clock, sleep: () => Promise.resolve()}}

/** The real machine, on which nothing takes longer than this. */
export function impatient(ms: number): Machine {
  return {
    ...real,
    http: {...real.http, request: (request) => real.http.request({...request, deadlineMs: ms})},
    run: (program, args, options) => real.run(program, args, {...options, deadlineMs: ms}),
  }
}

interface Access {
  readonly cluster?: object
  readonly machine?: Machine
  readonly user?: object
}

/** Our host's way to it, through a kubeconfig as a person would write it. */
export async function clusterAt(
  server: string,
  {cluster, machine = real, user = NODE_USER}: Access = {},
): Promise<Cluster> {
  const kubeconfig = {
    apiVersion: 'v1',
    clusters: [{cluster: {...AUTHORITY, server, ...cluster}, name: 'loopback'}],
    contexts: [{context: {cluster: 'loopback', user: 'node'}, name: 'node@loopback'}],
    'current-context': 'node@loopback',
    kind: 'Config',
    users: [{name: 'node', user}],
  }
  const content = Buffer.from(JSON.stringify(kubeconfig))
  return openCluster(machine, await readKubeconfig('/nowhere/kubeconfig', content, async () => undefined))
}

/** What it rejects with, which reports no secret anywhere in it. */
export async function refusal(
  asked: Promise<unknown>,
): Promise<{fix: string; id: string; message: string; reason: string}> {
  const error = await asked.then(
    () => expect.unreachable('it was answered'),
    (reason: unknown) => reason,
  )
  const {fix, id, message, reason} = error as {fix: string; id: string; message: string; reason: string}
  const keyLines = [NODE_CERTIFICATE.key, pem('leaf.key')].flatMap((key) => key.split('\n').slice(1, 3))
  for (const secret of [TOKEN, 'canary', ...keyLines]) {
    expect([inspect(error, {depth: 20, showHidden: true}), fix, message, reason].join('\n')).not.toContain(secret)
  }

  return {fix, id, message, reason}
}
