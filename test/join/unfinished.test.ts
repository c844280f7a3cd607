// A join that did not finish, and what was in the base directory before one: the next run knows what the first one knew.
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import type {World} from '../../src/simulator/world.js'
import {nightly} from '../nightly.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {BOOTSTRAP_FILE, JOIN, joiningHost, joinOn, KEYS, KUBECONFIG, PROFILE} from './joining-host.js'
import {sample, turn} from '../sample.js'

const OTHER_CA = readFileSync(new URL('../host/certificates/ca.pem', import.meta.url), 'utf8')
const CURRENT = String.raw`${KEYS}\kubelet-client-current.pem`
const {'ca-cert-hash': hashes, token: _token, ...WITHOUT} = JOIN
const yes = {given: {yes: true}, profile: PROFILE}

type Change = (world: World) => void
const BINDINGS = (await joiningHost()).world.cluster.roleBindings ?? []
const withAccess: Change = ({cluster}) => void (cluster.roleBindings = BINDINGS)
const withoutAccess: Change = ({cluster}) =>
  void (cluster.roleBindings = BINDINGS.filter(({name}) => !name.startsWith('k8s-win')))

async function unfinished(...changes: readonly Change[]): Promise<HostFolder> {
  const host = await joiningHost((world) => {
    for (const change of [withoutAccess, ...changes]) change(world)
  })
  return host
}

const nodeYaml = (host: HostFolder) => parse(host.read(String.raw`k\k8s-win\node.yaml`)) as Record<string, unknown>
const ofOtherCluster = (text: string): string =>
  text
    .replace(
      /certificate-authority-data: .*/,
      `certificate-authority-data: ${Buffer.from(OTHER_CA).toString('base64')}`,
    )
    .replace(/server: .*/, 'server: https://10.9.9.9:6443')

describe('a join that was not finished', () => {
  test('with an API server on port 443: what is stored can be read', async () => {
    const server = 'https://10.0.0.10:443'
    const host = await unfinished(({cluster}) => void (cluster.serverURL = server))
    expect((await joinOn(host, {server})).result).toMatchObject({error: {id: 'NODE_ACCESS_MISSING'}})
    host.edit(withAccess)
    expect((await joinOn(host, {server})).result).toMatchObject({exitCode: 0})
    expect(nodeYaml(host)).toMatchObject({join: {server}})
    expect((await setupOn(host.dir, {}, {}, PROFILE)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('keeps what the cluster said: DNS and feature gates', async () => {
    const host = await unfinished(({cluster}) => {
      const found = cluster.configMaps.find(({name}) => name === 'kubelet-config')
      if (found) found.data['kubelet'] += '\nfeatureGates:\n  NodeLogQuery: true\n'
    })
    expect((await joinOn(host)).result).toMatchObject({error: {id: 'NODE_ACCESS_MISSING'}})
    const before = host.read(String.raw`k\kubelet-config.yaml`)
    host.edit(withAccess)
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0})
    expect(host.read(String.raw`k\kubelet-config.yaml`)).toBe(before)
    expect(nodeYaml(host)).toMatchObject({clusterDNS: '10.10.0.10', featureGates: {NodeLogQuery: 'true'}})
  })

  test("review J7: keeps the gates of the cluster's kube-proxies, which kubeadm lets only a token read", async () => {
    const host = await unfinished(({cluster}) => {
      const found = cluster.configMaps.find(({name}) => name === 'kube-proxy')
      if (found) found.data['config.conf'] += '\nfeatureGates:\n  NodeLogQuery: true\n'
    })
    expect((await joinOn(host)).result).toMatchObject({error: {id: 'NODE_ACCESS_MISSING'}})
    host.edit(withAccess)
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0})
    expect(nodeYaml(host)).toMatchObject({featureGates: {NodeLogQuery: 'true'}})
  })

  nightly(
    'killed while the network is interrupted, and run again at once: it waits for what the cluster reports',
    async () => {
      const host = await joiningHost(({os}) => void (os.vswitch = {offlineMs: 25_000}))
      let killed: HostFolder | undefined
      const wrap = (machine: Machine): Machine =>
        interceptMachine(machine, (_, perform) => {
          if (host.world.os.vswitch?.returning) killed ??= host.copy()
          return perform()
        })
      await joinOn(host, {}, {wrap})
      expect(killed).toBeDefined()
      expect((await joinOn(killed ?? host)).result).toMatchObject({exitCode: 0, node: {ready: true}})
      expect(nodeYaml(killed ?? host)).toMatchObject({clusterDNS: '10.10.0.10'})
    },
  )

  test('without its certificate: the advice has all options, and they work', async () => {
    const host = await unfinished()
    await joinOn(host)
    host.edit(withAccess)
    host.remove(CURRENT)
    const {result} = await setupOn(host.dir, {}, {}, PROFILE)
    expect(result.error).toMatchObject({
      fix: expect.stringContaining(`--server ${String(JOIN.server)} --ca-cert-hash ${String(hashes)}`) as string,
      id: 'JOIN_TOKEN_MISSING',
    })
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0})
  })

  test.each(
    turn(
      [
        ['nothing', ''],
        ['a part', 'apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: LS0t'],
      ],
      1,
    ),
  )('whose kubelet wrote %s of its kubeconfig: the advice says so, and reset removes it', async (_, text) => {
    const host = await unfinished()
    await joinOn(host)
    host.put(KUBECONFIG, text)
    const {result} = await joinOn(host)
    expect(result.error).toMatchObject({
      fix: expect.stringContaining(String.raw`delete C:\k\kubeconfig`) as string,
      id: 'KUBECONFIG_UNREADABLE',
    })
    expect((await resetOn(host.dir, yes)).result.exitCode).toBe(0)
    expect(host.has(KUBECONFIG)).toBe(false)
  })
})

