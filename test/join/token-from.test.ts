// --token-from and --kubeconfig-from on simulated virtual machines of three clouds: fetched once, with the machine's own
// identity, and never again where the node has its certificate or its kubeconfig.
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import type {MetadataState} from '../../src/simulator/world.js'
import {hardware} from '../hosts/sick-host.js'
import {examine} from '../doctor/doctor-rig.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {BOOTSTRAP_FILE, JOIN, joiningHost, KEYS, KUBECONFIG, placesOfToken, PROFILE, TOKEN} from './joining-host.js'
import {isWhole, turn} from '../sample.js'

const {token: _, ...WITHOUT_TOKEN} = JOIN
const CLIENT = '12345678-90ab-cdef-1234-567890abcdef'
const SOURCES = [
  ['aws', 'aws-ssm:/k8s/join'],
  ['aws', 'aws-sm:k8s/join'],
  ['azure', 'azure-kv:k8s-vault/join'],
  ['azure', `azure-kv:${CLIENT}@k8s-vault/join`],
  ['gce', 'gcp-sm:k8s-project/join'],
] as const
const [AWS, PARAMETER] = SOURCES[0]

const machineIn = (cloud: MetadataState['cloud'], secrets: Record<string, string>, more: Partial<MetadataState> = {}) =>
  joiningHost(({os}) => void (os.metadata = {cloud, secrets, ...more}))

const fetching = (host: HostFolder, source: string, given: GivenOptions = {}, dryRun = false) =>
  setupOn(host.dir, {...WITHOUT_TOKEN, 'token-from': source, ...given}, dryRun ? {dryRun} : {}, PROFILE)

const STORE = /^(?:GET|POST) https:\/\/(?:ssm|secretsmanager|secretmanager|vpce-|[\w-]+\.vault\.azure)/
const requestsOf = (host: HostFolder, pattern: RegExp): string[] =>
  host.transcript.flatMap(({what}) => (pattern.test(what) ? [what] : []))
const fetchesOf = (host: HostFolder): string[] => requestsOf(host, STORE)
const metadataOf = (host: HostFolder): string[] => requestsOf(host, /169\.254\.169\.254/)

describe.each(SOURCES)('in %s from %s', (cloud, source) => {
  const nth = SOURCES.findIndex(([, one]) => one === source)
  /** What every source has on its own is in test/host/secrets. */
  const once = test.runIf(isWhole || nth === 0)

  test.runIf(isWhole || nth % 2 === 0)('joins, and a second run fetches nothing', async () => {
    const host = await machineIn(cloud, {[source]: `${TOKEN}\r\n`})
    const {result} = await fetching(host, source)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    const requests = [fetchesOf(host).length, metadataOf(host).length]
    expect(requests[0]).toBe(1)
    const again = await fetching(host, source)
    expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect([fetchesOf(host).length, metadataOf(host).length]).toEqual(requests)
    expect(host.has(BOOTSTRAP_FILE)).toBe(false)
    expect(host.read(String.raw`k\k8s-win\node.yaml`)).not.toMatch(/tokenFrom|secretEndpoint/)
  })

  once('a plan shows the join, and changes nothing', async () => {
    const host = await machineIn(cloud, {[`${source}`]: JSON.stringify({other: 'x', token: TOKEN})})
    const before = host.state
    const {events, result} = await fetching(host, `${source}#token`, {}, true)
    expect([result.exitCode, result.outcome, fetchesOf(host).length]).toEqual([0, 'planned', 1])
    expect(JSON.stringify([events, result])).not.toContain(TOKEN.slice(7))
    expect(host.state).toEqual(before)
  })

  const FAULTS = [
    ['denied until its role is known', ['denied', 'denied'], undefined, 3],
    ['answered with a page', ['malformed'], 'SECRET_UNUSABLE', 1],
    ['throttled for a moment', ['throttled', 'throttled'], undefined, 3],
    ['expired once', ['expired'], undefined, 2],
    ['expired for good', ['expired', 'expired'], 'SECRET_UNREACHABLE', 2],
  ] as const
  test.each(turn(FAULTS, nth))('is %s', async (__, secretFaults, id, fetches) => {
    const host = await machineIn(cloud, {[source]: TOKEN}, {secretFaults: [...secretFaults]})
    const {result} = await fetching(host, source)
    expect([result.error?.id, result.exitCode, fetchesOf(host).length]).toEqual([id, id ? 3 : 0, fetches])
  })

  once('waits for the identity of a machine that has just started', async () => {
    const host = await machineIn(cloud, {[source]: TOKEN})
    host.edit(({os}) => void (os.metadata = {...os.metadata, cloud, identityReadyAt: os.time + 100_000}))
    const {events, result} = await fetching(host, source)
    expect([result.exitCode, fetchesOf(host).length]).toEqual([0, 1])
    const told = events.filter((event) => event.type === 'log' && event.message.startsWith(`waiting for ${source}`))
    expect(told).toHaveLength(1)
  })

  once('is named where the time of the run ends while it is waited for', async () => {
    const host = await machineIn(cloud, {[source]: TOKEN}, {identityReadyAt: Number.MAX_SAFE_INTEGER})
    const {result} = await fetching(host, source, {timeout: '60s'})
    expect(result).toMatchObject({error: {id: 'TIMEOUT_PASSED'}, exitCode: 6})
    expect(result.error?.cause).toContain(`waited for: ${source}: `)
  })

  once('a machine without an identity, and a secret that is not there', async () => {
    const without = await machineIn(cloud, {[source]: TOKEN}, {identityReadyAt: Number.MAX_SAFE_INTEGER})
    const {result} = await fetching(without, source)
    expect([result.error?.id, result.exitCode, fetchesOf(without)]).toEqual(['SECRET_IDENTITY_MISSING', 3, []])
    const another = await machineIn(cloud, {[`${source}-2`]: TOKEN})
    expect((await fetching(another, source)).result.error?.id).toBe('SECRET_NOT_FOUND')
  })
})

