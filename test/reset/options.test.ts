// Each option of reset, on copies of one node.
import {describe, expect, test} from 'vitest'
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {allowEverything} from '../fakes/administrator.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const DOWNLOADS = String.raw`k\downloads`
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const {before, copy} = setUpHost()
const tags = ({world}: HostFolder): string[] => world.docker.images.flatMap((image) => image.tags)
const stateOf = ({result}: Awaited<ReturnType<typeof resetOn>>, id: string): string | undefined =>
  result.steps.find((step) => step.id === id)?.state

describe('--keep-images, --keep-downloads', () => {
  test('with --purge they stay, and are still known', async () => {
    const host = copy()
    const kept = await resetOn(host.dir, {given: {'keep-downloads': true, 'keep-images': true, purge: true}})
    expect(kept.result.exitCode).toBe(0)
    expect(tags(host)).toContain('mcr.microsoft.com/windows/nanoserver:1809')
    expect(host.has(String.raw`k\downloads\flanneld-v0.28.9.exe`)).toBe(true)
    expect([String.raw`k\logs`, String.raw`k\k8s-win\result.json`].filter((path) => host.has(path))).toEqual([])
    await resetOn(host.dir, {given: {'keep-downloads': true, purge: true}})
    expect(tags(host)).toEqual([])
    expect(host.has(DOWNLOADS)).toBe(true)
    await resetOn(host.dir, {given: {purge: true}})
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('without --purge they can be removed', async () => {
    const host = copy()
    await resetOn(host.dir, {given: {'keep-downloads': false, 'keep-images': false}})
    expect(tags(host)).toEqual([])
    expect(host.has(DOWNLOADS)).toBe(false)
    expect(host.has(String.raw`k\logs\kubelet`)).toBe(true)
  })

  test("an image that another container runs on stays, and is no longer k8s-win's", async () => {
    const host = copy()
    host.edit(({docker}) => {
      const image = docker.images.find(({tags: [tag]}) => tag?.includes('servercore'))?.id ?? ''
      docker.containers.push({exitCode: 0, id: 'c'.repeat(64), image, labels: {}, name: 'theirs', state: 'running'})
    })
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect(result.exitCode).toBe(0)
    expect(warnings.join()).toContain('servercore:ltsc2019 is kept because it is in use')
    expect(tags(host)).toEqual(['mcr.microsoft.com/windows/servercore:ltsc2019'])
    expect(host.world.docker.containers).toHaveLength(1)
    expect(host.has(JOURNAL)).toBe(false)
  })
})

describe('the node object', () => {
  const nodes = ({world}: HostFolder): string[] => world.cluster.nodes.map(({name}) => name)

  test('goes', async () => {
    const host = copy()
    await resetOn(host.dir)
    expect(nodes(host)).not.toContain('win-1')
  })

  test("stays with --keep-node, and is no longer k8s-win's", async () => {
    const host = copy()
    const end = await resetOn(host.dir, {given: {'keep-node': true}})
    expect(end.result).toMatchObject({exitCode: 0, recap: {skipped: 1}})
    expect(stateOf(end, 'node-registered')).toBe('skipped')
    expect(nodes(host)).toContain('win-1')
    await resetOn(host.dir)
    expect(nodes(host)).toContain('win-1')
  })

  const web = {name: 'web-1', namespace: 'shop', node: 'win-1', owner: {kind: 'ReplicaSet', name: 'web'}}

  test('is drained first where asked', async () => {
    const host = copy()
    host.edit(({cluster}) => (cluster.pods = [web]))
    const {result} = await resetOn(host.dir, {given: {drain: true}})
    expect(result.exitCode).toBe(0)
    const changes = ['cordon the node win-1', 'evict the pod shop/web-1']
    expect(result.steps[0]).toMatchObject({changes, id: 'drain', state: 'changed'})
  })

  test('with pods that do not leave in time ends with 6, and nothing is stopped', async () => {
    const host = copy()
    host.edit(({cluster}) => {
      cluster.pods = [{...web, labels: {app: 'web'}}]
      cluster.disruptionBudgets = [{allowed: 0, name: 'web', namespace: 'shop', labels: {app: 'web'}}]
    })
    const {result} = await resetOn(host.dir, {given: {drain: true, 'drain-timeout': '30s'}})
    expect(result).toMatchObject({error: {id: 'DRAIN_TIMED_OUT'}, exitCode: 6, recap: {changed: 1, failed: 1}})
    expect(result.durationMs).toBeLessThan(60_000)
    for (const {service} of COMMON_DAEMONS) expect(host.world.services[service]?.state).toBe('running')
  })
})

describe('--purge', () => {
  test('takes the base directory that setup made, with what it lies in, and never the kubeconfig it was given', async () => {
    const host = await HostFolder.fresh()
    host.edit(allowEverything)
    const fresh = wholeHost(host)
    const given = {'base-dir': String.raw`C:\a\b\k`, kubeconfig: String.raw`C:\k\kubeconfig`}
    expect((await setupOn(host.dir, given)).result.exitCode).toBe(0)
    await resetOn(host.dir, {baseDir: given['base-dir']})
    expect(host.has(String.raw`a\b\k\downloads`)).toBe(true)
    expect(host.has(String.raw`a\b\k\kubeconfig`)).toBe(false)
    await resetOn(host.dir, {baseDir: given['base-dir'], given: {purge: true}})
    expect(differences(fresh, wholeHost(host))).toEqual([])
  })

  test("leaves what others have put into our folders since, and says nothing untrue: they are not k8s-win's alone", async () => {
    const host = copy()
    host.put(String.raw`k\downloads\theirs.zip`, 'theirs')
    host.put(String.raw`k\logs\theirs.log`, 'theirs')
    host.put(String.raw`k\cni\theirs.txt`, 'theirs')
    expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
    const left = [...wholeHost(host).keys()].filter((path) => path.startsWith('files > k/'))
    expect(left.sort()).toEqual([
      'files > k/cni',
      'files > k/cni/theirs.txt',
      'files > k/downloads',
      'files > k/downloads/theirs.zip',
      'files > k/kubeconfig',
      'files > k/logs',
      'files > k/logs/theirs.log',
    ])
  })
})

describe('--log-file', () => {
  const LOG = String.raw`C:\reset.log`

  test('is where the log goes, also when everything else does', async () => {
    const host = copy()
    const {result} = await resetOn(host.dir, {given: {'log-file': LOG, purge: true}})
    expect(result).toMatchObject({exitCode: 0, log: LOG})
    expect(host.read('reset.log')).toContain('reset ends: done')
    const trace = host.read('reset.log.trace')
    expect(trace).toContain('deleteService')
    expect(trace).toContain('run-finished')
    for (const name of ['reset.log', 'reset.log.trace']) host.remove(name)
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('cannot be in what --purge removes', async () => {
    const host = copy()
    const at = wholeHost(host)
    const {result} = await resetOn(host.dir, {given: {'log-file': String.raw`c:\K\logs\x.log`, purge: true}})
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
    expect(differences(at, wholeHost(host))).toEqual([])
  })
})

describe('--dry-run', () => {
  test('shows what would be removed, changes nothing, and is what is done then', async () => {
    const host = copy()
    const at = wholeHost(host)
    const plan = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
    expect(plan.result).toMatchObject({changesPending: true, exitCode: 0, outcome: 'planned'})
    expect(differences(at, wholeHost(host))).toEqual([])
    const told = plan.result.steps.flatMap(({changes}) => changes)
    expect(told).toEqual(
      expect.arrayContaining([
        'remove the service kubelet',
        'remove the firewall rule "k8s-win kubelet TCP 10250"',
        'remove the HNS network vxlan0',
        'remove the node win-1 from the cluster',
        'remove the image mcr.microsoft.com/windows/nanoserver:1809',
        String.raw`remove C:\k\kubernetes\node\bin from PATH`,
        String.raw`remove C:\var\lib\kubelet, with everything in it`,
        String.raw`remove C:\k\client-ca.crt`,
      ]),
    )
    expect(plan.result.steps.find(({id}) => id === 'daemons')?.changes).toEqual(
      COMMON_DAEMONS.map(({service}) => `stop the service ${service}`).reverse(),
    )
    const deed = await resetOn(host.dir, {given: {purge: true}})
    const planned = plan.result.steps.filter(({state}) => state === 'would-change').map(({id}) => id)
    expect(planned.length).toBeGreaterThan(12)
    expect(planned.filter((id) => stateOf(deed, id) !== 'changed')).toEqual([])
  })
})
