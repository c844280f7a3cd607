// Another release over a running node: what is done before anything stops, and what is refused.
import {expect, it} from 'vitest'
import {reboot} from '../boot/reboot.js'
import {HttpError} from '../../src/machine/http.js'
import {FileError} from '../../src/machine/files.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {statusOn} from '../status/status-on.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {fileChanged, fileGone} from '../steps/drifts/drift.js'
import {HostFolder} from '../steps/host-folder.js'
import {smokePod} from '../../src/components/smoke-pod.js'
import type {TimedEvent} from '../../src/pipeline/run/events.js'
import {at, expectEnded, nodeAt, pod, PROFILE, releasesOf} from './node-at.js'
import {turn} from '../sample.js'
import {nightly} from '../nightly.js'

const warningsIn = (events: readonly TimedEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))

it('another minor: everything is downloaded, and the node is cordoned, before a service stops; it takes pods again at the end', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const order: string[] = []
  const {result} = await setupOn(
    host.dir,
    {release: '1.31.14'},
    {
      async after({args, what}) {
        const [first = ''] = args
        if (what === 'DOWNLOAD' || what === 'download') order.push('download')
        if (what === 'PATCH' && first.includes('/nodes/')) order.push('cordon or uncordon')
        if (what === 'stopService') order.push(`stop ${first}`)
        if (what === 'startService') order.push(`start ${first}`)
      },
    },
  )
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
  const kinds = order
    .map((line) => line.replace(/ (?:kube|cont|flan).*/, ''))
    .filter((line, n, all) => line !== all[n - 1])
  expect(kinds.slice(0, 3)).toEqual(['download', 'cordon or uncordon', 'stop'])
  expect(order.at(-1)).toBe('cordon or uncordon')
  expect(order.filter((line) => line === 'cordon or uncordon')).toHaveLength(2)
  const steps = result.steps.map(({id}) => id)
  expect(steps.slice(0, 3)).toEqual(['base-dir', 'fetch-binaries', 'drain-node'])
  expect(steps.at(-1)).toBe('uncordon-node')
  const again = await setupOn(host.dir, {release: '1.31.14'})
  expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  expect(again.result.steps.map(({id}) => id)).not.toContain('drain-node')
})

it.each(
  turn(
    [
      fileGone(String.raw`k\containerd\bin\crictl.exe`),
      fileGone(String.raw`k\containerd\crictl.yaml`),
      fileChanged(String.raw`k\containerd\crictl.yaml`, 'runtime-endpoint: npipe:////./pipe/other\n'),
    ],
    0,
  ),
)('$name: the sandbox image is pulled when that is repaired', async ({make}) => {
  const host = await nodeAt('1.30.14', '1.31.14')
  make(host)
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
})

nightly('after a reset --purge that was killed there is no folder for downloads, and no program to keep', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  for (const path of ['containerd', 'downloads', 'kubernetes']) fileGone(`k\\${path}`).make(host)
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
})

it('a containerd that does not start is replaced', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit((world) => {
    const entry = world.services['containerd']
    if (entry) entry.config = {...entry.config, imagePath: `${entry.config.imagePath} --no-such-option`}
    reboot(world)
  })
  await (await openSimulator({dir: host.dir, profile: PROFILE})).clock.sleep(180_000)
  expect(host.world.services['containerd']?.state).toBe('running')
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
})

it('another minor under pods requires --drain: nothing is changed', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit(({cluster}) => (cluster.pods = [pod('a')]))
  // Not all of its state: the kubelet starts the pod meanwhile.
  const seen = (): unknown[] => [releasesOf(host), host.journal, host.list(String.raw`k\downloads`)]
  const before = seen()
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result).toMatchObject({
    error: {command: 'k8s-win upgrade --release 1.31.14 --drain', id: 'DRAIN_NEEDED'},
    exitCode: 3,
  })
  expect(result.error?.cause).toContain('shop/a')
  expect(seen()).toEqual(before)
})

it('a patch under pods: they stay, and the node is not cordoned', async () => {
  const host = await nodeAt('1.31.9', '1.31.14')
  host.edit(({cluster}) => (cluster.pods = [pod('a')]))
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
  expect(host.world.cluster.pods?.map(({name}) => name)).toEqual(['a'])
})

