// Who the daemons are to the cluster, and that no other account can read it.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {parse, stringify} from 'yaml'
import {isAdministratorsOnly} from '../../src/host/security/security.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import type {World} from '../../src/simulator/world.js'
import {k8sWin} from '../cli/program.js'
import {sample} from '../sample.js'
import {Rig, temporaryFolder} from '../steps/rig.js'
import {SimulatedHost} from './simulated-host.js'

const SERVER = 'https://10.0.0.10:6443'
const TOKEN = 'canary-token-5f2b91c07d'
const SHARED = String.raw`k\kubeconfig`

/** A kubeconfig whose user is changed. */
function kubeconfigOf(user: object, cluster: object = {}): string {
  const document = parse(makeKubeconfig(SERVER)) as {clusters: {cluster: object}[]; users: {user: object}[]}
  for (const entry of document.users) entry.user = user
  for (const entry of document.clusters) Object.assign(entry.cluster, cluster)
  return stringify(document)
}

const withToken = (world: World): void => void (world.cluster.tokens = {[TOKEN]: 'system:node:win-1'})

describe('the kubeconfig of an administrator (defect 11)', () => {
  test('is warned about with the way out, and works', async () => {
    const host = await SimulatedHost.make()
    host.put(SHARED, makeKubeconfig(SERVER, ADMIN_CERTIFICATE))
    const {code, result, stderr} = await host.setupJson()
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})
    const check = result.checks.find(({id}) => id === 'cluster-administrator')
    expect(check).toMatchObject({result: 'warn'})
    expect(check?.message).toContain('kubelet, kube-proxy, flanneld would have cluster administrator rights')
    expect(check?.fix).toContain('--kubelet-kubeconfig, --kube-proxy-kubeconfig, --flanneld-kubeconfig')
    const text = stderr.replaceAll(/\n\S+ +/g, ' ')
    expect(text).toContain('system:masters')
    expect(text).toContain('--kube-proxy-kubeconfig')
  })
})

describe('an identity each', () => {
  const flags = ['kubelet', 'kube-proxy', 'flanneld'] as const

  test('is used by its own daemon, from a file only administrators ever could read', async () => {
    const host = await SimulatedHost.make()
    for (const name of flags) host.put(`in\\${name}`, `# ${name}\n${makeKubeconfig(SERVER)}`)
    const {code, result} = await host.setupJson(...flags.flatMap((name) => [`--${name}-kubeconfig`, `c:\\in\\${name}`]))
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})

    const {flanneld, kubelet, kubeproxy} = host.world.services
    expect(kubelet?.config.imagePath).toContain(String.raw`--kubeconfig=C:\k\kubelet.kubeconfig`)
    expect(kubeproxy?.config.imagePath).toContain(String.raw`--kubeconfig=C:\k\kube-proxy.kubeconfig`)
    expect(flanneld?.config.imagePath).toContain(String.raw`--kubeconfig-file=C:\k\flanneld.kubeconfig`)
    // An access list that came with the file's first byte was not set later.
    const setLater = host.transcript.filter(({what}) => what === 'setSecurity').map(({args}) => args[0])
    for (const name of flags) {
      expect(isAdministratorsOnly(host.world.security[`c:\\k\\${name}.kubeconfig`] ?? '')).toBe(true)
      expect(setLater).not.toContain(`C:\\k\\${name}.kubeconfig`)
    }

    const again = await host.setupJson(...flags.flatMap((name) => [`--${name}-kubeconfig`, `c:\\in\\${name}`]))
    expect(again.result.recap.changed).toBe(0)
  })

  test('files beside one on the machine we run on are put inside', async () => {
    const host = await SimulatedHost.make()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'client.crt'), NODE_CERTIFICATE.cert)
    writeFileSync(join(folder, 'client.key'), NODE_CERTIFICATE.key)
    const beside = {'client-certificate': 'client.crt', 'client-key': 'client.key'}
    writeFileSync(join(folder, 'kubeconfig'), kubeconfigOf(beside))
    const {code, result} = await host.setupJson('--kubeconfig', join(folder, 'kubeconfig'))
    expect({code, ready: result.node?.ready}).toEqual({code: 0, ready: true})
    const copy = parse(host.read(SHARED)) as {users: {user: Record<string, string>}[]}
    const data = Buffer.from(NODE_CERTIFICATE.cert).toString('base64')
    expect(copy.users[0]?.user).toMatchObject({'client-certificate-data': data})
    expect(copy.users[0]?.user).not.toHaveProperty('client-certificate')
  })

  test('a token has no certificate to rotate', async () => {
    const rig = await Rig.open({sicken: withToken})
    await rig.machine.files.write(String.raw`C:\k\kubeconfig`, kubeconfigOf({token: TOKEN}))
    const asToken = await rig.reopen()
    expect((await asToken.runAll()).error).toBeUndefined()
    const config = await asToken.machine.files.read(String.raw`C:\k\kubelet-config.yaml`)
    expect(parse(String(config))).toMatchObject({rotateCertificates: false})
  })
})