describe('another cluster needs a reset', () => {
  test('also where the node has lost its certificate', async () => {
    const host = await joiningHost()
    await joinOn(host)
    host.put(KUBECONFIG, ofOtherCluster(host.read(KUBECONFIG)))
    host.remove(CURRENT)
    expect((await joinOn(host)).result).toMatchObject({error: {id: 'JOIN_OTHER_CLUSTER'}, exitCode: 3})
  })

  test('also where it has lost its kubeconfig: the stored hash is of the other one', async () => {
    const host = await joiningHost()
    await joinOn(host)
    const stored = host.read(String.raw`k\k8s-win\node.yaml`)
    host.put(
      String.raw`k\k8s-win\node.yaml`,
      stored.replace(String(hashes), `sha256:${'0'.repeat(64)}`).replace(String(JOIN.server), 'https://10.9.9.9:6443'),
    )
    host.remove(KUBECONFIG)
    const {result} = await joinOn(host)
    expect(result).toMatchObject({error: {id: 'JOIN_OTHER_CLUSTER'}, exitCode: 3})
    expect(result.error?.fix).toContain('k8s-win reset')
  })

  test('and a wrong hash for the same server does not', async () => {
    const host = await joiningHost()
    await joinOn(host)
    const {result} = await setupOn(host.dir, {...WITHOUT, 'ca-cert-hash': [`sha256:${'0'.repeat(64)}`]}, {}, PROFILE)
    expect(result).toMatchObject({error: {id: 'JOIN_CA_HASH_WRONG'}, exitCode: 3})
  })
})

describe('a base directory with files of the user', () => {
  const byHand = (host: HostFolder): void =>
    host.put(KUBECONFIG, makeKubeconfig(host.world.cluster.serverURL, ADMIN_CERTIFICATE))

  test('a node that was set up with a kubeconfig joins with a token', async () => {
    const host = await HostFolder.fresh(() => {}, PROFILE)
    expect((await setupOn(host.dir, {'base-images': 'none'}, {}, PROFILE)).result).toMatchObject({exitCode: 0})
    host.remove(KUBECONFIG)
    host.edit(withoutAccess)
    expect((await joinOn(host)).result).toMatchObject({error: {id: 'NODE_ACCESS_MISSING'}})
    host.edit(withAccess)
    expect((await setupOn(host.dir, {}, {}, PROFILE)).result.error).toBeUndefined()
  })

  test('their own bootstrap-kubeconfig stays where a kubeconfig is used', async () => {
    const host = await joiningHost()
    byHand(host)
    host.put(BOOTSTRAP_FILE, 'mine: yes')
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0})
    expect(host.read(BOOTSTRAP_FILE)).toBe('mine: yes')
  })

  test('a copy of the kubeconfig of another kubelet is restored by reset', async () => {
    const donor = await joiningHost()
    await joinOn(donor)
    const host = await joiningHost()
    const copy = donor.read(KUBECONFIG)
    host.put(KUBECONFIG, copy)
    host.put('hand.conf', makeKubeconfig(host.world.cluster.serverURL, ADMIN_CERTIFICATE))
    const given = {'base-images': 'none', kubeconfig: String.raw`C:\hand.conf`}
    expect((await setupOn(host.dir, given, {}, PROFILE)).result).toMatchObject({exitCode: 0})
    expect((await resetOn(host.dir, yes)).result.exitCode).toBe(0)
    expect(host.read(KUBECONFIG)).toBe(copy)
  })
})

describe('a joined node whose own kubeconfig is damaged', () => {
  const damaged = async (text: string): Promise<HostFolder> => {
    const host = await joiningHost()
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0})
    host.put(KUBECONFIG, text)
    return host
  }

  test.each(
    sample(
      [
        ['nothing but zeros', '\0'.repeat(400)],
        ['empty', ''],
        ['half of it', 'apiVersion: v1\nclusters:\n- cluster:\n    certif'],
      ],
      2,
    ),
  )('review R2-6: %s: with a token it is written again', async (_, text) => {
    const host = await damaged(text)
    const {result} = await joinOn(host)
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.read(KUBECONFIG)).toContain(CURRENT)
    expect((await setupOn(host.dir, {}, {}, PROFILE)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('review R2-6: without a token the fix says what is needed', async () => {
    const host = await damaged('')
    const {result} = await setupOn(host.dir, {}, {}, PROFILE)
    expect(result.error).toMatchObject({
      cause: expect.stringMatching(/kubeconfig is damaged/) as string,
      fix: expect.stringMatching(/--token-file/) as string,
      id: 'JOIN_TOKEN_MISSING',
    })
  })
})
