// reset of a node with containerd: what goes, in which order and through what, what stays, and what can follow.
import {describe, expect, test} from 'vitest'
import {DAEMONS} from '../../src/config/daemons.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const PURGE = {given: {purge: true}} as const
/** docs/reset.md; containerd's images are in its data. */
const STAYS =
  /^(?:files > (?:ProgramData\/containerd|k\/(?:downloads|logs|k8s-win))\b|world > containerd > (?:config|containers|images|openedBy|shim|version)\b|world > security > c:\\(?:programdata\\containerd|k\\(?:downloads|logs|k8s-win))\b)/
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

/** Programs by their names, with their arguments. */
const changesOf = ({transcript}: HostFolder): string[] =>
  transcript
    .filter(({kind}) => kind === 'change')
    .map(({args, what}) => [what.replace(/^.*\\(?=\w+\.exe$)/, ''), ...args].join(' '))

test('pods go through containerd while its network is there, then flanneld and containerd stop, then the rest goes', async () => {
  const host = copy()
  expect(host.world.containerd.sandboxes).toHaveLength(2)
  expect((await resetOn(host.dir, PURGE)).result.exitCode).toBe(0)
  const changes = changesOf(host)
  const places = [
    /^stopService kubeproxy/,
    /^stopService kubelet/,
    /^crictl\.exe .* rmp -f [\da-f]{64} [\da-f]{64}$/,
    /^crictl\.exe .* rmi registry\.k8s\.io\/pause/,
    /^ctr\.exe .* images rm .*nanoserver:latest/,
    /^crictl\.exe .* rmi .*nanoserver:ltsc2022/,
    /^stopService flanneld/,
    /^stopService containerd/,
    /^DELETE .*\/api\/v1\/nodes\/win-1/,
    /^hnsCall DELETE \/networks/,
    /^deleteService kubeproxy/,
    /^deleteService flanneld/,
    /^deleteService kubelet/,
    /^netsh\.exe advfirewall firewall delete/,
    /^deleteService containerd/,
    /^setSecurity C:\\k /,
  ].map((pattern) => changes.findIndex((change) => pattern.test(change)))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})

test('the plan names the same steps in the same order', async () => {
  const {result} = await resetOn(copy().dir, {given: {'dry-run': true, purge: true}})
  expect(result.steps.slice(0, 6).map(({id}) => id)).toEqual([
    'daemons',
    'containers',
    'sandbox-image',
    'base-images',
    'runtime',
    'node-registered',
  ])
  // What only a node with Docker has is not named.
  expect(result.steps.map(({id}) => id)).not.toContain('pause-image')
  const [daemons, containers] = result.steps
  expect(daemons?.changes).toEqual(
    DAEMONS.filter(({service}) => service !== 'containerd' && service !== 'flanneld')
      .map(({service}) => `stop the service ${service}`)
      .reverse(),
  )
  expect(containers?.changes).toEqual(['remove 4 containers of pods, of which 2 are running: web/one, web/two'])
})

