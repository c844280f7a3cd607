// Secrets in every input, and none of them in anything that is shown, logged or kept, however the run ends.
import {once} from 'node:events'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {makeTokenSecret} from '../../src/simulator/cluster/bootstrap-tokens.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {bundleOn} from '../bundle/bundle-on.js'
import {k8sWinProcess, startK8sWin} from '../cli/program.js'
import {BOOTSTRAP_FILE, hashOf, KEYS, KUBECONFIG, SERVER} from '../join/joining-host.js'
import {sample} from '../sample.js'
import {SimulatedHost} from '../setup/simulated-host.js'
import {HostFolder} from '../steps/host-folder.js'
import {temporaryFolder} from '../steps/rig.js'
import {bootstrapToken, type Canary, formsOf, jwt, password, sightings, token} from './canaries.js'
import {evidenceOf} from './evidence.js'
import {CASES, type SecretCase} from './hosts.js'
import {tellAll, type Told} from './tell-all.js'

/** The key that the fresh host's kubeconfig holds: every line of it. */
const KEY: readonly Canary[] = NODE_CERTIFICATE.key
  .split('\n')
  .filter((line) => line.length > 40)
  .map((secret) => ({kind: 'client key', secret}))

const environmentOf = (host: SimulatedHost): NodeJS.ProcessEnv => ({
  K8S_WIN_SIMULATE: 'ws2019',
  K8S_WIN_SIMULATE_DIR: host.dir,
})

/** In memory, with a folder for files of this machine. */
async function prepared(wanted?: SecretCase): Promise<{dir: string; host: HostFolder}> {
  const [dir, host] = [temporaryFolder(), await HostFolder.fresh()]
  wanted?.make?.(host, dir)
  return {dir, host}
}

function found(host: HostFolder, shown: Readonly<Record<string, string>>, canaries: readonly Canary[]): string[] {
  return Object.entries(evidenceOf(host, shown)).flatMap(([place, text]) => sightings(canaries, place, text))
}

