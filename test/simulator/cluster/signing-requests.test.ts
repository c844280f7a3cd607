// CertificateSigningRequests: who may read them, what is approved and signed by itself, and how long they stay.
import {X509Certificate} from 'node:crypto'
import {beforeEach, describe, expect, it} from 'vitest'

import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import {SIGNER} from '../../../src/simulator/cluster/certificates.js'
import {identify, type Identity} from '../../../src/simulator/cluster/identity.js'
import {advanceRequests, createRequest, KUBELET_CLIENT} from '../../../src/simulator/cluster/signing-requests.js'
import type {ClusterState} from '../../../src/simulator/cluster/state.js'
import {makeRequest} from '../../../src/simulator/cluster/x509.js'
import {makeKey} from '../../../src/simulator/daemons/kubelet/kubelet-rotation.js'
import type {Stage} from '../../../src/simulator/model.js'
import {ask, jsonOf, makeStage, START} from '../fresh-model.js'

const ADMIN: Identity = {groups: ['system:masters'], user: 'kubernetes-admin'}
const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const NEW_NODE: Identity = {
  groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
  user: 'system:bootstrap:abcdef',
}
const NODE: Identity = {groups: ['system:nodes', 'system:authenticated'], user: 'system:node:win-1'}
const HOUR = 3_600_000
const KEY = makeKey()

interface Csr {
  readonly items?: readonly Csr[]
  readonly message?: string
  readonly metadata: {readonly generateName?: string; readonly name: string}
  readonly spec: {readonly signerName: string}
  readonly status: {
    readonly certificate?: string
    readonly conditions?: readonly {readonly message: string; readonly reason: string; readonly type: string}[]
  }
}

let stage: Stage
let cluster: ClusterState
beforeEach(() => {
  stage = makeStage()
  ;({cluster} = stage.world)
})

async function send(
  method: string,
  target: string,
  identity: Identity | undefined,
  body?: object,
): Promise<{body: Csr; status: number}> {
  const response = await answerCluster(stage, ask(method, target, body ? JSON.stringify(body) : ''), identity)
  return {body: await jsonOf(response), status: response.status}
}

interface Wish {
  readonly commonName?: string
  readonly organizations?: readonly string[]
  readonly signerName?: string
  readonly usages?: readonly string[]
}

/** As the kubelet makes it; its name. */
function create(
  identity: Identity,
  {
    commonName = 'system:node:win-1',
    organizations = ['system:nodes'],
    signerName = KUBELET_CLIENT,
    usages = ['digital signature', 'client auth'],
  }: Wish = {},
): string {
  const request = makeRequest(KEY, {commonName, organizations})
  return createRequest(cluster, identity, {request, signerName, usages: [...usages]}, stage.now()).name
}

/** The request after the controllers have seen it. */
async function settled(identity: Identity, wish: Wish = {}): Promise<Csr> {
  const name = create(identity, wish)
  while (advanceRequests(cluster, stage.now()));
  return (await send('GET', `${PATH}/${name}`, ADMIN)).body
}

const types = ({status}: Csr): string[] => (status.conditions ?? []).map(({type}) => type)
const certificateIn = ({status}: Csr): string => Buffer.from(status.certificate ?? '', 'base64').toString()

it('has in it who made it, and a generated name', async () => {
  const name = create(NEW_NODE)
  expect((await send('GET', `${PATH}/${name}`, ADMIN)).body).toMatchObject({
    metadata: {generateName: 'csr-', name: expect.stringMatching(/^csr-[a-z0-9]{5}$/) as string},
    spec: {groups: NEW_NODE.groups, usages: ['digital signature', 'client auth'], username: NEW_NODE.user},
    status: {},
  })
})

