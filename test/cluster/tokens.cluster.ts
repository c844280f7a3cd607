// k8s-win token create, list and delete against the real cluster: kubeadm sees the same tokens, and nodes join with them.
import {afterAll, beforeAll, expect, test} from 'vitest'
import {discoverCluster} from '../../src/host/cluster/discovery.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {k8sWinProcess} from '../cli/program.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane} from './control-plane.js'
import {nodeIdentity} from './node-identity.js'

interface Created {
  readonly caCertHashes: readonly string[]
  readonly expiresAt?: string
  readonly server: string
  readonly token: string
}

let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane()
})
afterAll(() => plane?.close())

const k8sWin = (...args: readonly string[]) =>
  k8sWinProcess(['token', ...args, '--kubeconfig', plane.adminKubeconfig, '--json'])

async function create(...args: readonly string[]): Promise<Created> {
  const {code, stderr, stdout} = await k8sWin('create', ...args)
  expect({code, stderr}).toMatchObject({code: 0})
  return JSON.parse(stdout) as Created
}

interface KubeadmToken {
  readonly description?: string
  readonly expires?: string
  readonly groups: readonly string[]
  readonly token: string
  readonly usages: readonly string[]
}

/** One document per token, without a separator. */
async function kubeadmTokens(): Promise<KubeadmToken[]> {
  const out = await plane.kubeadm('token', 'list', '-o', 'json')
  return out
    .split(/^(?=\{)/m)
    .filter((text) => text.trim() !== '')
    .map((text) => JSON.parse(text) as KubeadmToken)
}

test('kubeadm lists a token of k8s-win as its own', async () => {
  const {caCertHashes, expiresAt, server, token} = await create('--ttl', '2h', '--description', 'for win-1')
  expect({caCertHashes, server}).toEqual({caCertHashes: [plane.caHash], server: plane.server})
  const found = (await kubeadmTokens()).find((one) => one.token === token)
  expect(found).toMatchObject({
    description: 'for win-1',
    groups: ['system:bootstrappers:kubeadm:default-node-token'],
    usages: ['authentication', 'signing'],
  })
  expect(Date.parse(found?.expires ?? '')).toBe(Date.parse(expiresAt ?? 'none'))
})

test('a node joins with what token create prints', async () => {
  const {caCertHashes, server, token} = await create()
  const join = {caCertHashes, isVerificationSkipped: false, server, token}
  const {signal} = new AbortController()
  expect(await discoverCluster(openRealMachine({environment: {}}), join, signal)).toMatchObject({token})
  expect((await nodeIdentity(plane, 'win-7', {token})).cert).toContain('BEGIN CERTIFICATE')
})

test("token list shows kubeadm's tokens, without their secrets", async () => {
  const token = (
    await plane.kubeadm('token', 'create', '--usages', 'authentication', '--description', 'by kubeadm')
  ).trim()
  const {code, stdout} = await k8sWin('list')
  expect(code).toBe(0)
  const {tokens} = JSON.parse(stdout) as {tokens: {id: string}[]}
  expect(tokens.map(({id}) => id).sort()).toEqual((await kubeadmTokens()).map((one) => one.token.slice(0, 6)).sort())
  expect(tokens.find(({id}) => id === token.slice(0, 6))).toMatchObject({
    description: 'by kubeadm',
    usages: ['authentication'],
  })
  expect(stdout).not.toContain(token.slice(7))
})

test('after token delete kubeadm no longer lists the token, and the API server refuses it', async () => {
  const {token} = await create()
  expect(await k8sWin('delete', token.slice(0, 6))).toMatchObject({code: 0})
  expect((await kubeadmTokens()).map((one) => one.token)).not.toContain(token)
  expect((await plane.ask({as: {token}, path: '/version'})).status).toBe(401)
})

test('a node may do none of it', async () => {
  const {cert, key} = await nodeIdentity(plane, 'win-8', {token: FIRST_TOKEN})
  for (const method of ['GET', 'POST'] as const) {
    const path = '/api/v1/namespaces/kube-system/secrets'
    const {status} = await plane.ask({as: {cert, key}, ...(method === 'POST' && {body: {}}), method, path})
    expect([method, status]).toEqual([method, 403])
  }
})
