// From minor to minor, up and back: the command lines and the configuration are those of the release, whichever way a node
// came to it.
import {expect, it} from 'vitest'
import {splitCommandLine} from '../../src/machine/command-line.js'
import {remembered} from '../../src/machine/remembered.js'
import {golden} from '../components/golden.js'
import {setupOn} from '../interruption/setup-run.js'
import {nightly} from '../nightly.js'
import {isWhole} from '../sample.js'
import {minorOf, RELEASES} from '../setup/every-release.js'
import type {HostFolder} from '../steps/host-folder.js'
import {at, expectEnded, nodeAt, releasesOf} from './node-at.js'

/** The newest patch of every minor with containerd. */
const NEWEST = [...new Map(RELEASES.map((release) => [minorOf(release), release])).values()].filter(
  (release) => minorOf(release) >= 24,
)
/** Of these the whole lines are known. */
const GOLDEN = [24, 26, 27, 31, 36]

interface Fields {
  readonly containerd: string | undefined
  readonly 'kube-proxy': readonly string[]
  readonly kubelet: readonly string[]
  readonly kubeletConfig: string
}

function fieldsOf({read, world}: {read(path: string): string; world: HostFolder['world']}): Fields {
  const commandOf = (name: string): string[] => splitCommandLine(world.services[name]?.config.imagePath ?? '')
  return {
    containerd: world.containerd.version,
    'kube-proxy': commandOf('kubeproxy'),
    kubelet: commandOf('kubelet'),
    kubeletConfig: read(String.raw`k\kubelet-config.yaml`),
  }
}

/** A node that went from 1.24 to 1.36, and what it had on its way, by minor. */
const risen = remembered(async (first: string) => {
  const host = await nodeAt(first)
  const seenAt = new Map([[24, seen(host)]])
  for (const release of NEWEST.slice(1)) seenAt.set(minorOf(release), await moved(host, release, release))
  return {host, of: (minor: number): Fields => seenAt.get(minor) as Fields}
})

nightly('1.24 to 1.36, minor by minor', async () => {
  expect(NEWEST.map((release) => minorOf(release))).toEqual([24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36])
  const {of} = await risen(String(NEWEST[0]))
  for (const minor of GOLDEN) expectGolden(minor, of(minor))
  expectBoundaries(of)
})

nightly('and back: the same', async () => {
  const {host, of} = await risen(String(NEWEST[0]))
  // The way back is the same for each: npm run test:crash goes all of it.
  const down = NEWEST.toReversed().slice(0, isWhole ? NEWEST.length : 5)
  for (const [index, release] of down.slice(1).entries()) {
    const fields = await moved(host, release, String(down[index]))
    expect(fields, release).toEqual(of(minorOf(release)))
  }
})

it('three minors at once, within the skew', async () => {
  const host = await nodeAt('1.27.16', '1.30.14')
  expect((await moved(host, '1.30.14', '1.30.14')).kubelet.join(' ')).toContain('kube-log-runner')
})

it('Docker nodes go from 1.21 to 1.23 and back with the same steps', async () => {
  const host = await nodeAt('1.21.14', '1.23.17', 'ws2019')
  for (const release of ['1.22.17', '1.23.17', '1.22.17', '1.21.14']) await moved(host, release, '1.23.17')
})

const seen = (host: HostFolder): Fields => fieldsOf({read: (path) => host.read(path), world: host.world})

async function moved(host: HostFolder, release: string, server: string): Promise<Fields> {
  host.edit(({cluster}) => (cluster.version = `v${server}`))
  const {bug, result} = await setupOn(host.dir, {given: {release}, profile: host.world.os.profile, upgrade: {}})
  expect([release, bug, result?.error, result?.node?.ready]).toEqual([release, undefined, undefined, true])
  expect(releasesOf(host)).toEqual(at(release))
  expectEnded(host)
  return seen(host)
}

function expectGolden(minor: number, fields: Fields): void {
  for (const program of ['kubelet', 'kube-proxy'] as const) {
    const lines = `${fields[program].join('\n')}\n`
    expect(lines).toBe(golden(`1.${minor}/${program}.txt`, lines))
  }
  const config = fields.kubeletConfig
  expect(config).toBe(golden(`1.${minor}/kubelet-config.yaml`, config))
}

function expectBoundaries(of: (minor: number) => Fields): void {
  const has = (minor: number, program: 'kube-proxy' | 'kubelet', flag: RegExp): boolean =>
    of(minor)[program].some((word) => flag.test(word))
  const changes = (flag: RegExp, programs: readonly ('kube-proxy' | 'kubelet')[], below: number): boolean[] =>
    programs.flatMap((program) => [has(below, program, flag), has(below + 1, program, flag)])
  // 1.26 writes no log files itself, and a runner does.
  expect(changes(/^--log-dir=/, ['kubelet', 'kube-proxy'], 25)).toEqual([true, false, true, false])
  expect(changes(/kube-log-runner\.exe$/, ['kubelet', 'kube-proxy'], 25)).toEqual([false, true, false, true])
  // 1.27 has the endpoint in its configuration.
  expect(changes(/^--container-runtime-endpoint=/, ['kubelet'], 26)).toEqual([true, false])
  expect([26, 27].map((minor) => of(minor).kubeletConfig.includes('containerRuntimeEndpoint'))).toEqual([false, true])
  // 1.31 needs no flags about cgroups.
  expect(changes(/^--(?:cgroups-per-qos|enforce-node-allocatable)=/, ['kubelet'], 30)).toEqual([true, false])
  // The runner of 1.34 rotates.
  expect(changes(/^-log-file-(?:size|age)=/, ['kubelet', 'kube-proxy'], 33)).toEqual([false, true, false, true])
  // 1.35 lost the flag of the sandbox image, which a node with containerd never had.
  expect(changes(/^--pod-infra-container-image=/, ['kubelet'], 34)).toEqual([false, false])
  expect(of(35).kubelet).toEqual(of(34).kubelet)
}
