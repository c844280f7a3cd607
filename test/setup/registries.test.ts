// --registry-config: registries with mirrors, certificates and headers of their own, on a node with containerd.
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {readRegistries} from '../../src/host/containerd/registry-config.js'
import {openSecurity} from '../../src/host/security/security.js'
import {openTrust} from '../../src/host/security/trust.js'
import {readKnownNode} from '../../src/runs/known-node.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import type {World} from '../../src/simulator/world.js'
import {bundleOn} from '../bundle/bundle-on.js'
import {hostWith} from '../fixtures/present-containerd.js'
import {allowEverything} from '../fakes/administrator.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn, type Watch} from './in-process.js'
import {sample} from '../sample.js'

const PROFILE = 'ws2022-containerd'
const FOLDER = String.raw`C:\registries`
const GIVEN: GivenOptions = {'registry-config': FOLDER}
const CERTS = String.raw`k\containerd\certs.d`
const COPY = String.raw`k\k8s-win\registries.json`
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const PASSWORD = 'hunter2-of-the-mirror'
const HEADER = `Basic ${Buffer.from(`someone:${PASSWORD}`).toString('base64')}`
const MIRROR = 'mirror.example:5000'
/** Of the registry that setup itself pulls from. */
const HOSTS = `server = 'https://mcr.microsoft.com'

[host."https://${MIRROR}"]
capabilities = ['pull', 'resolve']
ca = 'ca.crt'
client = [['client.cert', 'client.key']]
[host."https://${MIRROR}".header]
"Authorization" = '${HEADER}'
`
const FILES: Readonly<Record<string, string>> = {
  [String.raw`mcr.microsoft.com\ca.crt`]: CLUSTER_CA,
  [String.raw`mcr.microsoft.com\client.cert`]: NODE_CERTIFICATE.cert,
  [String.raw`mcr.microsoft.com\client.key`]: NODE_CERTIFICATE.key,
  [String.raw`mcr.microsoft.com\hosts.toml`]: HOSTS,
  [String.raw`registry.example_5000_\ca.crt`]: CLUSTER_CA,
}
const SECRETS = [PASSWORD, HEADER, NODE_CERTIFICATE.key.split('\n')[3] ?? '']

const put = (host: HostFolder, files: Readonly<Record<string, Buffer | string>> = FILES): void => {
  host.remove('registries')
  host.makeFolder('registries')
  for (const [path, content] of Object.entries(files)) host.put(`registries\\${path}`, content)
}

async function fresh(sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  const host = await HostFolder.fresh((world) => {
    allowEverything(world)
    world.security[FOLDER.toLowerCase()] = CLOSED
    sicken(world)
  }, PROFILE)
  put(host)
  onTestFinished(() => host.discard())
  return host
}

const setup = async (host: HostFolder, given: GivenOptions = {}, watch: Watch = {}) =>
  (await setupOn(host.dir, given, watch, PROFILE)).result

/** What is in certs.d, by its path there. */
const filesIn = (host: HostFolder): Record<string, string> =>
  Object.fromEntries(
    (host.has(CERTS) ? host.list(CERTS) : []).flatMap((registry) =>
      host
        .list(`${CERTS}\\${registry}`)
        .filter((name) => !name.endsWith('.before-k8s-win'))
        .map((name) => [`${registry}\\${name}`, host.read(`${CERTS}\\${registry}\\${name}`)]),
    ),
  )
const changedIn = ({steps}: RunResultDocument): string[] =>
  steps.filter(({state}) => state === 'changed').map(({id}) => id)

const driftIn = async (host: HostFolder): Promise<string[]> =>
  ((await statusOn(host.dir, {profile: PROFILE})).document.drift ?? []).flatMap(({state, step}) =>
    state === 'in-place' ? [] : [step],
  )

