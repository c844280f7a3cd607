// Joining with a token: the simulated cluster beside the recordings of a real one that kubeadm made.
import {X509Certificate} from 'node:crypto'
import {beforeAll, expect} from 'vitest'
import {isSignedBy, readClusterInfo, readClusterOf} from '../../src/host/cluster/cluster-info.js'
import type {HttpResponse} from '../../src/machine/http.js'
import {answerCluster} from '../../src/simulator/cluster/api-server.js'
import {makeTokenSecret} from '../../src/simulator/cluster/bootstrap-tokens.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {identify, type Identity} from '../../src/simulator/cluster/identity.js'
import {advanceRequests, createRequest, requestObject} from '../../src/simulator/cluster/signing-requests.js'
import type {ClusterState, RoleBinding} from '../../src/simulator/cluster/state.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {type Shape, shapeOf, unexplained} from '../lab/docker/shapes.js'
import {makeStage} from '../simulator/fresh-model.js'
import {KUBECONFIG as SIMULATED_KUBECONFIG, makeJoiningNode} from '../simulator/joining-node.js'
import {check, everyChangeIsSeen} from './checks.js'
import {ofGroup, recording, responseOf, textOf} from './corpus.js'
import {
  JOINING_QUESTIONS,
  type JoiningQuestion,
  KUBELET_REQUEST,
  REQUESTS,
  type Scene,
  TOKENS,
} from './questions/joining.js'

const KUBECONFIG = 'kubelet-kubeconfig'
const UNREAD = 'how kubeadm itself finds its ConfigMap, which nothing of ours reads'
/** Where a difference is right, and why. */
const EXPLAINED = {
  'kube-proxy.metadata.annotations': UNREAD,
  'kube-proxy.metadata.labels': UNREAD,
  'kubeadm-config.data.ClusterStatus': 'kubeadm 1.22 and newer write none',
}
const EXPIRATION = {expiration: '2099-01-01T00:00:00Z'}

type Stage = ReturnType<typeof makeStage>

const real = (): Record<string, HttpResponse> =>
  Object.fromEntries(
    ofGroup('joining')
      .filter(({id}) => id !== `joining/${KUBECONFIG}`)
      .map((entry) => [entry.id.replace('joining/', ''), responseOf(entry)]),
  )
const simulated: Record<string, HttpResponse> = {}

beforeAll(async () => {
  const stage = makeStage()
  const cluster = makeCluster('v1.20.2')
  stage.world.cluster = cluster
  // As kubeadm leaves it: no one has applied "manifest node-access".
  cluster.roleBindings = bindingsWithout(cluster, 'k8s-win-nodes-')
  cluster.secrets = [
    makeTokenSecret(...partsOf(TOKENS.token), EXPIRATION),
    makeTokenSecret(...partsOf(TOKENS.unusable), {...EXPIRATION, 'usage-bootstrap-authentication': 'false'}),
  ]
  await ask(stage, KUBELET_REQUEST)
  advanceRequests(cluster, stage.now())
  let scene: Scene = 'fresh'
  for (const question of JOINING_QUESTIONS) {
    const {scene: wanted = 'fresh'} = question
    if (wanted !== scene) change(stage, (scene = wanted))
    simulated[question.name] = await ask(stage, question)
    advanceRequests(cluster, stage.now())
  }
})

const partsOf = (token: string): [id: string, secret: string] => token.split('.') as [string, string]

const bindingsWithout = ({roleBindings = []}: ClusterState, prefix: string): RoleBinding[] =>
  roleBindings.filter(({name}) => !name.startsWith(prefix))

function change({now, world: {cluster}}: Stage, scene: Scene): void {
  if (scene === 'unapproved') cluster.roleBindings = bindingsWithout(cluster, 'kubeadm:node-autoapprove-bootstrap')
  const denied = cluster.certificateSigningRequests?.find(({name}) => name === 'csr-unapproved')
  if (scene === 'denied' && denied) {
    const message = 'This CSR was denied by kubectl certificate deny.'
    denied.conditions = [{at: now(), message, reason: 'KubectlDeny', type: 'Denied'}]
  }
}

async function ask(stage: Stage, question: JoiningQuestion): Promise<HttpResponse> {
  const {body, method = 'GET', path, who = 'token'} = question
  const tls = who === 'admin' ? ADMIN_CERTIFICATE : who === 'node' ? NODE_CERTIFICATE : {}
  const token = who in TOKENS ? TOKENS[who as keyof typeof TOKENS] : undefined
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(token !== undefined && {authorization: `Bearer ${token}`}),
  }
  const {pathname, searchParams} = new URL(path, 'https://x')
  const identity = identify(stage.world.cluster, tls, headers, stage.now())
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  if (method === 'POST' && path === REQUESTS && identity) return requested(stage, identity, body as KubeletRequest)
  const request = {body: bytes, headers, method, path: pathname, query: searchParams}
  const answer = await answerCluster(stage, request, identity)
  return {body: Buffer.from(answer.body as string), headers: answer.headers ?? {}, status: answer.status}
}