describe('with --purge', () => {
  test('the host is as it was before setup; a second reset finds nothing', async () => {
    const host = copy()
    const {result, warnings} = await resetOn(host.dir, PURGE)
    expect(result).toMatchObject({exitCode: 0, outcome: 'done', recap: {failed: 0, skipped: 0}})
    expect(warnings).toEqual([])
    expect(differences(before(), wholeHost(host))).toEqual([])
    expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0, steps: []})
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('images of pods go through containerd too, before the folder that they are in', async () => {
    const host = copy()
    host.edit(({containerd}) =>
      containerd.images.push({
        digests: [],
        id: `sha256:${'e'.repeat(64)}`,
        osVersion: '10.0.20348.1',
        size: 1,
        tags: ['docker.io/library/web:1'],
      }),
    )
    const {result} = await resetOn(host.dir, PURGE)
    expect(result.steps.find(({id}) => id === 'base-images')?.changes).toContain('remove 1 more image of pods')
    expect(changesOf(host).join('\n')).toMatch(/crictl\.exe .* rmi --all/)
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('logs go with their folders, whatever the daemons and their wrappers called them', async () => {
    const host = copy()
    for (const path of [
      String.raw`k\logs\containerd\shawl_for_containerd_r2026-01-01_00-00-00.log`,
      String.raw`k\logs\kubelet\kubelet-20260101-000000.log`,
      String.raw`k\logs\kubeproxy\kube-proxy-20260101-000000.log`,
    ])
      host.put(path, 'ours')
    host.put(String.raw`k\logs\containerd\own.txt`, 'theirs')
    const {warnings} = await resetOn(host.dir, PURGE)
    expect(warnings).toEqual([expect.stringMatching(/C:\\k\\logs\\containerd is kept .*: own\.txt$/)])
    expect(host.paths.filter((path) => path.startsWith('k/logs/'))).toEqual([
      'k/logs/containerd',
      'k/logs/containerd/own.txt',
    ])
  })
})

describe('without --purge', () => {
  test('only images, downloads, logs and our records stay, and a later reset --purge removes them', async () => {
    const host = copy()
    const {result, warnings} = await resetOn(host.dir)
    expect({exitCode: result.exitCode, warnings}).toEqual({exitCode: 0, warnings: []})
    expect(differences(before(), wholeHost(host)).filter((line) => !STAYS.test(line))).toEqual([])
    expect(host.world.containerd.images.flatMap(({tags}) => tags).sort()).toEqual([
      'mcr.microsoft.com/windows/nanoserver:ltsc2022',
      'mcr.microsoft.com/windows/servercore:ltsc2022',
      'registry.k8s.io/pause:3.10.2',
    ])
    const journal = host.read(JOURNAL)
    const kinds = new Set([...journal.matchAll(/"kind":"([\w-]+)"/g)].map(([, kind]) => kind))
    expect([...kinds].sort()).toEqual(['directory', 'download', 'reset', 'root-opened', 'tree'])
    expect((await resetOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0, failed: 0}})
    expect(host.read(JOURNAL)).toBe(journal)
    const purged = await resetOn(host.dir, PURGE)
    expect({exitCode: purged.result.exitCode, warnings: purged.warnings}).toEqual({exitCode: 0, warnings: []})
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('status says that nothing is set up; a setup follows without fetching anything, and a reset follows that', async () => {
    const host = copy()
    await resetOn(host.dir)
    expect((await statusOn(host.dir, {profile: CONTAINERD_PROFILE})).document).toMatchObject({exitCode: 9})
    const start = changesOf(host).length
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(result.recap.changed).toBeGreaterThan(0)
    const fetched = changesOf(host).slice(start)
    expect(fetched.filter((change) => /^DOWNLOAD|crictl\.exe .* pull/.test(change))).toEqual([])
    expect((await setupOn(host.dir)).result.recap).toMatchObject({changed: 0})
    expect((await resetOn(host.dir, PURGE)).result.exitCode).toBe(0)
    expect(differences(before(), wholeHost(host))).toEqual([])
  })
})

test('images are kept with --purge, or removed without it, as asked', async () => {
  const kept = copy()
  expect((await resetOn(kept.dir, {given: {'keep-images': true, purge: true}})).warnings).toEqual([])
  expect(kept.world.containerd.images).toHaveLength(3)
  expect(kept.journal.map(({kind}) => kind)).toContain('tree')
  expect((await resetOn(kept.dir, PURGE)).result.exitCode).toBe(0)
  expect(differences(before(), wholeHost(kept))).toEqual([])
  const removed = copy()
  expect((await resetOn(removed.dir, {given: {'keep-images': false}})).warnings).toEqual([])
  expect(removed.has(String.raw`ProgramData\containerd`)).toBe(false)
})

describe('on a host that gets Docker afterwards', () => {
  async function withDocker(host: HostFolder): Promise<void> {
    const {docker, services} = (await HostFolder.fresh(undefined, 'ws2022')).world
    host.edit((world) => {
      world.docker = docker
      if (services.docker) world.services.docker = services.docker
      world.cluster.version = 'v1.23.17'
    })
  }

  test('Kubernetes 1.23 is set up, and all of both goes again', async () => {
    const host = copy()
    expect((await resetOn(host.dir)).result.exitCode).toBe(0)
    await withDocker(host)
    const {result} = await setupOn(host.dir, {release: '1.23.17'})
    expect(result.error).toBeUndefined()
    expect(result.node).toMatchObject({ready: true})
    expect(host.has(String.raw`k\cni\config\10-flannel.conflist`)).toBe(false)
    const {result: end, warnings} = await resetOn(host.dir, PURGE)
    expect({exitCode: end.exitCode, warnings}).toEqual({exitCode: 0, warnings: []})
    const left = differences(before(), wholeHost(host))
    expect(left.filter((line) => !/^world > (?:docker|services > docker|cluster > version)\b/.test(line))).toEqual([])
  })

  test('containerd is set up again when Docker is stopped', async () => {
    const host = copy()
    await resetOn(host.dir)
    await withDocker(host)
    expect((await setupOn(host.dir, {release: '1.23.17'})).result.error).toBeUndefined()
    expect((await resetOn(host.dir)).result.exitCode).toBe(0)
    host.edit(({cluster, docker, services}) => {
      cluster.version = 'v1.36.4'
      docker.running = false
      if (services.docker) Object.assign(services.docker, {state: 'stopped'})
    })
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    // What the reset of the node with Docker has left is in Docker.
    const {result} = await resetOn(host.dir, PURGE)
    expect(result.errors?.map(({id}) => id)).toEqual(['RESET_INCOMPLETE', 'DOCKER_STOPPED'])
    expect(host.has(String.raw`ProgramData\containerd`)).toBe(false)
    host.edit(({docker, services}) => {
      docker.running = true
      if (services.docker) Object.assign(services.docker, {state: 'running'})
    })
    expect((await resetOn(host.dir, PURGE)).result.exitCode).toBe(0)
    expect(host.has(String.raw`k\k8s-win`)).toBe(false)
  })
})
