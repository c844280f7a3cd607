// Whose identity creates the pod of the smoke test: what it may not do is not checked, and it is stored nowhere.
import {describe, expect, it} from 'vitest'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import type {World} from '../../src/simulator/world.js'
import {CONTAINERD_PROFILE, setUpHost} from '../reset/set-up-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {ADMIN_FILE, all, creations, podsLeft, verifyOn} from './verify-run.js'

const node = setUpHost({}, undefined, CONTAINERD_PROFILE)
const old = setUpHost()
const TOKEN = 'a-token-of-somebody'
const TOKEN_FILE = 'token.conf'

/** A copy whose cluster knows this user by a token. */
function withUser(user: string, permissions: string[], change: (world: World) => void = () => {}): HostFolder {
  const host = node.copy()
  host.edit((world) => {
    world.cluster.tokens = {[TOKEN]: user}
    world.cluster.permissionsOf = {[user]: permissions}
    change(world)
  })
  const text = makeKubeconfig(host.world.cluster.serverURL)
  host.put(
    TOKEN_FILE,
    text.replace(/ {4}client-certificate-data:.*\n {4}client-key-data:.*\n/, `    token: ${TOKEN}\n`),
  )
  return host
}

const ofUser = {kubeconfig: `C:\\${TOKEN_FILE}`}

describe('is not checked', () => {
  it('as the node itself, without a request that the cluster would refuse', async () => {
    const host = node.copy()
    const {checks, result} = await verifyOn(host, {kubeconfig: undefined})
    expect(checks).toEqual(all('not checked'))
    expect(result).toMatchObject({exitCode: 8, outcome: 'not-checked'})
    expect(result.checks.map(({result: said}) => said)).toEqual(['not-checked', 'not-checked', 'not-checked'])
    for (const {message} of result.checks) expect(message).toContain('can: "k8s-win verify --kubeconfig <file>"')
    expect(creations(host)).toBe(0)
  })

  it('as a node that is known by a token: NodeRestriction refuses it', async () => {
    const host = withUser('system:node:win-1', ['Node', 'RBAC', '* services', '* endpointslices', 'get pods'])
    const {checks, result} = await verifyOn(host, ofUser)
    expect(checks).toEqual(all('not checked'))
    expect(result.exitCode).toBe(8)
    expect(result.checks[0]?.message).toContain('can: "k8s-win verify --kubeconfig <file>"')
    expect(creations(host)).toBeGreaterThan(0)
  })

  it('as a user who may only read', async () => {
    const host = withUser('reader', ['get pods', 'get nodes'])
    const {checks, result} = await verifyOn(host, ofUser)
    expect(checks).toEqual(all('not checked'))
    expect(result.checks[0]?.message).toContain('create, delete pods')
    expect(creations(host)).toBe(0)
  })

  it('in a namespace whose quota is used up', async () => {
    const host = node.copy()
    host.edit(({cluster}) => (cluster.namespaces = [{name: 'default', quotas: [{name: 'none', pods: 0}]}]))
    const {checks, result} = await verifyOn(host)
    expect(checks).toEqual(all('not checked'))
    expect(result.checks[0]?.message).toContain('exceeded quota: none')
    expect(result.exitCode).toBe(8)
  })

  it('while a pod of the same name exists that k8s-win did not create', async () => {
    const host = node.copy()
    const foreign = {name: 'k8s-win-verify-win-1', namespace: 'default', node: 'linux-1'}
    host.edit(({cluster}) => (cluster.pods = [foreign]))
    const {checks} = await verifyOn(host)
    expect(checks).toEqual(all('not checked'))
    expect(podsLeft(host)).toEqual([foreign.name])
  })
})

