// 1.37, which is known from the sources of its release candidate only: set up where it is asked for, and never chosen.
import {describe, expect, it} from 'vitest'
import {PREVIEW_MINOR, PREVIEW_SOURCE} from '../../src/config/version.js'
import {remembered} from '../../src/machine/remembered.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {expectSetUp, HOSTS, refusalOf} from './every-release.js'
import {setupOn} from './in-process.js'
import {turn} from '../sample.js'

const release = `1.${PREVIEW_MINOR}.0`
const profile = 'ws2025'
const given = {'base-images': 'none'}

const inCluster = (version: string): Promise<HostFolder> =>
  HostFolder.fresh((world) => (world.cluster = makeCluster(version)), profile)

const node = remembered(async (asked: string): Promise<HostFolder> => {
  const host = await inCluster(`v${release}`)
  const {result} = await setupOn(host.dir, {...given, release: asked}, {}, profile)
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  return host
})

describe('where it is asked for', () => {
  it.each(HOSTS.filter((host) => refusalOf(host, release) === undefined))('it is set up on %s', async (host) => {
    await expectSetUp(host, release)
  })

  it('is a warning that says what k8s-win knows of it, and names the newest known release', async () => {
    const host = (await node(release)).copy()
    const {result} = await setupOn(host.dir, {}, {}, profile)
    expect(result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect(result.checks.find(({id}) => id === 'release-windows')).toMatchObject({
      fix: expect.stringContaining('--release 1.36.4') as string,
      message: expect.stringContaining(`only from its release candidate (${PREVIEW_SOURCE})`) as string,
      result: 'warn',
    })
  })

  it.each(['', '.sha512'])('it is not installed where its archive%s is not published', async (part) => {
    const url = `https://dl.k8s.io/v${release}/kubernetes-node-windows-amd64.tar.gz${part}`
    const host = await inCluster(`v${release}`)
    host.edit(({downloads}) => void (downloads[url] = {fault: 'not-found'}))
    const {result} = await setupOn(host.dir, {...given, release}, {}, profile)
    expect(result.exitCode).toBe(4)
    expect(host.has(String.raw`k\kubernetes\node\bin\kubelet.exe`)).toBe(false)
  })

  it('a full version is needed', async () => {
    const host = await inCluster(`v${release}`)
    const {result} = await setupOn(host.dir, {...given, release: `1.${PREVIEW_MINOR}`}, {}, profile)
    expect(result).toMatchObject({error: {id: 'BAD_VALUE'}, exitCode: 2})
    expect(result.error?.cause).toContain('A version has three numbers')
  })
})

describe('where it is not asked for', () => {
  it('a cluster of 1.37 gets the newest known release', async () => {
    const host = await inCluster(`v${release}`)
    expect((await setupOn(host.dir, given, {}, profile)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion).toBe('v1.36.4')
  })

  it.each(turn([release, '1.36.4'], 1))('upgrade leaves a node at %s as it is', async (from) => {
    const host = (await node(from)).copy()
    expect((await setupOn(host.dir, {}, {upgrade: {}}, profile)).result).toMatchObject({
      exitCode: 0,
      recap: {changed: 0},
    })
  })
})

it('a node that was deleted from the cluster is repaired, though its kube-proxy ended with the Node', async () => {
  const host = (await node(release)).copy()
  host.edit(({cluster}) => (cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')))
  const {clock} = await openSimulator({dir: host.dir, profile})
  await clock.sleep(20_000)
  expect(host.world.services['kubeproxy']?.restarts).toBeGreaterThan(0)
  expect((await setupOn(host.dir, {}, {}, profile)).result).toMatchObject({exitCode: 0, node: {ready: true}})
  expect((await statusOn(host.dir, {profile})).document).toMatchObject({problems: [], verdict: 'healthy'})
})