describe('--registry-config', () => {
  let before: HostFolder
  let node: HostFolder
  beforeAll(async () => {
    before = await HostFolder.fresh((world) => {
      allowEverything(world)
      world.security[FOLDER.toLowerCase()] = CLOSED
      // Only the mirror of the folder has the images.
      for (const image of ['windows/nanoserver:ltsc2022', 'windows/servercore:ltsc2022'])
        world.downloads[`mcr.microsoft.com/${image}`] = {fault: 'unreachable'}
    }, PROFILE)
    put(before)
    node = before.copy()
    expect(await setup(node, GIVEN)).toMatchObject({exitCode: 0, node: {ready: true}})
  })
  const copyOf = (host: HostFolder): HostFolder => {
    const copy = host.copy()
    onTestFinished(() => copy.discard())
    return copy
  }

  it('is copied and restricted to administrators, and containerd pulls through its mirror', () => {
    expect(filesIn(node)).toEqual(FILES)
    const {security} = node.world
    const lists = [COPY, ...Object.keys(FILES).map((path) => `${CERTS}\\${path}`)].map(
      (path) => security[`c:\\${path}`.toLowerCase()],
    )
    expect(new Set(lists)).toEqual(new Set(['O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)']))
    expect(node.read(String.raw`k\k8s-win\node.yaml`)).toContain(
      String.raw`registryConfig: "C:\\k\\k8s-win\\registries.json"`,
    )
  })

  it('review K3-1: is written anew, so that containerd reads what k8s-win has read', async () => {
    const host = copyOf(before)
    const [path, ca] = [String.raw`mcr.microsoft.com\hosts.toml`, String.raw`mcr.microsoft.com\ca.crt`]
    const inline = `\uFEFF[host]\n"https://${MIRROR}" = {ca = "\\x63a.crt", capabilities = ["pull", "resolve"],}\n`
    put(host, {[ca]: `\uFEFFof the mirror\n${CLUSTER_CA}`, [path]: inline})
    expect(await setup(host, GIVEN)).toMatchObject({exitCode: 0, node: {ready: true}})
    const written = `[host."https://${MIRROR}"]\nca = 'ca.crt'\ncapabilities = ['pull', 'resolve']\n`
    expect(filesIn(host)).toEqual({[ca]: CLUSTER_CA, [path]: written})
    expect(await driftIn(host)).toEqual([])
  })

  it('review K3-2: skip_verify is a warning of setup, status and doctor', async () => {
    const host = copyOf(before)
    put(host, {[String.raw`mcr.microsoft.com\hosts.toml`]: `[host."https://${MIRROR}"]\nskip_verify = true\n`})
    const {checks, exitCode} = await setup(host, GIVEN)
    expect(exitCode).toBe(0)
    expect(checks.find(({id}) => id === 'registries')).toMatchObject({result: 'warn'})
    const {document} = await statusOn(host.dir, {profile: PROFILE})
    expect(document.verdict).toBe('healthy')
    expect(document.warnings.filter((one) => one.includes(MIRROR))).toHaveLength(1)
  })

  it('is not needed any more: a later setup restores what was changed, from its copy, without a restart', async () => {
    const host = copyOf(node)
    host.remove('registries')
    expect(await setup(host)).toMatchObject({recap: {changed: 0}})
    const startedAt = host.world.services['containerd']?.startedAt
    host.remove(String.raw`${CERTS}\registry.example_5000_`)
    host.put(String.raw`${CERTS}\mcr.microsoft.com\hosts.toml`, 'server = "https://evil.example"')
    expect(await driftIn(host)).toEqual(['containerd-config'])
    expect(changedIn(await setup(host))).toEqual(['containerd-config'])
    expect(filesIn(host)).toEqual(FILES)
    expect(host.world.services['containerd']?.startedAt).toBe(startedAt)
  })

  it('with another folder: registries that are gone are removed with their folders; with an empty one all of them', async () => {
    const host = copyOf(node)
    const files = {[String.raw`_default\hosts.toml`]: "server = 'https://other.example'\n"}
    put(host, files)
    expect(changedIn(await setup(host, GIVEN))).toEqual(['base-dir', 'containerd-config'])
    expect(filesIn(host)).toEqual(files)
    expect(host.list(CERTS)).toEqual(['_default'])
    put(host, {})
    expect(changedIn(await setup(host, GIVEN))).toEqual(['base-dir', 'containerd-config'])
    expect(host.list(CERTS)).toEqual([])
    expect(await setup(host)).toMatchObject({recap: {changed: 0}})
  })

  it('keeps what was in the folder of a registry before, and reset restores it', async () => {
    const host = copyOf(before)
    const mine = [String.raw`registry.example_5000_\hosts.toml`, String.raw`mcr.microsoft.com\hosts.toml`]
    for (const path of mine) host.put(`${CERTS}\\${path}`, 'server = "https://mine.example"')
    expect(await setup(host, GIVEN)).toMatchObject({exitCode: 0})
    expect(filesIn(host)).toEqual(FILES)
    expect(await setup(host)).toMatchObject({recap: {changed: 0}})
    expect((await resetOn(host.dir)).result.exitCode).toBe(0)
    for (const path of mine) expect(host.read(`${CERTS}\\${path}`)).toBe('server = "https://mine.example"')
    expect(host.has(COPY)).toBe(false)
  })

  it('is removed by reset, and nothing of it is left', async () => {
    const host = copyOf(node)
    expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
    expect(differences(wholeHost(before), wholeHost(host))).toEqual([])
  })

  it('is removed by reset also where the journal is lost', async () => {
    const host = copyOf(node)
    host.remove(String.raw`k\k8s-win\journal.ndjson`)
    expect((await resetOn(host.dir, {given: {yes: true}})).result).toMatchObject({error: {id: 'RESET_UNPROVEN'}})
    expect(filesIn(host)).toEqual({})
    expect(host.has(COPY)).toBe(false)
  })

  it('has its keys and headers nowhere but in its files: not in the log, the result, the plan or a bundle', async () => {
    const host = copyOf(before)
    const plan = await setupOn(host.dir, GIVEN, {dryRun: true}, PROFILE)
    expect(plan.result.exitCode).toBe(0)
    const {events, result} = await setupOn(host.dir, GIVEN, {}, PROFILE)
    const own = host.paths.filter((path) => /^k\/(?:k8s-win|logs\/k8s-win)\/.*\./.test(path))
    const files = own.map((path) => path.replaceAll('/', '\\')).filter((path) => path !== COPY)
    expect(files.length).toBeGreaterThan(2)
    const bundle = await bundleOn(host, {withTranscript: false})
    const texts = [
      JSON.stringify([plan.events, plan.result, events, result]),
      ...files.map((path) => host.read(path)),
      ...[...bundle.members.values()].map((bytes) => bytes.toString('utf8')),
    ]
    const found = SECRETS.flatMap((secret) => texts.filter((text) => text.includes(secret)))
    expect(found).toEqual([])
    expect(JSON.stringify(plan.result)).toContain('contents not shown')
    expect([...bundle.members.keys()].filter((name) => /registries|hosts\.toml/.test(name))).toEqual([])
  })

  it('has a copy that is lost: setup asks for the folder again, and the node keeps what it has', async () => {
    const host = copyOf(node)
    host.remove(COPY)
    expect(await setup(host)).toMatchObject({error: {id: 'REGISTRY_CONFIG_LOST'}, exitCode: 3, steps: []})
    expect(await driftIn(host)).toEqual(['containerd-config'])
    expect(filesIn(host)).toEqual(FILES)
    expect(changedIn(await setup(host, GIVEN))).toEqual(['base-dir'])
    host.put(COPY, '{"files": [{"path": "..\\\\..\\\\evil.toml", "content": "x"}]}')
    expect(await setup(host)).toMatchObject({error: {id: 'REGISTRY_CONFIG_LOST'}, exitCode: 3})
  })
})

