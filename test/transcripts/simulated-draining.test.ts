// Evictions: the simulated cluster beside the recordings of a real one.
import {beforeAll, expect} from 'vitest'
import type {HttpResponse} from '../../src/machine/http.js'
import {answerCluster} from '../../src/simulator/cluster/api-server.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {identify} from '../../src/simulator/cluster/identity.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {makeStage} from '../simulator/fresh-model.js'
import {check, everyChangeIsSeen} from './checks.js'
import {ofGroup, responseOf} from './corpus.js'
import {BUDGETS, DRAINED_PODS, type Drainer, DRAINING_QUESTIONS, type DrainingQuestion} from './questions/draining.js'
import {TOKENS} from './questions/joining.js'

const UID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

const real = (): Record<string, HttpResponse> =>
  Object.fromEntries(ofGroup('draining').map((entry) => [entry.id.replace('draining/', ''), responseOf(entry)]))
const simulated: Record<string, HttpResponse> = {}

beforeAll(async () => {
  const stage = makeStage()
  const cluster = makeCluster('v1.20.2')
  stage.world.cluster = cluster
  cluster.pods = DRAINED_PODS.map(({app, name, node}) => ({
    graceMs: 0,
    labels: {app},
    name,
    namespace: 'default',
    node,
  }))
  cluster.disruptionBudgets = BUDGETS.map(({allowed, app, name}) => ({
    allowed,
    labels: {app},
    name,
    namespace: 'default',
  }))
  for (const question of DRAINING_QUESTIONS) {
    // Simulated budgets are those of controllers that replace a pod when it is gone; here nothing does.
    if (question.name === 'evict-refused') cluster.disruptionBudgets[0]!.allowed = 0
    simulated[question.name] = await ask(stage, question)
  }
})

async function ask(stage: ReturnType<typeof makeStage>, question: DrainingQuestion): Promise<HttpResponse> {
  const {body, method, path, who} = question
  const certificates: Partial<Record<Drainer, {cert: string}>> = {admin: ADMIN_CERTIFICATE, node: NODE_CERTIFICATE}
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(who === 'token' && {authorization: `Bearer ${TOKENS.token}`}),
  }
  const identity = identify(stage.world.cluster, certificates[who] ?? {}, headers, stage.now())
  const bytes = Buffer.from(JSON.stringify(body))
  const request = {body: bytes, headers, method, path, query: new URLSearchParams()}
  const answer = await answerCluster(stage, request, identity)
  return {body: Buffer.from(answer.body as string), headers: answer.headers ?? {}, status: answer.status}
}

/** They are Status documents, so all of them is compared but the IDs that a cluster gives. */
const documentOf = ({body, headers, status}: HttpResponse): unknown => ({
  document: JSON.parse(body.toString('utf8').replaceAll(UID, 'UID')) as unknown,
  status,
  type: headers['content-type'],
})

check('evictions are taken and refused in the same words', () => {
  for (const [name, answer] of Object.entries(real())) {
    expect([name, documentOf(simulated[name]!)]).toEqual([name, documentOf(answer)])
  }
})

check('was asked what is recorded, and nothing else', () => {
  expect(Object.keys(real()).sort()).toEqual(Object.keys(simulated).sort())
})

everyChangeIsSeen(['draining'])
