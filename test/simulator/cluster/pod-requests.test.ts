// Pods that are created and deleted through the simulated API, as an API server and its admission plugins answer.
import {beforeEach, describe, expect, it} from 'vitest'
import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import type {Identity} from '../../../src/simulator/cluster/identity.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import {ask, jsonOf, makeStage} from '../fresh-model.js'

const NODE: Identity = {groups: ['system:nodes', 'system:authenticated'], user: 'system:node:win-1'}
const ADMIN: Identity = {groups: ['system:masters', 'system:authenticated'], user: 'admin'}
const PODS = '/api/v1/namespaces/default/pods'
const SPEC = {containers: [{image: 'x', name: 'one'}], nodeName: 'win-1'}

let stage: Stage
beforeEach(() => {
  stage = makeStage()
})

const send = (method: string, target: string, body: object = {}, identity = ADMIN): Promise<ModelResponse> =>
  answerCluster(stage, ask(method, target, JSON.stringify(body)), identity)
const create = (spec: object = SPEC, identity = ADMIN, annotations = {}): Promise<ModelResponse> =>
  send('POST', PODS, {apiVersion: 'v1', kind: 'Pod', metadata: {annotations, name: 'a'}, spec}, identity)
interface Pod {
  readonly message?: string
  readonly metadata: {readonly deletionTimestamp?: string; readonly uid: string}
  readonly reason?: string
  readonly status: {readonly phase: string}
}
const answer = async (response: Promise<ModelResponse>): Promise<Pod & {code: number}> => {
  const {status} = await response
  return {...(await jsonOf<Pod>(await response)), code: status}
}

describe('a creation', () => {
  it('makes a pod that waits for its kubelet, once', async () => {
    expect(await answer(create())).toMatchObject({code: 201, status: {phase: 'Pending'}})
    expect(await answer(send('GET', `${PODS}/a`))).toMatchObject({code: 200, spec: SPEC})
    expect(await answer(create())).toMatchObject({code: 409, reason: 'AlreadyExists'})
  })

  it('without containers is invalid', async () => {
    expect(await answer(create({}))).toMatchObject({code: 422, reason: 'Invalid'})
  })

  it('by a node is allowed by its authorizer, and refused by NodeRestriction unless it is a mirror pod', async () => {
    const refused = await answer(create(SPEC, NODE))
    expect(refused).toMatchObject({code: 403, reason: 'Forbidden'})
    expect(refused.message).toBe(
      'pods "a" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "win-1" can only create mirror pods',
    )
    expect((await create(SPEC, NODE, {'kubernetes.io/config.mirror': 'x'})).status).toBe(201)
  })

  it.each([
    ['v1.22.17', {}, undefined],
    ['v1.23.17', {os: {name: 'windows'}, securityContext: {runAsNonRoot: true}}, 'allowPrivilegeEscalation != false'],
    ['v1.36.4', {os: {name: 'windows'}, securityContext: {runAsNonRoot: true}}, undefined],
    ['v1.36.4', {os: {name: 'windows'}}, 'runAsNonRoot != true'],
    ['v1.36.4', {securityContext: {runAsNonRoot: true}}, 'unrestricted capabilities'],
  ])('in a restricted namespace of %s', async (version, part, reason) => {
    stage.world.cluster.version = version
    stage.world.cluster.namespaces = [{labels: {'pod-security.kubernetes.io/enforce': 'restricted'}, name: 'default'}]
    const {code, message = ''} = await answer(create({...SPEC, ...part}))
    expect(code).toBe(reason === undefined ? 201 : 403)
    if (reason !== undefined) expect(message).toContain(reason)
  })

  it('beyond a quota is refused', async () => {
    stage.world.cluster.namespaces = [{name: 'default', quotas: [{name: 'q', pods: 1}]}]
    expect((await create()).status).toBe(201)
    const body = {metadata: {name: 'b'}, spec: SPEC}
    const {message} = await answer(send('POST', PODS, body))
    expect(message).toBe('pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1')
  })
})

describe('a deletion', () => {
  it('takes its time, or none', async () => {
    await create()
    expect(await answer(send('DELETE', `${PODS}/a`))).toHaveProperty('metadata.deletionTimestamp')
    expect((await send('GET', `${PODS}/a`)).status).toBe(200)
    expect((await send('DELETE', `${PODS}/a`, {gracePeriodSeconds: 0})).status).toBe(200)
    expect((await send('GET', `${PODS}/a`)).status).toBe(404)
    expect((await send('DELETE', `${PODS}/a`)).status).toBe(404)
  })

  it('is of that pod only: another of the same name has another uid', async () => {
    const first = await answer(create())
    await send('DELETE', `${PODS}/a`, {gracePeriodSeconds: 0})
    await stage.elapse(1000)
    const second = await answer(create())
    expect(second.metadata.uid).not.toBe(first.metadata.uid)
    const options = {gracePeriodSeconds: 0, preconditions: {uid: first.metadata.uid}}
    expect(await answer(send('DELETE', `${PODS}/a`, options))).toMatchObject({code: 409, reason: 'Conflict'})
    expect((await send('GET', `${PODS}/a`)).status).toBe(200)
  })

  it('by a node is for its own pods', async () => {
    await create({...SPEC, nodeName: 'linux-1'})
    const {message} = await answer(send('DELETE', `${PODS}/a`, {}, NODE))
    expect(message).toContain('node "win-1" can only delete pods with spec.nodeName set to itself')
  })
})