it('with --drain the pods leave first, and a node that was cordoned before stays so', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit(({cluster}) => {
    cluster.pods = [pod('a')]
    for (const node of cluster.nodes) if (node.name === 'win-1') node.unschedulable = true
  })
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade: {drainMs: 60_000}})
  expect(result).toMatchObject({command: 'upgrade', exitCode: 0})
  expect(releasesOf(host)).toEqual([...at('1.31.14').slice(0, 4), 'cordoned'])
  expectEnded(host)
  expect(host.world.cluster.pods?.filter(({deletedAt}) => deletedAt === undefined)).toEqual([])
})

it('the pod of a smoke test that was killed is in the way of nothing', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const {metadata} = smokePod('win-1', 'nanoserver', [])
  const {owner: _, ...alone} = pod(metadata.name)
  host.edit(({cluster}) => (cluster.pods = [{...alone, ...metadata}]))
  const {result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result).toMatchObject({exitCode: 0})
})

it('pods without a controller are not evicted without --yes: they are named, and nothing is changed', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const {owner: _, ...alone} = pod('alone')
  host.edit(({cluster}) => (cluster.pods = [pod('a'), alone, {...alone, name: 'done', phase: 'Succeeded'}]))
  const seen = (): unknown[] => [releasesOf(host), host.journal, host.list(String.raw`k\downloads`)]
  const before = seen()
  for (const dryRun of [false, true]) {
    const {result} = await setupOn(host.dir, {release: '1.31.14'}, {dryRun, upgrade: {drainMs: 60_000}})
    expect(result).toMatchObject({error: {id: 'PODS_WITHOUT_CONTROLLER'}, exitCode: 3, steps: []})
    expect(result.error?.cause).toMatch(/: shop\/alone\.$/)
    expect(seen()).toEqual(before)
  }

  const upgrade = {drainMs: 60_000, losesPods: true}
  const {events, result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade})
  expect(result).toMatchObject({exitCode: 0})
  expect(warningsIn(events)).toContainEqual(expect.stringContaining('shop/alone has no controller'))
  expect(host.world.cluster.pods?.filter(({goneAt}) => goneAt === undefined).map(({name}) => name)).toEqual(['done'])
})

it.each(turn([true, false], 1))(
  '--drain names the pods that it evicts, and those whose emptyDir data is deleted; --dry-run: %s',
  async (dryRun) => {
    const host = await nodeAt('1.30.14', '1.31.14')
    host.edit(({cluster}) => (cluster.pods = [{...pod('a'), volumes: [{emptyDir: {}, name: 'cache'}]}, pod('b')]))
    const {events, result} = await setupOn(host.dir, {release: '1.31.14'}, {dryRun, upgrade: {drainMs: 60_000}})
    expect(result.error).toBeUndefined()
    expect(warningsIn(events).filter((message) => message.includes('emptyDir'))).toEqual([
      expect.stringMatching(/: shop\/a$/),
    ])
    const stay = host.world.cluster.pods?.filter(({deletedAt}) => deletedAt === undefined)
    expect(stay).toHaveLength(dryRun ? 2 : 0)
    const {changes} = result.steps.find(({id}) => id === 'drain-node') ?? {}
    expect(changes).toEqual(expect.arrayContaining(['evict the pod shop/a', 'evict the pod shop/b']))
  },
)

it('a pod that cannot be evicted: nothing is stopped, and the node takes pods again', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit(({cluster}) => {
    cluster.pods = [pod('a')]
    cluster.disruptionBudgets = [{allowed: 0, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]
  })
  const processes = host.world.services['kubelet']?.processId
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade: {drainMs: 60_000}})
  expect(result).toMatchObject({error: {id: 'DRAIN_TIMED_OUT'}, exitCode: 6})
  expect(host.world.services['kubelet']?.processId).toBe(processes)
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expect(host.journal.filter(({kind}) => kind === 'upgrade')).toEqual([])
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  expectEnded(host)
})

it('a drain that --timeout ends: nothing is stopped, and the node takes pods again', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit(({cluster}) => {
    cluster.pods = [pod('a')]
    cluster.disruptionBudgets = [{allowed: 0, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]
  })
  const processes = host.world.services['kubelet']?.processId
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade: {drainMs: 60 * 60_000}})
  expect(result).toMatchObject({error: {id: 'TIMEOUT_PASSED'}, exitCode: 6})
  expect(result.error?.fix).toContain('Nothing was stopped, and the node takes pods again.')
  expect(host.world.services['kubelet']?.processId).toBe(processes)
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expect(host.journal.filter(({kind}) => kind === 'upgrade')).toEqual([])
})