interface KubeletRequest {
  readonly metadata: {readonly name?: string}
  readonly spec: {readonly request: string; readonly signerName: string; readonly usages: string[]}
}

/** The simulated kubelet makes its requests without HTTP, and nobody else makes one. */
function requested({now, world}: Stage, identity: Identity, {metadata, spec}: KubeletRequest): HttpResponse {
  const wanted = {...spec, request: Buffer.from(spec.request, 'base64').toString()}
  const made = createRequest(world.cluster, identity, wanted, now())
  made.name = metadata.name ?? made.name
  const body = Buffer.from(JSON.stringify(requestObject(made)))
  return {body, headers: {'content-type': 'application/json'}, status: 201}
}

/** Without who wrote what: the simulator keeps no such history. */
const parsed = (body: Buffer): unknown =>
  JSON.parse(body.toString('utf8'), (key, value: unknown) => (key === 'managedFields' ? undefined : value))

const shape = ({body, headers, status}: HttpResponse): Shape => [
  `${status} ${headers['content-type'] ?? 'none'}`,
  shapeOf(parsed(body)),
]

const map = <T>(answers: Record<string, HttpResponse>, read: (answer: HttpResponse) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, read(answer)]))

check('answers the same questions in the same shape', () => {
  expect(unexplained(map(real(), shape), map(simulated, shape), EXPLAINED)).toEqual([])
})

check('refuses in the same words', () => {
  const said = ({body}: HttpResponse): unknown => (parsed(body) as {message?: unknown}).message
  expect(map(simulated, said)).toEqual(map(real(), said))
})

check('was asked what is recorded, and nothing else', () => {
  expect(Object.keys(real()).sort()).toEqual(Object.keys(simulated).sort())
})

check('the signature of the bootstrap signer is the one that discovery computes', () => {
  const {body} = responseOf(recording('joining/cluster-info'))
  const header = Buffer.from('{"alg":"HS256","kid":"abcdef"}').toString('base64url')
  const info = readClusterInfo(Buffer.from(body.toString('utf8').replace('HEADER..', `${header}..`)))
  expect(info && isSignedBy(TOKENS.token, info)).toBe(true)
  expect(info && isSignedBy(TOKENS.wrong, info)).toBe(false)
  expect(readClusterOf(info!)).toMatchObject({server: 'https://10.0.0.10:6443'})
})

check('cluster-info is written as kubeadm writes it', () => {
  const kubeconfig = ({body}: HttpResponse): string => (parsed(body) as {data: {kubeconfig: string}}).data.kubeconfig
  const masked = (text: string): string => text.replace(/(certificate-authority-data: )\S+/, '$1CA')
  expect(masked(kubeconfig(simulated['cluster-info']!))).toBe(masked(kubeconfig(real()['cluster-info']!)))
})

check('requests are approved, signed and denied in the same words', () => {
  const conditions = ({body}: HttpResponse): unknown =>
    (parsed(body) as {status: {conditions?: {message: string; reason: string; type: string}[]}}).status.conditions?.map(
      ({message, reason, type}) => ({message, reason, type}),
    )
  for (const name of ['request', 'request-issued', 'request-strange', 'request-pending', 'request-denied']) {
    expect([name, conditions(simulated[name]!)]).toEqual([name, conditions(real()[name]!)])
  }
})

check('certificates have the same subject, length of life and purpose', () => {
  const certificate = ({body}: HttpResponse): X509Certificate => {
    const {status} = parsed(body) as {status: {certificate: string}}
    return new X509Certificate(Buffer.from(status.certificate, 'base64'))
  }
  const facts = (answer: HttpResponse): object => {
    const {ca, keyUsage, subject, subjectAltName, validFrom, validTo} = certificate(answer)
    return {ca, days: (Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000, keyUsage, subject, subjectAltName}
  }
  expect(facts(simulated['request-issued']!)).toEqual(facts(real()['request-issued']!))
})

check('access reviews have the same answers', () => {
  const status = ({body}: HttpResponse): unknown => (parsed(body) as {status: unknown}).status
  const reviews = JOINING_QUESTIONS.filter(({name}) => name.startsWith('review-')).map(({name}) => name)
  for (const name of reviews) expect([name, status(simulated[name]!)]).toEqual([name, status(real()[name]!)])
})

check('the simulated kubelet writes the kubeconfig of the real one', async () => {
  const node = await makeJoiningNode()
  await node.win32.startService('kubelet')
  await node.stage.elapse(10_000)
  const masked = (text: string): string => text.replace(/(certificate-authority-data: )\S+/, '$1CA')
  const written = (await node.stage.text(SIMULATED_KUBECONFIG)).replaceAll(/C:\\\S+/g, (path) =>
    path.slice(2).replaceAll('\\', '/'),
  )
  expect(masked(written)).toBe(masked(textOf(recording(`joining/${KUBECONFIG}`), 'out')))
})

everyChangeIsSeen(['joining'])
