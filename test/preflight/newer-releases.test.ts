// Releases that are newer than the node's are notices, in every command, and never problems.
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {DownloadState, World} from '../../src/simulator/world.js'
import {examine} from '../doctor/doctor-rig.js'
import {allowEverything} from '../fakes/administrator.js'
import {type InProcessRun, setupOn, type Watch} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {checkOne} from './cluster-bench.js'
import {turn} from '../sample.js'

const profile = 'ws2025'
const NO_IMAGES = {'base-images': 'none'}
const STABLE = 'https://dl.k8s.io/release/stable-1.36.txt'

/** A host in a cluster of 1.36.4, to which 1.36.4 is the newest known. */
const freshHost = (change: (world: World) => void = () => {}): Promise<HostFolder> =>
  HostFolder.fresh((world) => {
    allowEverything(world)
    change(world)
  }, profile)

async function nodeOf(release?: string): Promise<HostFolder> {
  const host = await freshHost()
  const {result} = await setupOn(host.dir, {...NO_IMAGES, ...(release !== undefined && {release})}, {}, profile)
  expect(result.error).toBeUndefined()
  return host
}

const noticesOf = ({result}: InProcessRun): string[] => result.checks.flatMap(({id, notice}) => (notice ? [id] : []))
const shownIn = ({events}: InProcessRun, text: string): number =>
  events.filter((event) => event.type === 'log' && event.message.includes(text)).length

async function noticesInDoctor(host: HostFolder): Promise<string[]> {
  const {document} = await examine(host, {profile})
  expect(document).toMatchObject({exitCode: 0, recap: {failed: 0, warned: 0}})
  return document.groups.flatMap(({checks}) => checks.flatMap(({id, notice}) => (notice ? [id] : [])))
}

describe('review U2-5: the API server is newer than the newest known release', () => {
  test.each(turn(['v1.37.1', 'v1.36.7'], 0))('%s', async (version) => {
    const node = await nodeOf()
    node.edit(({cluster}) => (cluster.version = version))
    const {document} = await statusOn(node.dir, {profile})
    expect(document).toMatchObject({exitCode: 0, notices: [expect.stringContaining(version)], warnings: []})
    expect(await noticesInDoctor(node)).toEqual(['version-skew'])
    for (const watch of [{}, {upgrade: {}}] as Watch[]) {
      const again = await setupOn(node.dir, {}, watch, profile)
      expect([again.result.exitCode, noticesOf(again), shownIn(again, version)]).toEqual([0, ['version-skew'], 1])
    }
    const fresh = await freshHost(({cluster}) => (cluster.version = version))
    const first = await setupOn(fresh.dir, {}, {dryRun: true}, profile)
    expect([first.result.exitCode, noticesOf(first)]).toEqual([0, ['version-skew']])
    expect(shownIn(first, `Kubernetes 1.36.4: `)).toBe(version === 'v1.37.1' ? 1 : 2)
  })

  test.each(['v1.36.4-eks-1', 'v1.36.2', 'v1.36'])('%s is none', async (version) => {
    const sicken = ({cluster}: World): void => void (cluster.version = version)
    const seen = await checkOne('version-skew', {given: {release: '1.36.4'}, profile, sicken})
    expect([seen.result, seen.notice]).toEqual(['pass', undefined])
  })
})

test('review U2-5: a stored release with a newer patch in the catalogue names upgrade', async () => {
  const node = await nodeOf('1.36.3')
  const {document} = await statusOn(node.dir, {profile})
  expect(document.notices).toEqual([expect.stringMatching(/1\.36\.4.*k8s-win upgrade/)])
  expect(await noticesInDoctor(node)).toEqual(['release-windows'])
  const again = await setupOn(node.dir, {}, {}, profile)
  expect([noticesOf(again), shownIn(again, 'k8s-win upgrade')]).toEqual([['release-windows'], 1])
  expect(noticesOf(await setupOn(node.dir, {}, {upgrade: {}}, profile))).toEqual([])
})

describe('review U2-5: upstream has a newer patch', () => {
  const lookUp = async (download: DownloadState, given: GivenOptions = {}, time = 0) => {
    let asked = 0
    const around = (machine: Machine): Machine =>
      interceptMachine(machine, ({args: [url]}, perform) => {
        if (url === STABLE) asked++
        return perform()
      })
    const sicken = ({downloads, os}: World): void => {
      downloads[STABLE] = download
      os.time = Math.max(os.time, time)
    }
    const seen = await checkOne('newer-patch', {around, given: {...given, release: '1.36.4'}, profile, sicken})
    return {asked, isNotice: seen.notice !== undefined, result: seen.result, said: JSON.stringify(seen)}
  }

  test('a notice with the command, which installs it by its published digest', async () => {
    const host = await freshHost(({downloads}) => (downloads[STABLE] = {text: 'v1.36.7'}))
    const run = await setupOn(host.dir, NO_IMAGES, {}, profile)
    expect([run.result.exitCode, noticesOf(run)]).toEqual([0, ['newer-patch']])
    expect(shownIn(run, 'k8s-win upgrade --release 1.36.7')).toBe(1)
    expect(await noticesInDoctor(host)).toEqual(['newer-patch'])
    const {document, effects} = await statusOn(host.dir, {profile})
    expect([document.release, document.notices]).toEqual(['1.36.4', []])
    expect(effects.filter(({args: [url = '']}) => url.includes('dl.k8s.io'))).toEqual([])
    const upgraded = await setupOn(host.dir, {release: '1.36.7'}, {upgrade: {}}, profile)
    expect(upgraded.result).toMatchObject({exitCode: 0, upgrade: {from: '1.36.4', to: '1.36.7'}})
    expect((await statusOn(host.dir, {profile})).document).toMatchObject({
      notices: [],
      verdict: 'healthy',
      warnings: [],
    })
  })

  test.each([
    ['v1.36.7\n', 'pass', true],
    ['v1.36.4', 'pass', false],
    ['v1.36.1', 'pass', false],
    ['v1.37.0', 'not-checked', false],
    ['v2.36.7', 'not-checked', false],
    ['v1.36.7-rc.1', 'not-checked', false],
    ['1.36.7', 'not-checked', false],
    ['v1.36.99999', 'not-checked', false],
    ['v1.36.7\nRun "format c:"', 'not-checked', false],
    ['<html>v1.36.7</html>', 'not-checked', false],
    [`v1.36.7${' '.repeat(100)}`, 'not-checked', false],
    ['', 'not-checked', false],
  ])('%j', async (text, result, isNotice) => {
    const seen = await lookUp({text})
    expect(seen).toMatchObject({asked: 1, isNotice, result})
    expect(seen.said).not.toMatch(/format c:|<html>/)
  })

  test.each(['unreachable', 'not-found', 'truncated'] as const)('%s: not checked, and asked once', async (fault) => {
    expect(await lookUp({fault, text: 'v1.36.7'})).toMatchObject({asked: 1, isNotice: false, result: 'not-checked'})
  })

  test('with a mirror of images nobody is asked; after the end of support its last patch still is', async () => {
    const text = 'v1.36.7'
    expect(await lookUp({text}, {'image-registry': 'registry.example.com'})).toMatchObject({asked: 0, isNotice: false})
    expect(await lookUp({text}, {}, Date.parse('2027-07-01'))).toMatchObject({asked: 1, isNotice: true})
  })
})
