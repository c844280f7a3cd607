// What the options leave open: by the cluster, by the release, or by default.
import {describe, expect, it} from 'vitest'
import {kubernetesDigests} from '../../src/artifacts/digests.js'
import {knownReleases} from '../../src/preflight/known-releases.js'
import {runtimeOf} from '../../src/config/choose-release.js'
import {type Answers, decide, runtimeProblems} from '../../src/config/decide.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {resolveConfig} from '../../src/config/options/resolve-setup.js'
import {parseVersion, type Version} from '../../src/config/version.js'

const versionOf = (text: string): Version => parseVersion(text) as Version
/** What the last setup stored gives way; what is asked for now is refused. */
const STORED = {'containerd-version': 'stored'} as const
const decided = (given: GivenOptions = {}, answers: Answers = {}) => decide(resolveConfig({given}), answers)

describe('networks and domain', () => {
  const answers: Answers = {
    clusterCIDR: {value: '10.200.0.0/16', where: 'ConfigMap kube-flannel/kube-flannel-cfg'},
    clusterDomain: {value: 'corp.local', where: 'ConfigMap kube-system/kubeadm-config'},
    serviceCIDR: {value: '10.96.0.0/12', where: 'ServiceCIDR kubernetes'},
  }

  it('are the defaults where the cluster says nothing', () => {
    const config = decided()
    expect(config).toMatchObject({
      clusterCIDR: '10.244.0.0/16',
      clusterDomain: 'cluster.local',
      serviceCIDR: '10.10.0.0/16',
    })
    expect(config.origin.sources).toEqual({})
  })

  it('are those of the cluster, with the object that says so', () => {
    const config = decided({}, answers)
    expect([config.clusterCIDR, config.clusterDomain, config.serviceCIDR]).toEqual([
      '10.200.0.0/16',
      'corp.local',
      '10.96.0.0/12',
    ])
    const {given, sources, where} = config.origin
    expect([sources['service-cidr'], given['service-cidr'], where['service-cidr']]).toEqual([
      'cluster',
      '10.96.0.0/12',
      'ServiceCIDR kubernetes',
    ])
  })

  it('are those of the flags before those of the cluster', () => {
    const config = decided({'cluster-domain': 'one.local', 'service-cidr': '10.97.0.0/16'}, answers)
    expect([config.clusterCIDR, config.clusterDomain, config.serviceCIDR]).toEqual([
      '10.200.0.0/16',
      'one.local',
      '10.97.0.0/16',
    ])
    expect(Object.keys(config.origin.sources)).toEqual(['cluster-cidr'])
  })
})

describe('the release', () => {
  it('decides the runtime and its versions', async () => {
    const asked = resolveConfig({given: {}})
    const config = decide(asked, {catalogue: await knownReleases(), serverVersion: 'v1.34.2'})
    expect([config.release.text, config.runtime, config.versions.containerd.text, config.versions.crictl.text]).toEqual(
      ['1.34.11', 'containerd', '2.3.4', '1.36.0'],
    )
    const given = {...asked.versions, containerd: versionOf('2.2.7')}
    expect(decide({...asked, release: versionOf('1.34.1'), versions: given}).versions.containerd.text).toBe('2.2.7')
  })

  it.each([
    // Going back, and another minor: never older than what has opened the root.
    ['1.30.14', undefined, '2.3.4', '2.3.4', undefined],
    ['1.31.14', undefined, '2.4.0', '2.4.0', 'host'],
    ['1.31.14', undefined, '1.7.25', '2.3.4', undefined],
    ['1.24.0', undefined, '1.7.25', '2.3.4', undefined],
    ['1.31.14', undefined, '2.3.4', '2.3.4', undefined],
    // What is asked for, within its major.
    ['1.31.14', '2.2.7', '2.3.4', '2.2.7', undefined],
    ['1.30.14', '1.6.39', '1.7.25', '1.6.39', undefined],
    ['1.30.14', '1.7.25', '2.0.5', '2.0.5', 'host'],
    ['1.23.17', undefined, '2.4.0', '2.3.4', undefined],
  ])(
    '%s, with --containerd-version %s, on a root of containerd %s: %s',
    (release, version, opened, expected, source) => {
      const given = {release, ...(version !== undefined && {'containerd-version': version})}
      const config = decide(resolveConfig({given, sources: STORED}), {rootOpenedBy: versionOf(opened)})
      const {sources} = config.origin
      expect([config.versions.containerd.text, sources['containerd-version']]).toEqual([expected, source ?? 'stored'])
    },
  )

  it('review T12: every release with containerd gets 2.3.4 by default', async () => {
    const releases = Object.keys(await kubernetesDigests()).filter((text) => versionOf(text).minor >= 24)
    expect(new Set(releases.map((release) => decided({release}).versions.containerd.text))).toEqual(new Set(['2.3.4']))
  })

  it('review T12: containerd 1.7 that opened the root stays where no options are stored, unless another is asked for', () => {
    const answers = {isUnstored: true, rootOpenedBy: versionOf('1.7.25')}
    const {origin, versions} = decided({release: '1.30.14'}, answers)
    expect([versions.containerd.text, origin.sources['containerd-version']]).toEqual(['1.7.25', 'host'])
    const asked = decided({'containerd-version': '2.3.4', release: '1.30.14'}, answers)
    expect(asked.versions.containerd.text).toBe('2.3.4')
  })

  it.each([
    ['1.21.0', 'docker'],
    ['1.23.17', 'docker'],
    ['1.24.0', 'containerd'],
    ['1.36.4', 'containerd'],
  ])('%s runs with %s', (release, runtime) => {
    expect(runtimeOf(versionOf(release))).toBe(runtime)
  })
})

describe('the runtime', () => {
  const idsOf = (asked: Partial<Parameters<typeof runtimeProblems>[0]>): string[] =>
    runtimeProblems({baseImages: ['nanoserver', 'servercore'], ...asked}, (flag) => `--${flag}`).map(({id}) => id)

  it('Docker with 1.24 or newer is refused', () => {
    expect(idsOf({release: versionOf('1.24.0'), runtime: 'docker'})).toEqual(['DOCKER_UNSUPPORTED'])
    expect(idsOf({release: versionOf('1.23.17'), runtime: 'docker'})).toEqual([])
    expect(idsOf({runtime: 'docker'})).toEqual([])
  })

  it('containerd with 1.23 or older is refused', () => {
    expect(idsOf({release: versionOf('1.23.17'), runtime: 'containerd'})).toEqual(['BAD_VALUE'])
    expect(idsOf({release: versionOf('1.24.0'), runtime: 'containerd'})).toEqual([])
    expect(idsOf({runtime: 'containerd'})).toEqual([])
  })

  it('no base images are allowed with containerd only', () => {
    expect(idsOf({baseImages: [], release: versionOf('1.36.4')})).toEqual([])
    expect(idsOf({baseImages: [], runtime: 'containerd'})).toEqual([])
    expect(idsOf({baseImages: []})).toEqual([])
    expect(idsOf({baseImages: [], release: versionOf('1.23.17')})).toEqual(['BAD_VALUE'])
    expect(idsOf({baseImages: ['servercore'], runtime: 'docker'})).toEqual(['BAD_VALUE'])
  })
})