it('a program that a user runs makes way: "kubectl get nodes --watch" does not end an upgrade', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const kubectl = String.raw`C:\k\kubernetes\node\bin\kubectl.exe`
  let isThere = true
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      const [from, to] = args
      if (isThere && what === 'rename' && to === kubectl) throw new FileError('rename', String(from), 'EPERM')
      const result = await perform()
      if (what === 'rename' && from === kubectl) isThere = false
      return result
    })
  const {events, result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap})
  expect(result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expectEnded(host)
  const moved = host.list('').filter((name) => name.endsWith('.deleted'))
  expect(moved).toHaveLength(1)
  expect(warningsIn(events)).toContainEqual(expect.stringContaining(`C:\\${moved[0]} stays until the next restart`))
  expect(host.journal.filter(({path}) => String(path).endsWith('.deleted'))).toEqual([])
})

it('containerd alone, killed: status names the command that finishes it, and setup returns to the old one', async () => {
  const host = await nodeAt('1.31.14', '1.31.14', PROFILE, '1.7.25')
  const isLast = ({args, what}: Effect): boolean =>
    what === 'rename' && /containerd\\bin\\ctr\.exe$/.test(args[1] ?? '')
  const wrap = (machine: Machine): Machine => faultyMachine(machine, [{at: isLast, does: 'crash', when: 'after'}])
  const run = setupOn(host.dir, {'containerd-version': '2.3.4'}, {upgrade: {drainMs: 60_000}, wrap})
  await expect(run).rejects.toThrow(CrashError)
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems[0]).toMatchObject({
    command: 'k8s-win upgrade --release 1.31.14 --containerd-version 2.3.4 --drain',
    id: 'UPGRADE_UNFINISHED',
  })
  expect(JSON.stringify(document.problems[0])).toContain('from containerd 1.7.25 to containerd 2.3.4')
  const other = host.copy()
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expect(host.world.containerd.version).toBe('v1.7.25')
  expectEnded(host)
  const again = await setupOn(other.dir, {'containerd-version': '2.3.4'}, {upgrade: {drainMs: 60_000}})
  expect(again.result.error).toBeUndefined()
  expect(other.world.containerd.version).toBe('v2.3.4')
  expectEnded(other)
})

/** Refuses the connection for the requests that `isRefused` counts, from the cordon on. */
const afterCordon =
  (isRefused: (what: string, url: string) => boolean) =>
  (machine: Machine): Machine => {
    let isCordoned = false
    return interceptMachine(machine, async ({args, what}, perform) => {
      const url = String(args[0])
      if (isCordoned && isRefused(what, url)) throw new HttpError(url, 'ECONNREFUSED', 'connection refused')
      isCordoned ||= what === 'PATCH' && url.includes('/nodes/')
      return perform()
    })
  }

it('review R2-5: a drain whose proof fails leaves a node that takes pods again', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  let lists = 0
  const wrap = afterCordon((what, url) => what === 'GET' && url.includes('/pods?') && ++lists === 2)
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {wrap})
  expect(result.steps.find(({id}) => id === 'drain-node')).toMatchObject({state: 'failed'})
  expect(result.error?.fix).toContain('Nothing was stopped, and the node takes pods again.')
  expect(releasesOf(host)).toEqual(at('1.30.14'))
  expect(host.journal.filter(({kind}) => kind === 'upgrade')).toEqual([])
})

it('review R2-5: a drain that fails and cannot uncordon the node says so, with the command', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit(({cluster}) => {
    cluster.pods = [pod('a')]
    cluster.disruptionBudgets = [{allowed: 0, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]
  })
  const wrap = afterCordon((what) => what === 'PATCH')
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade: {drainMs: 60_000}, wrap})
  expect(result.error).toMatchObject({
    fix: expect.stringMatching(/The node stays cordoned.*"kubectl uncordon win-1"/) as string,
    id: 'DRAIN_TIMED_OUT',
  })
  expect(releasesOf(host).at(-1)).toBe('cordoned')
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expectEnded(host)
})