describe('no secret is reported', () => {
  const PASSWORD = 'canary-password-88a1'
  const KEY_LINES = NODE_CERTIFICATE.key.split('\n').filter((line) => line.length > 40)
  const SECRETS = [TOKEN, PASSWORD, ...KEY_LINES].flatMap((secret) => [
    secret,
    // Without the ends, which depend on what stands beside it.
    Buffer.from(secret).toString('base64').slice(4, -6),
  ])

  /** Everything that was written or said, the kubeconfigs and what the simulated cluster itself knows aside. */
  function told(host: SimulatedHost, ended: {stderr: string; stdout: string}): Record<string, string> {
    const paths = readdirSync(host.dir, {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile() && !/kubeconfig|^machine\.json$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
    const {cluster: _cluster, ...machine} = host.world
    return {
      ...Object.fromEntries(paths.map((path) => [path.slice(host.dir.length), readFileSync(path, 'latin1')])),
      machine: JSON.stringify(machine),
      stderr: ended.stderr,
      stdout: ended.stdout,
    }
  }

  const certificate = {
    'client-certificate-data': Buffer.from(NODE_CERTIFICATE.cert).toString('base64'),
    'client-key-data': Buffer.from(NODE_CERTIFICATE.key).toString('base64'),
  }
  const proxied = {'proxy-url': `http://user:${PASSWORD}@proxy:3128`}

  test.each<{
    args?: readonly string[]
    code: number
    content: string
    name: string
    sicken?: (world: World) => void
  }>(
    sample(
      [
        {code: 0, content: kubeconfigOf({...certificate, password: PASSWORD}, proxied), name: 'a certificate: success'},
        {code: 0, content: kubeconfigOf({token: TOKEN}, proxied), name: 'a token: success', sicken: withToken},
        {code: 3, content: kubeconfigOf({token: TOKEN}), name: 'a token nobody knows'},
        {code: 3, content: `token: ${TOKEN}\n  - [${PASSWORD}`, name: 'no YAML'},
        {
          code: 3,
          content: kubeconfigOf(certificate, {server: `https://admin:${PASSWORD}@10.0.0.99:6443`}),
          name: 'a server that is not there',
        },
        {
          args: ['--ignore-check', 'permissions'],
          code: 6,
          content: kubeconfigOf(certificate, {server: `https://admin:${PASSWORD}@10.0.0.10:6443`}),
          name: 'a node that may not register',
          sicken: (world) => (world.cluster.permissions = ['get nodes', 'list services']),
        },
      ],
      3,
    ),
  )('$name', async ({args = [], code, content, sicken}) => {
    const host = await SimulatedHost.make(sicken)
    host.put(SHARED, content)
    const ended = await k8sWin(['setup', '--output', 'ndjson', '--verbose', ...args], {
      HTTPS_PROXY: `http://user:${PASSWORD}@proxy.example.com:8080`,
      K8S_WIN_SIMULATE: 'ws2019',
      K8S_WIN_SIMULATE_DIR: host.dir,
    })
    expect(ended.code).toBe(code)
    const all = told(host, ended)
    expect(Object.keys(all).filter((name) => /setup-[^/]*\.log$|result\.json$/.test(name))).toHaveLength(2)
    // The kubelet keeps its key in its own store, which only administrators can read.
    const ours = Object.entries(all).filter(([name]) => !name.startsWith('/c/var/lib/kubelet/pki/'))
    const leaks = ours.flatMap(([name, text]) => SECRETS.filter((secret) => text.includes(secret)).map(() => name))
    expect(leaks).toEqual([])
  })
})
