// Discovery with tokens of the real kubeadm, against the real API server, bootstrap signer and token cleaner.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {discoverCluster, type Joining} from '../../src/host/cluster/discovery.js'
import type {Machine} from '../../src/machine/machine.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane, waitUntil, withoutAuthentication} from './control-plane.js'

/** Discovery waits a minute for a signature; here a second of it takes this part of one. */
const SPEED = 10
const CLUSTER_INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info'

let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane()
})
afterAll(() => plane?.close())

function fastMachine(): Pick<Machine, 'clock' | 'http'> {
  const {clock, http} = openRealMachine({environment: {}})
  const start = clock.now()
  return {
    clock: {
      ...clock,
      elapsed: () => clock.elapsed() * SPEED,
      now: () => start + (clock.now() - start) * SPEED,
      sleep: (ms, signal) => clock.sleep(ms / SPEED, signal),
    },
    http,
  }
}

const discover = (part: Partial<Joining> = {}) =>
  discoverCluster(
    fastMachine(),
    {caCertHashes: [plane.caHash], isVerificationSkipped: false, server: plane.server, token: FIRST_TOKEN, ...part},
    new AbortController().signal,
  )

const createToken = async (...args: readonly string[]): Promise<string> =>
  (await plane.kubeadm('token', 'create', ...args)).trim()

test('a token that kubeadm made leads to the cluster that signed it', async () => {
  const token = await createToken()
  expect(await discover({token})).toEqual({ca: plane.ca, server: plane.server, token})
})

test("the pin of kubeadm's join line is the one that is checked", async () => {
  const line = await plane.kubeadm('token', 'create', '--print-join-command')
  const [, token = '', hash = ''] = /--token (\S+) +--discovery-token-ca-cert-hash (\S+)/.exec(line) ?? []
  expect(hash).toBe(plane.caHash)
  expect(await discover({caCertHashes: [hash], token})).toMatchObject({token})
})

test('without a pin the signature alone is the proof', async () => {
  expect(await discover({caCertHashes: [], isVerificationSkipped: true})).toMatchObject({server: plane.server})
})

test('a wrong secret', async () => {
  await expect(discover({token: 'abcdef.fedcba9876543210'})).rejects.toMatchObject({id: 'JOIN_TOKEN_WRONG'})
})

test('an unknown token', async () => {
  await expect(discover({token: 'nobody.0123456789abcdef'})).rejects.toMatchObject({id: 'JOIN_TOKEN_UNSIGNED'})
})

test('a token after its time: the token cleaner deletes it, and its signature with it', async () => {
  const token = await createToken('--ttl', '2s')
  await waitUntil('the token cleaner', async () => {
    const {data} = (await plane.do({path: CLUSTER_INFO})) as {data: Record<string, string>}
    const list = await plane.kubeadm('token', 'list')
    const id = token.slice(0, 6)
    return !list.includes(id) && !(`jws-kubeconfig-${id}` in data) ? true : undefined
  })
  await expect(discover({token})).rejects.toMatchObject({id: 'JOIN_TOKEN_UNSIGNED'})
})

test('a token without usage-bootstrap-authentication', async () => {
  const token = await createToken()
  await withoutAuthentication(plane, token)
  await expect(discover({token})).rejects.toMatchObject({id: 'JOIN_TOKEN_REFUSED'})
})

test('a token without usage-bootstrap-signing', async () => {
  const token = await createToken('--usages', 'authentication')
  await expect(discover({token})).rejects.toMatchObject({id: 'JOIN_TOKEN_UNSIGNED'})
})

test('a token whose group may not request certificates', async () => {
  const token = await createToken('--groups', 'system:bootstrappers:other')
  await expect(discover({token})).rejects.toMatchObject({id: 'JOIN_TOKEN_FORBIDDEN'})
})

test('a pin of another authority', async () => {
  const failed = discover({caCertHashes: [`sha256:${'0'.repeat(64)}`]})
  await expect(failed).rejects.toMatchObject({id: 'JOIN_CA_MISMATCH'})
  const error = (await failed.catch((reason: unknown) => reason)) as {message: string; reason: string}
  expect(`${error.message} ${error.reason}`).toContain(plane.caHash)
})

test('a cluster without cluster-info, or whose cluster-info is not for everyone', async () => {
  const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public/rolebindings'
  const name = 'kubeadm:bootstrap-signer-clusterinfo'
  const binding = (await plane.do({path: `${role}/${name}`})) as {metadata: object}
  await plane.do({method: 'DELETE', path: `${role}/${name}`})
  await waitUntil('the authorizer', async () => (await plane.ask({path: CLUSTER_INFO})).status === 403 || undefined)
  try {
    await expect(discover()).rejects.toMatchObject({id: 'JOIN_NO_CLUSTER_INFO'})
  } finally {
    await plane.do({body: {...binding, metadata: {name}}, method: 'POST', path: role})
  }
})