describe('shown nowhere', () => {
  test.each(sample(CASES, 3))('$name', async (wanted) => {
    const {canaries, environment, exitCode, given = {}} = wanted
    const {dir, host} = await prepared(wanted)
    const beside = Object.entries(given).map(([flag, value]) => [flag, String(value).replace('<dir>', dir)])
    const told = await tellAll(host.dir, Object.fromEntries(beside) as GivenOptions, environment)
    expect(found(host, told.shown, [...canaries, ...KEY])).toEqual([])
    expect(told.exitCode, told.shown['plain lines']).toBe(exitCode)
    if (exitCode === 0) expect(Object.keys(evidenceOf(host, {})).join(' ')).toMatch(/k\/logs\/k8s-win\/setup-/)
  })

  test('a token and a key, where it is only planned to copy them', async () => {
    const {dir, host} = await prepared(CASES[0])
    const identities = ['kubelet', 'kube-proxy', 'flanneld'].map((name) => [`${name}-kubeconfig`, `${dir}/key`])
    writeFileSync(join(dir, 'key'), makeKubeconfig(host.world.cluster.serverURL))
    const given = {'base-dir': String.raw`C:\node`, kubeconfig: String.raw`C:\k\kubeconfig`}
    const all = {...given, ...(Object.fromEntries(identities) as GivenOptions)}
    const told = await tellAll(host.dir, all, {}, true)
    expect(found(host, told.shown, [token, ...KEY])).toEqual([])
    expect(told.exitCode, told.shown['plain lines']).toBe(0)
    expect(told.shown['plain lines']).toContain(String.raw`C:\node\kubelet.kubeconfig`)
  })

  test.each(
    sample(
      [
        {args: ['--token', bootstrapToken.secret], name: 'without a server'},
        {args: [`--token=${token.secret}`], name: 'that is none of a bootstrap'},
        {args: ['-Token', jwt.secret], name: 'in the style of PowerShell'},
        {args: ['--tokn', bootstrapToken.secret], name: 'for a flag that is none'},
        {args: ['--server', `https://x:${password.secret}@h:6443`], name: 'and a password in the server'},
        {args: [jwt.secret], name: 'for nothing at all'},
      ],
      2,
    ),
  )('a token $name', async ({args}) => {
    const host = await SimulatedHost.make()
    const {code, stderr, stdout} = await k8sWinProcess(['setup', ...args], environmentOf(host))
    expect(found(host, {stderr, stdout}, [bootstrapToken, jwt, password, token])).toEqual([])
    expect(code).toBe(2)
  })

  /** Nothing answers there, so that the token is not known either way. */
  const unreachable = {'ca-cert-hash': [`sha256:${'0'.repeat(64)}`], server: 'https://10.0.0.99:6443'}
  const joining = {'ca-cert-hash': [hashOf(CLUSTER_CA)], server: SERVER}
  const [id = '', half = ''] = bootstrapToken.secret.split('.')
  const halves = [half, half.toUpperCase()].map((secret) => ({kind: 'secret half', secret}))
  const typed = {token: bootstrapToken.secret}
  const inEnvironment = {K8S_WIN_TOKEN: bootstrapToken.secret}
  const inFile = {'token-file': '<dir>/token'}
  const SOURCE = 'aws-ssm:/k8s/join'
  const inStore = {'token-from': `${SOURCE}#token`}
  /** Of the simulated role. */
  const role = [
    'ASIASIMULATEDACCESSK',
    'simulatedSecretAccessKeyOfTheRole0123456',
    'IQoJsimulatedSessionTokenOfTheRole0123456789abcdef==',
  ]
  const credentials = role.map((secret) => ({kind: 'credentials of a role', secret}))

  /** Without a kubeconfig, in a cluster that knows the token. */
  async function tellJoining(given: GivenOptions, environment = {}): Promise<{host: HostFolder; told: Told}> {
    const {dir, host} = await prepared()
    host.remove(KUBECONFIG)
    const stored = JSON.stringify({password: password.secret, token: bootstrapToken.secret})
    host.edit(({cluster, os}) => {
      cluster.secrets = [makeTokenSecret(id, half)]
      os.metadata = {cloud: 'aws', secrets: {[SOURCE]: stored}}
    })
    writeFileSync(join(dir, 'token'), `${bootstrapToken.secret}\n`)
    const options = Object.entries(given).map(([flag, value]) => [flag, String(value).replace('<dir>', dir)])
    return {host, told: await tellAll(host.dir, Object.fromEntries(options) as GivenOptions, environment)}
  }

  test.each<{environment?: Record<string, string>; exitCode: number; given: GivenOptions; name: string}>(
    sample(
      [
        {exitCode: 0, given: {...joining, ...typed}, name: 'of the command line'},
        {environment: inEnvironment, exitCode: 0, given: joining, name: 'of the environment'},
        {exitCode: 0, given: {...joining, ...inFile}, name: 'in a file'},
        {exitCode: 0, given: {...joining, ...inStore}, name: 'in a secret store'},
        {exitCode: 3, given: {...unreachable, ...typed}, name: 'of the command line, and no server'},
        {environment: inEnvironment, exitCode: 3, given: unreachable, name: 'of the environment, and no server'},
        {exitCode: 3, given: {...unreachable, ...inFile}, name: 'in a file, and no server'},
        {exitCode: 3, given: {...unreachable, ...inStore}, name: 'in a secret store, and no server'},
        {exitCode: 3, given: {...joining, 'token-from': SOURCE}, name: 'in a secret store, and no key'},
        {exitCode: 2, given: {...joining, token: bootstrapToken.secret.toUpperCase()}, name: 'with a mistake'},
      ],
      3,
    ),
  )('a bootstrap token to join with, $name', async ({environment, exitCode, given}) => {
    const {host, told} = await tellJoining(given, environment)
    expect(told.exitCode, told.shown['plain lines']).toBe(exitCode)
    expect(found(host, told.shown, [bootstrapToken, ...halves, password, ...credentials])).toEqual([])
    const isWarned = told.shown['plain lines']?.includes('other processes can read the token of --token')
    expect(isWarned).toBe(given.token === bootstrapToken.secret)
    // The search leaves kubeconfigs out.
    const kubeconfigs = [KUBECONFIG, BOOTSTRAP_FILE].filter((path) => host.has(path))
    expect(kubeconfigs).toEqual(exitCode === 0 ? [KUBECONFIG] : [])
    for (const path of kubeconfigs) expect(sightings([bootstrapToken, ...halves], path, host.read(path))).toEqual([])
  })

  test.each([
    [inStore, 0],
    [{'token-from': SOURCE}, 3],
  ])('in a bundle after a run with %j', async (given, exitCode) => {
    const {host, told} = await tellJoining({...joining, ...given})
    expect(told.exitCode, told.shown['plain lines']).toBe(exitCode)
    const {members, text} = await bundleOn(host)
    expect(text('simulator/transcript.ndjson')).toContain('POST https://ssm.')
    const canaries = [bootstrapToken, ...halves, password, ...credentials]
    const found = [...members].flatMap(([name, bytes]) => sightings(canaries, name, bytes.toString('utf8')))
    expect(found).toEqual([])
  })

  test.each([true, false])('a fetched kubeconfig; only planned: %s', async (isPlan) => {
    const {host} = await prepared()
    host.remove(KUBECONFIG)
    const text = makeKubeconfig(host.world.cluster.serverURL)
    host.edit(({os}) => void (os.metadata = {cloud: 'aws', secrets: {[SOURCE]: text}}))
    const told = await tellAll(host.dir, {'kubeconfig-from': SOURCE}, {}, isPlan)
    expect(told.exitCode, told.shown['plain lines']).toBe(0)
    expect(found(host, told.shown, [...KEY, ...credentials])).toEqual([])
    expect(host.has(KUBECONFIG)).toBe(!isPlan)
  })

  test("the key of a node's own certificate", async () => {
    const {host, told} = await tellJoining({...joining, ...inFile})
    expect(told.exitCode).toBe(0)
    const [, key = ''] = host
      .read(String.raw`${KEYS}\kubelet-client-current.pem`)
      .split('-----BEGIN EC PRIVATE KEY-----')
    const lines = key.split('\n').filter((line) => line.length > 40)
    expect(lines.length).toBeGreaterThan(1)
    const canaries = lines.map((secret) => ({kind: 'client key', secret}))
    expect(found(host, told.shown, canaries)).toEqual([])
    expect(sightings(canaries, KUBECONFIG, host.read(KUBECONFIG))).toEqual([])
  })

  test('a bootstrap token on a command line that is shown again', async () => {
    const host = await SimulatedHost.make()
    host.remove(KUBECONFIG)
    const args = ['setup', '-Token', bootstrapToken.secret, '--server', unreachable.server]
    const {code, stderr, stdout} = await k8sWinProcess(
      [...args, '--unsafe-skip-ca-verification', '--dry-run'],
      environmentOf(host),
    )
    expect(found(host, {stderr, stdout}, [bootstrapToken, ...halves])).toEqual([])
    expect(stderr + stdout).toContain('JOIN_SERVER_UNREACHABLE')
    expect(code).toBe(3)
  })

  test('a token, where the run is interrupted', async () => {
    const host = await SimulatedHost.make()
    CASES[0]?.make?.(host, host.dir)
    const child = startK8sWin(['setup', '--output', 'ndjson', '--verbose'], environmentOf(host))
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout === '') child.kill('SIGINT')
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const [code] = (await once(child, 'close')) as [number]
    expect(found(host, {stderr, stdout}, [token, ...KEY])).toEqual([])
    expect(code).toBe(130)
  })
})

test('the search finds a secret in every form', () => {
  for (const canary of CASES.flatMap(({canaries}) => canaries)) {
    const {secret} = canary
    const texts = [
      secret,
      JSON.stringify({a: secret}),
      JSON.stringify({a: JSON.stringify({b: secret})}),
      `https://x/?a=${encodeURIComponent(secret)}`,
      ...['', 'x', 'xy'].map((before) => Buffer.from(`${before}${secret}z`).toString('base64')),
      `${secret.slice(0, 8)}\n  ${secret.slice(8)}`,
    ]
    for (const text of texts) expect(sightings([canary], 'here', text), text).not.toEqual([])
    expect(sightings([canary], 'here', 'nothing of it')).toEqual([])
    expect(new Set(formsOf(canary)).size).toBeGreaterThan(3)
  }
})