describe('a folder that cannot be used is refused before anything changes', () => {
  const hosts = (text: Buffer | string) => (host: HostFolder) => put(host, {[String.raw`x.example\hosts.toml`]: text})

  it.each<[string, (host: HostFolder) => void, string]>(
    sample(
      [
        ['it does not exist', (host) => host.remove('registries'), 'does not exist'],
        ['it is a file', (host) => (host.remove('registries'), host.put('registries', 'x')), 'not a folder'],
        ['a file beside the folders', (host) => host.put(String.raw`registries\hosts.toml`, ''), 'one of its own'],
        ['a folder that is no host', (host) => put(host, {[String.raw`a b\hosts.toml`]: 'x'}), '<host>'],
        [
          'a name that containerd does not read',
          (host) => put(host, {[String.raw`x.example\hosts.tml`]: 'x'}),
          'hosts.toml',
        ],
        ['a folder in a folder', (host) => put(host, {[String.raw`x.example\sub\ca.crt`]: 'x'}), 'not a file'],
        ['TOML that is none', hosts('server ='), 'Line 1'],
        ['a field that containerd does not know', hosts('sever = "https://x"'), 'Did you mean server'],
        ['bytes that are no text', hosts(Buffer.from([0xff, 0xfe])), 'UTF-8'],
        ['an empty file', hosts(''), 'empty'],
        ['an authority that is not there', hosts('ca = "ca.crt"'), 'not the relative path'],
        [
          'an authority with an absolute path',
          hosts(String.raw`ca = 'C:\registries\mcr.microsoft.com\ca.crt'`),
          'relative',
        ],
        ['an authority outside of the folder', hosts('ca = "../../k/kubeconfig"'), 'relative'],
        [
          'an authority that is none',
          (host) => put(host, {[String.raw`x.example\ca.crt`]: NODE_CERTIFICATE.key}),
          'not a PEM certificate',
        ],
        [
          'a key of another certificate',
          (host) => put(host, {...FILES, [String.raw`mcr.microsoft.com\client.cert`]: CLUSTER_CA}),
          'do not match',
        ],
        ['a key without its certificate', (host) => put(host, {[String.raw`x.example\a.key`]: 'x'}), 'no hosts.toml'],
        [
          'too much of it',
          (host) => put(host, {[String.raw`x.example\ca.crt`]: CLUSTER_CA + '#'.repeat(1024 ** 2)}),
          '1 MiB',
        ],
        [
          'too many files',
          (host) =>
            put(host, Object.fromEntries(Array.from({length: 201}, (_, i) => [`x.example\\${i}.crt`, CLUSTER_CA]))),
          '200 files',
        ],
      ],
      4,
    ),
  )('%s', async (_, change, said) => {
    const host = await fresh()
    change(host)
    const before = wholeHost(host)
    const {error, exitCode, steps} = await setup(host, GIVEN)
    expect({error: error?.id, exitCode, steps}).toEqual({error: 'REGISTRY_CONFIG_UNUSABLE', exitCode: 2, steps: []})
    expect(`${error?.message} ${error?.cause}`).toContain(said)
    expect(differences(before, wholeHost(host)).filter((line) => !/logs|k8s-win/.test(line))).toEqual([])
  })

  it.each(
    sample<[string, string, (host: HostFolder) => void]>(
      [
        [
          'others may add to it',
          'PARENT_OPEN_TO_OTHERS',
          (host) => host.edit(({security}) => delete security[FOLDER.toLowerCase()]),
        ],
        [
          'others may change a file of it',
          'UNTRUSTED_FILE',
          (host) =>
            host.edit(({security}) => {
              security[`${FOLDER}\\mcr.microsoft.com\\hosts.toml`.toLowerCase()] = `${CLOSED}(A;;FA;;;BU)`
            }),
        ],
        ['a folder in it is a link', 'LINK_IN_THE_WAY', (host) => host.link(String.raw`registries\docker.io`, 'k')],
        ['it is on another computer', 'REMOTE_PATH', () => {}],
      ],
      3,
    ),
  )('%s', async (name, id, change) => {
    const host = await fresh()
    change(host)
    const given = {'registry-config': name.includes('another computer') ? String.raw`\\server\registries` : FOLDER}
    expect(await setup(host, given)).toMatchObject({error: {id}, exitCode: 3, steps: []})
    expect(host.has(CERTS)).toBe(false)
  })

  it('all its problems are reported at once', async () => {
    const host = await fresh()
    put(host, {[String.raw`a.example\hosts.toml`]: 'x = 1', [String.raw`b.example\hosts.toml`]: 'y = 1'})
    const {files, win32} = await openSimulator({dir: host.dir, profile: PROFILE})
    const calls = {files, security: openSecurity(win32), trust: openTrust(win32)}
    const {problems = []} = (await readRegistries(calls, {baseDir: String.raw`C:\k`, registryConfig: FOLDER})) ?? {}
    expect(problems.map(({message}) => /[ab]\.example/.exec(message)?.[0])).toEqual(['a.example', 'b.example'])
  })

  it('together with --image-registry for the same registry, and only then', async () => {
    const given = {...GIVEN, 'image-registry': MIRROR}
    expect(await setup(await fresh(), given)).toMatchObject({error: {id: 'REGISTRY_CONFIG_UNUSABLE'}, exitCode: 2})
    const host = await fresh()
    put(host, {[String.raw`registry.example\ca.crt`]: CLUSTER_CA})
    expect(await setup(host, given)).toMatchObject({exitCode: 0})
    expect(Object.keys(filesIn(host)).sort()).toEqual([
      String.raw`mcr.microsoft.com\hosts.toml`,
      String.raw`registry.example\ca.crt`,
      String.raw`registry.k8s.io\hosts.toml`,
    ])
    // What is stored counts as what is passed.
    put(host)
    expect(await setup(host, GIVEN)).toMatchObject({error: {id: 'REGISTRY_CONFIG_UNUSABLE'}, exitCode: 2})
  })

  it('with Docker', async () => {
    expect(await setup(await fresh(), {...GIVEN, release: '1.23.17'})).toMatchObject({
      error: {id: 'BAD_VALUE'},
      exitCode: 2,
    })
  })

  it('by setup only: reset finds the node of a configuration file that names it', async () => {
    const host = await fresh()
    host.put('node.yaml', 'apiVersion: k8s-win/v1\nkind: NodeConfig\nimages:\n  registryConfig: registries\n')
    const machine = await openSimulator({dir: host.dir, profile: PROFILE})
    const signal = new AbortController().signal
    const known = await readKnownNode({configFile: String.raw`C:\node.yaml`, environment: {}, machine, signal})
    expect(known).toMatchObject({config: {registryConfig: FOLDER}, state: 'absent'})
    expect(known.problem).toBeUndefined()
  })

  it('with a containerd that was installed before', async () => {
    const host = await hostWith({closed: [FOLDER]})
    put(host)
    expect(await setup(host, GIVEN)).toMatchObject({error: {id: 'REGISTRY_CONFIG_FOREIGN'}, exitCode: 3, steps: []})
  })

  it.each([
    [
      'with a capability that this containerd does not know',
      '[host."https://m"]\ncapabilities = ["pull", "referrers"]',
    ],
    ['without a host, which this containerd ignores', 'skip_verify = true'],
  ])('%s', async (_, text) => {
    const host = await fresh()
    hosts(text)(host)
    const given = {...GIVEN, 'containerd-version': '1.7.25'}
    expect(await setup(host, given)).toMatchObject({error: {id: 'VERSION_UNSUPPORTED'}, exitCode: 3})
  })
})