test.each([
  ['Amazon EC2', 'm5.large', 'azure-kv:k8s-vault/join', 'SECRET_OTHER_CLOUD'],
  ['Google', 'Google Compute Engine', PARAMETER, 'SECRET_OTHER_CLOUD'],
  ['Amazon EC2', 'm5.large', PARAMETER, undefined],
  // Also what Hyper-V reports elsewhere.
  ['Microsoft Corporation', 'Virtual Machine', PARAMETER, undefined],
])('on a machine of %s %s from %s: %s', async (manufacturer, product, source, id) => {
  const host = await machineIn(AWS, {[PARAMETER]: TOKEN})
  host.edit((world) => hardware(world, manufacturer, product))
  const {result} = await fetching(host, source, {cloud: 'none'})
  expect([result.error?.id, fetchesOf(host).length]).toEqual(id === undefined ? [undefined, 1] : [id, 0])
  if (id !== undefined) expect([result.exitCode, metadataOf(host)]).toEqual([3, []])
})

describe('a token', () => {
  test('that has expired in the store is replaced there, and the same command joins', async () => {
    const host = await machineIn(AWS, {[PARAMETER]: 'zzzzzz.0123456789abcdef'})
    expect((await fetching(host, PARAMETER)).result.error?.id).toBe('JOIN_TOKEN_UNSIGNED')
    host.edit(({os}) => void (os.metadata = {cloud: AWS, secrets: {[PARAMETER]: TOKEN}}))
    expect((await fetching(host, PARAMETER)).result.exitCode).toBe(0)
    expect(placesOfToken(host)).toEqual(['the world'])
  })

  test('that is needed again is fetched again', async () => {
    const host = await machineIn(AWS, {[PARAMETER]: TOKEN})
    expect((await fetching(host, PARAMETER)).result.exitCode).toBe(0)
    host.remove(String.raw`${KEYS}\kubelet-client-current.pem`)
    expect((await fetching(host, PARAMETER)).result.exitCode).toBe(0)
    expect(fetchesOf(host)).toHaveLength(2)
  })

  test('that is none, and a key that is not there', async () => {
    const host = await machineIn(AWS, {[PARAMETER]: '{"canary":"of a token"}'})
    const {events, result} = await fetching(host, PARAMETER)
    expect(result.error?.id).toBe('JOIN_TOKEN_FILE')
    const other = await fetching(host, `${PARAMETER}#token`)
    expect(other.result.error?.id).toBe('SECRET_UNUSABLE')
    expect(JSON.stringify([events, result, other])).not.toContain('canary')
  })

  test('comes through a private endpoint, also in a cloud with a proxy', async () => {
    const host = await machineIn(AWS, {[PARAMETER]: TOKEN})
    host.edit(({environment}) => void (environment['HTTP_PROXY'] = 'http://proxy.corp:3128'))
    const endpoint = 'https://vpce-1.ssm.eu-central-1.vpce.amazonaws.com'
    expect((await fetching(host, PARAMETER, {'secret-endpoint': endpoint})).result.exitCode).toBe(0)
    expect(fetchesOf(host)).toEqual([`POST ${endpoint}/`])
  })

  test('comes from a private endpoint of Key Vault by the name of the vault alone', async () => {
    const [, , [azure, source]] = SOURCES
    const host = await machineIn(azure, {[source]: TOKEN})
    // No certificate of Key Vault has this name.
    const name = 'k8s-vault.privatelink.vaultcore.azure.net'
    const endpoint = {'secret-endpoint': `https://${name}`, 'trust-secret-endpoint': [name]}
    const {result} = await fetching(host, source, endpoint)
    expect(result).toMatchObject({error: {id: 'SECRET_UNREACHABLE'}, exitCode: 3})
    expect((await fetching(host, source)).result.exitCode).toBe(0)
  })

  test('is not fetched by doctor', async () => {
    const host = await machineIn(AWS, {[PARAMETER]: TOKEN})
    await examine(host, {given: {...WITHOUT_TOKEN, 'token-from': PARAMETER}, profile: PROFILE})
    expect([metadataOf(host), fetchesOf(host)]).toEqual([[], []])
  })
})