describe('the controllers', () => {
  it('approve and sign the first certificate of a node for a year', async () => {
    const found = await settled(NEW_NODE)
    expect(found.status.conditions).toMatchObject([
      {
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
        reason: 'AutoApproved',
        type: 'Approved',
      },
    ])
    const pem = certificateIn(found)
    const certificate = new X509Certificate(pem)
    expect(certificate.checkIssued(new X509Certificate(SIGNER.cert))).toBe(true)
    expect(Date.parse(certificate.validFrom)).toBe(START - 5 * 60_000)
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(365 * 24 * HOUR)
    expect(identify(cluster, {cert: pem}, {}, stage.now())).toEqual(NODE)
  })

  it('approve what a node renews for itself', async () => {
    const [condition] = (await settled(NODE)).status.conditions ?? []
    expect(condition?.message).toBe('Auto approving self kubelet client certificate after SubjectAccessReview.')
  })

  it.each<[string, Identity, Wish]>([
    ['the name of another node', NODE, {commonName: 'system:node:linux-1'}],
    ['another organization', NEW_NODE, {organizations: ['system:masters']}],
    ['a name that is not a node’s', NEW_NODE, {commonName: 'admin'}],
    ['the usages of a server', NEW_NODE, {usages: ['digital signature', 'server auth']}],
    ['another signer', NEW_NODE, {signerName: 'kubernetes.io/kube-apiserver-client'}],
    ['a user without that permission', {groups: ['system:authenticated'], user: 'x'}, {}],
  ])('do not approve %s', async (_, identity, wish) => {
    cluster.roleBindings?.push({group: 'system:authenticated', name: 'all', role: 'system:node-bootstrapper'})
    expect((await settled(identity, wish)).status).toEqual({})
  })

  it('do not approve where the binding is missing', async () => {
    cluster.roleBindings = cluster.roleBindings?.filter(({name}) => name !== 'kubeadm:node-autoapprove-bootstrap') ?? []
    expect((await settled(NEW_NODE)).status).toEqual({})
  })

  it('sign later where they are late', async () => {
    cluster.signerDelayMs = 30_000
    const found = await settled(NEW_NODE)
    expect([types(found), found.status.certificate]).toEqual([['Approved'], undefined])
    await stage.elapse(30_000)
    expect(advanceRequests(cluster, stage.now())).toBe(true)
    expect(cluster.certificateSigningRequests?.[0]?.certificate).toContain('BEGIN CERTIFICATE')
  })

  it('sign by the clock of the cluster, for as long as it is set to', async () => {
    cluster.signingDurationMs = HOUR
    create(NEW_NODE)
    advanceRequests(cluster, START + 48 * HOUR - 1000)
    expect(cluster.certificateSigningRequests).toEqual([])
    const {validFrom, validTo} = new X509Certificate(certificateIn(await settled(NEW_NODE)))
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(HOUR + 5 * 60_000)
  })

  it('do not sign what was approved by hand and is not for a node', async () => {
    create(NEW_NODE, {commonName: 'admin'})
    const [request] = cluster.certificateSigningRequests ?? []
    request!.conditions = [{at: stage.now(), message: '', reason: 'KubectlApprove', type: 'Approved'}]
    expect(advanceRequests(cluster, stage.now())).toBe(false)
  })

  it('delete requests: signed ones after an hour, pending ones after a day', async () => {
    await settled(NEW_NODE)
    await settled(NEW_NODE, {commonName: 'admin'})
    advanceRequests(cluster, START + HOUR)
    expect(cluster.certificateSigningRequests).toHaveLength(2)
    advanceRequests(cluster, START + HOUR + 60_000)
    expect(cluster.certificateSigningRequests).toHaveLength(1)
    advanceRequests(cluster, START + 25 * HOUR)
    expect(cluster.certificateSigningRequests).toEqual([])
  })
})

it('lists requests by signer', async () => {
  create(NEW_NODE)
  create(NEW_NODE, {signerName: 'example.com/other'})
  const {body} = await send('GET', `${PATH}?fieldSelector=spec.signerName%3D${KUBELET_CLIENT}`, NEW_NODE)
  expect(body).toMatchObject({apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequestList'})
  expect(body.items?.map(({spec}) => spec.signerName)).toEqual([KUBELET_CLIENT])
})