describe('the level "restricted" of PodSecurity', () => {
  const restrict = ({cluster}: World): void => {
    cluster.namespaces = [{labels: {'pod-security.kubernetes.io/enforce': 'restricted'}, name: 'default'}]
  }

  it('admits the pod, which says that it is for Windows', async () => {
    const host = node.copy()
    host.edit(restrict)
    expect((await verifyOn(host)).checks).toEqual(all('pass'))
  })

  it('refuses it before 1.25, which knows no such pods', async () => {
    const host = old.copy()
    host.edit(restrict)
    const {checks, result} = await verifyOn(host)
    expect(checks).toEqual(all('not checked'))
    expect(result.checks[0]?.message).toContain('violates PodSecurity "restricted:latest"')
  })
})

it('with pods only: everything else is asked as far as it may', async () => {
  const host = withUser('tester', ['* pods'])
  const {checks, result} = await verifyOn(host, ofUser)
  expect(result.error).toBeUndefined()
  expect(checks).toEqual({'smoke-dns': 'pass', 'smoke-pods': 'not checked', 'smoke-service': 'pass'})
})

it('a kubeconfig of a cluster without this node: no pod is created', async () => {
  const host = node.copy()
  host.edit(({cluster}) => (cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')))
  host.edit(({services: {kubelet}}) => {
    if (kubelet) Object.assign(kubelet, {listening: [], state: 'stopped'})
  })
  const {result} = await verifyOn(host)
  expect(result).toMatchObject({error: {id: 'SMOKE_POD_NOT_RUN'}, exitCode: 6})
  expect(creations(host)).toBe(0)
})

it.each([
  ['is not there', 'C:\\none.conf', 'KUBECONFIG_MISSING'],
  ['is none', String.raw`C:\k\k8s-win\node.yaml`, 'KUBECONFIG_UNREADABLE'],
])('a kubeconfig that %s', async (_, kubeconfig, id) => {
  const {result} = await verifyOn(node.copy(), {kubeconfig})
  expect(result).toMatchObject({checks: [], error: {id}, exitCode: 3})
})

it.each([
  ['Users', ADMIN_FILE, 1],
  ['nobody else', String.raw`k\k8s-win\${ADMIN_FILE}`, 0],
])('a kubeconfig that %s can read: warnings', async (_, file, warnings) => {
  const host = node.copy()
  host.put(file, makeKubeconfig(host.world.cluster.serverURL, ADMIN_CERTIFICATE))
  const {checks, events} = await verifyOn(host, {kubeconfig: `C:\\${file}`})
  expect(checks).toEqual(all('pass'))
  const about = events.filter((event) => event.type === 'log' && event.level === 'warn' && event.message.includes(file))
  expect(about).toHaveLength(warnings)
})

it('texts that are for setup fit verify', async () => {
  const host = node.copy()
  const given = await verifyOn(host, {kubeconfig: String.raw`C:\none.conf`})
  expect(given.result.error?.fix).toContain('passed to --kubeconfig')
  host.remove(String.raw`k\kubeconfig`)
  const own = await verifyOn(host, {kubeconfig: undefined})
  expect(own.result.error).toMatchObject({id: 'KUBECONFIG_MISSING'})
  expect(own.result.error?.fix).toContain('"k8s-win setup --kubeconfig <file>"')
})

it("an administrator's key is stored nowhere", async () => {
  const host = node.copy()
  const before = host.read(String.raw`k\kubeconfig`)
  const {events, result} = await verifyOn(host)
  expect(result.exitCode).toBe(0)
  expect(host.read(String.raw`k\kubeconfig`)).toBe(before)
  const {key} = ADMIN_CERTIFICATE
  const secrets = [key.split('\n')[2] ?? '', Buffer.from(key).toString('base64').slice(140, 200)]
  const files = host.filesBut((name) => name.endsWith(ADMIN_FILE))
  const written = [...Object.values(files), JSON.stringify(events), JSON.stringify(result), host.transcriptText]
  for (const secret of secrets) expect(written.some((text) => text.includes(secret))).toBe(false)
  // What is looked for is found where it is.
  expect(host.read(String.raw`k\kubeconfig`)).toContain(
    Buffer.from(NODE_CERTIFICATE.key).toString('base64').slice(140, 200),
  )
})
