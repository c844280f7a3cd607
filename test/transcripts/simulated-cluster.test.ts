// The simulated API server beside the recordings of a real one: status, kind of content, keys and types, and words.
import {beforeAll, expect} from 'vitest'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {answerCluster} from '../../src/simulator/cluster/api-server.js'
import {identify} from '../../src/simulator/cluster/identity.js'
import type {HttpResponse} from '../../src/machine/http.js'
import type {ClusterNode} from '../../src/simulator/world.js'
import {contradictions, type Shape, shapeOf} from '../lab/docker/shapes.js'
import {pem} from '../host/cluster/loopback-cluster.js'
import {makeStage} from '../simulator/fresh-model.js'
import {check, everyChangeIsSeen} from './checks.js'
import {ofGroup, responseOf} from './corpus.js'
import {bodyOf, CLUSTER_QUESTIONS, type ClusterQuestion, type Who} from './questions/kubernetes.js'

const STRANGER = 'stranger'
const NO_HISTORY = 'the simulator keeps no versions and checks no labels; nobody of ours patches a node'
const TAINT =
  'a real server taints a node that is made not Ready, until a controller takes it away; ours is Ready at once'
/** Where a difference is right, and why. */
const EXPLAINED = {
  ...Object.fromEntries(
    ['node', 'node-linux', 'nodes.items', 'nodes-windows.items', 'patch', 'patch-by-node', 'patch-merge'].map(
      (name) => [`${name}.spec.taints`, TAINT],
    ),
  ),
  'no-such-group': 'the real one answers with its list of paths or in plain text, by who looks for it',
  'patch-bad-label': NO_HISTORY,
  'patch-conflict': NO_HISTORY,
}
/** Answers of the real one where the simulated one differs. */
const OTHER_WORDS: Readonly<Record<string, readonly [status: number, body: RegExp]>> = {
  'no-such-group': [404, /^404 page not found\n$/],
  'patch-bad-label': [422, /^\{"kind":"Status",.*Invalid value: \\"not a label!\\"/],
  'patch-conflict': [409, /^\{"kind":"Status",.*the object has been modified/],
}

const node = (name: string, os: string, address: string, podCIDR: string): ClusterNode => ({
  addresses: [
    {address, type: 'InternalIP'},
    {address: name, type: 'Hostname'},
  ],
  annotations: {'flannel.alpha.coreos.com/backend-type': 'vxlan'},
  labels: {'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name, 'kubernetes.io/os': os},
  name,
  podCIDR,
  ready: true,
  readyReason: 'KubeletReady',
  taints: [],
})

const real = (): Record<string, HttpResponse> =>
  Object.fromEntries(ofGroup('kubernetes').map((entry) => [entry.id.replace('kubernetes/', ''), responseOf(entry)]))
const simulated: Record<string, HttpResponse> = {}

beforeAll(async () => {
  const stage = makeStage()
  const {cluster} = stage.world
  cluster.roleBindings = []
  cluster.tokens = {[STRANGER]: 'system:serviceaccount:kube-system:stranger'}
  cluster.nodes = [
    node('linux-1', 'linux', '10.0.0.11', '10.244.0.0/24'),
    node('win-1', 'windows', '10.0.0.5', '10.244.3.0/24'),
  ]
  for (const question of CLUSTER_QUESTIONS) simulated[question.name] = await ask(stage, question)
})

async function ask(stage: ReturnType<typeof makeStage>, question: ClusterQuestion): Promise<HttpResponse> {
  const {method = 'GET', path, type = 'application/json', who = 'node'} = question
  const certificates: Partial<Record<Who, {cert: string}>> = {
    admin: ADMIN_CERTIFICATE,
    expired: {cert: pem('client-expired.pem')},
    foreign: {cert: pem('client.pem')},
    node: NODE_CERTIFICATE,
  }
  const tls = certificates[who] ?? {}
  const token = who === 'stranger' ? STRANGER : who === 'wrong' ? 'nonsense' : undefined
  const headers: Record<string, string> = {'content-type': type}
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  const {pathname, searchParams} = new URL(path, 'https://x')
  const identity = identify(stage.world.cluster, tls, headers, stage.now())
  const request = {body: Buffer.from(bodyOf(question) ?? ''), headers, method, path: pathname, query: searchParams}
  const answer = await answerCluster(stage, request, identity)
  return {body: Buffer.from(answer.body as string), headers: answer.headers ?? {}, status: answer.status}
}

/** Without who wrote what: the simulator keeps no such history. */
const parsed = (body: Buffer): unknown =>
  JSON.parse(body.toString('utf8'), (key, value: unknown) => (key === 'managedFields' ? undefined : value))

const shape = ({body, headers, status}: HttpResponse): Shape => {
  const type = headers['content-type'] ?? 'none'
  return [`${status} ${type}`, type === 'application/json' ? shapeOf(parsed(body)) : body.toString('latin1')]
}

const map = <T>(answers: Record<string, HttpResponse>, read: (answer: HttpResponse) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, read(answer)]))

check('answers the same questions in the same shape', () => {
  expect(contradictions(map(real(), shape), map(simulated, shape), EXPLAINED)).toEqual([])
})

check('refuses in the same words', () => {
  const said = ({body}: HttpResponse): string => /"message":"((?:[^"\\]|\\.)*)"/.exec(body.toString('utf8'))?.[1] ?? ''
  const [ours, theirs] = [map(simulated, said), map(real(), said)]
  expect(
    Object.keys(theirs)
      .filter((name) => ours[name] !== theirs[name])
      .sort(),
  ).toEqual(Object.keys(OTHER_WORDS))
  for (const [name, [status, body]] of Object.entries(OTHER_WORDS)) {
    expect([name, real()[name]?.status]).toEqual([name, status])
    expect(real()[name]?.body.toString('utf8')).toMatch(body)
  }
})

check('was asked what is recorded, and nothing else', () => {
  expect(Object.keys(real()).sort()).toEqual(Object.keys(simulated).sort())
})

everyChangeIsSeen(['kubernetes'])