describe('a kubeconfig', () => {
  const SOURCE = 'gcp-sm:k8s-project/kubeconfig'

  async function machine(): Promise<{host: HostFolder; kubeconfig: string}> {
    const host = await machineIn('gce', {})
    const kubeconfig = makeKubeconfig(host.world.cluster.serverURL)
    host.edit(({os}) => void (os.metadata = {cloud: 'gce', secrets: {[SOURCE]: kubeconfig}}))
    return {host, kubeconfig}
  }
  const setup = (host: HostFolder, given: GivenOptions = {}, dryRun = false) =>
    setupOn(host.dir, {'base-images': 'none', 'kubeconfig-from': SOURCE, ...given}, dryRun ? {dryRun} : {}, PROFILE)

  test('is written by the first run; later ones ask nothing', async () => {
    const {host} = await machine()
    expect((await setup(host)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    const asked = [fetchesOf(host).length, metadataOf(host).length]
    expect(asked[0]).toBe(1)
    const again = await setup(host)
    expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect([fetchesOf(host).length, metadataOf(host).length]).toEqual(asked)
    expect(host.read(String.raw`k\k8s-win\node.yaml`)).not.toContain('kubeconfigFrom')
  })

  test('has the same access list, and the same text, as a copy of a file', async () => {
    const {host, kubeconfig} = await machine()
    const other = await joiningHost()
    other.put('given', kubeconfig)
    await setup(host)
    await setupOn(other.dir, {'base-images': 'none', kubeconfig: String.raw`C:\given`}, {}, PROFILE)
    expect(host.read(KUBECONFIG)).toBe(other.read(KUBECONFIG))
    const sddlOf = ({world}: HostFolder) => world.security[String.raw`c:\k\kubeconfig`]
    expect(sddlOf(host)).toMatch(/^O:BAD:PAI/)
    expect(sddlOf(host)).toBe(sddlOf(other))
  })

  test('is planned, and not shown', async () => {
    const {host, kubeconfig} = await machine()
    const before = host.state
    const {events, result} = await setup(host, {}, true)
    expect([result.exitCode, fetchesOf(host).length]).toEqual([0, 1])
    const [, key = ''] = /client-key-data: (\S+)/.exec(kubeconfig) ?? []
    expect(key.length).toBeGreaterThan(40)
    expect(JSON.stringify([events, result])).not.toContain(key.slice(0, 40))
    expect(JSON.stringify(result)).toContain(String.raw`C:\\k\\kubeconfig`)
    expect(host.state).toEqual(before)
  })

  test.each([
    ['no kubeconfig', 'canary: true', 'KUBECONFIG_UNREADABLE'],
    ['one without verification', undefined, 'KUBECONFIG_UNREADABLE'],
  ])('is judged as a file is: %s', async (__, text, id) => {
    const {host, kubeconfig} = await machine()
    const bad = text ?? kubeconfig.replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: true')
    host.edit(({os}) => void (os.metadata = {cloud: 'gce', secrets: {[SOURCE]: bad}}))
    const {result} = await setup(host)
    expect([result.error?.id, result.exitCode, host.has(KUBECONFIG)]).toEqual([id, 3, false])
    expect(result.error?.message).toContain(SOURCE)
    expect(JSON.stringify(result)).not.toContain('canary')
  })

  test('also creates the base directory', async () => {
    const {host} = await machine()
    expect((await setup(host, {'base-dir': String.raw`C:\node`})).result.exitCode).toBe(0)
    expect(host.has(String.raw`node\kubeconfig`)).toBe(true)
  })
})