it.each([
  ['1.32.13', '1.31.14'],
  ['1.30.14', '1.34.11'],
])('%s with an API server of %s is beyond the skew: nothing is changed', async (release, server) => {
  const host = await nodeAt('1.31.9', server)
  const before = host.state
  const {result} = await setupOn(host.dir, {release}, {upgrade: {}})
  expect(result).toMatchObject({error: {id: 'VERSION_SKEW'}, exitCode: 3})
  expect(host.state).toEqual(before)
})

it('a node with Docker is not taken to 1.24 or newer: the way is shown, and nothing is changed', async () => {
  const host = await nodeAt('1.23.17', '1.24.17', 'ws2022')
  host.edit(({docker, services}) => {
    docker.running = false
    if (services['docker']) services['docker'].state = 'stopped'
  })
  const before = host.state
  const {result} = await setupOn(host.dir, {release: '1.24.17'}, {upgrade: {}})
  expect(result).toMatchObject({error: {id: 'RUNTIME_CHANGE'}, exitCode: 3})
  expect(result.error?.fix).toMatch(/k8s-win reset --drain.*k8s-win setup --release 1\.24\.17/)
  expect(host.state).toEqual(before)
})

it('an identity that may not evict the pods is refused before anything is changed', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  host.edit(({cluster}) => {
    cluster.pods = [pod('a')]
    const others = [
      'certificatesigningrequests',
      'csinodes',
      'events',
      'leases',
      'nodes',
      'subjectaccessreviews',
      'tokenreviews',
    ]
    const verbs = ['delete', 'get', 'list', 'patch', 'update', 'watch']
    cluster.permissions = [...verbs.map((verb) => `${verb} *`), ...others.map((resource) => `create ${resource}`)]
  })
  const before = [releasesOf(host), host.journal]
  const {result} = await setupOn(host.dir, {release: '1.31.14'}, {upgrade: {drainMs: 60_000}})
  expect(result).toMatchObject({error: {id: 'DRAIN_FORBIDDEN'}, exitCode: 3})
  expect([releasesOf(host), host.journal]).toEqual(before)
})

it('upgrade without a release takes the newest known patch of the API server, and has nothing to do then', async () => {
  const host = await nodeAt('1.30.14', '1.31.9')
  const {result} = await setupOn(host.dir, {}, {upgrade: {}})
  expect(result).toMatchObject({command: 'upgrade', exitCode: 0})
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expect((await setupOn(host.dir, {}, {upgrade: {}})).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
})

nightly('upgrade without a release waits for a network that comes back', async () => {
  const host = await nodeAt('1.30.14', '1.31.9')
  host.edit(({os}) => (os.offlineUntil = os.time + 25_000))
  expect((await setupOn(host.dir, {}, {upgrade: {}})).result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
})

it.each(
  turn(
    [
      ['1.30.14', '1.31.14', false],
      ['1.31.14', '1.30.14', true],
    ],
    0,
  ),
)('from %s to %s, dry run %s: both are named', async (from, to, dryRun) => {
  const host = await nodeAt(from, '1.31.14')
  const {events, result} = await setupOn(host.dir, {release: to}, {dryRun, upgrade: {}})
  expect(result).toMatchObject({exitCode: 0, upgrade: {from, to}})
  const said = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
  expect(said).toContainEqual(expect.stringContaining(`from ${from} to ${to}`))
})

it('upgrade without a node changes nothing', async () => {
  const host = await HostFolder.fresh(undefined, PROFILE)
  const before = host.state
  const {result} = await setupOn(host.dir, {}, {upgrade: {}}, PROFILE)
  expect(result).toMatchObject({error: {command: 'k8s-win setup', id: 'NO_NODE'}, exitCode: 9})
  expect(host.state).toEqual(before)
})

it('another minor version: feature gates are not kept, which is said; the digest of the old release is not that of the new', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const digest = [`kubernetes=sha512:${'1'.repeat(128)}`]
  const given = await setupOn(host.dir, {digest, 'feature-gate': ['NodeLogQuery=true']})
  expect(given.result).toMatchObject({exitCode: 0})
  const {events, result} = await setupOn(host.dir, {release: '1.31.14'})
  expect(result.error).toBeUndefined()
  expect(releasesOf(host)).toEqual(at('1.31.14'))
  expect(warningsIn(events).filter((text) => text.startsWith('feature gates'))).toEqual([
    'feature gates are not kept with another minor version: NodeLogQuery=true. If the new release has them, pass them to --feature-gate of setup',
  ])
  expect(host.read(String.raw`k\k8s-win\node.yaml`)).not.toContain('1111')
})
