// The catalogue of digests: its form, and the simulated mirror as its second witness.
import {describe, expect, it} from 'vitest'

import {kubernetesArtifact} from '../../src/artifacts/catalog.js'
import {knownDigest, kubernetesDigests, newestRelease} from '../../src/artifacts/digests.js'
import pins from '../../src/artifacts/pins.json' with {type: 'json'}
import {ARTIFACT_IDS} from '../../src/config/artifact-ids.js'
import {optionOf, type OptionFlag} from '../../src/config/options/options.js'
import {parseVersion} from '../../src/config/version.js'
import {publishedDigest} from '../../src/simulator/mirror/digests.js'
import {releaseNode} from '../components/example.js'

const releases = Object.entries(await kubernetesDigests())

describe('node archives of Kubernetes', () => {
  it('have a sha512 each, and no two the same', () => {
    for (const [release, digest] of releases) {
      expect(release).toMatch(/^1\.\d+\.\d+$/)
      expect(digest, release).toMatch(/^sha512:[\da-f]{128}$/)
    }
    expect(new Set(releases.map(([, digest]) => digest)).size).toBe(releases.length)
  })

  it('are in order, without a gap in a minor', () => {
    const minors = new Map<number, number[]>()
    for (const [release] of releases) {
      const {minor = 0, patch = 0} = parseVersion(release) ?? {}
      minors.set(minor, [...(minors.get(minor) ?? []), patch])
    }
    expect([...minors.keys()]).toEqual(Array.from({length: minors.size}, (_, at) => 21 + at))
    for (const [minor, patches] of minors) {
      const gaps = patches.filter((patch, at) => patch !== (patches[at - 1] ?? -1) + 1)
      expect([minor, gaps]).toEqual([minor, []])
    }
  })

  it('have the digest that the simulated mirror read from the CHANGELOG files', async () => {
    for (const [release, pinned] of releases) {
      const artifact = kubernetesArtifact(releaseNode(release))
      const digest = await knownDigest(artifact)
      expect(`sha512:${digest?.hex}`).toBe(pinned)
      const mirrored = publishedDigest({id: 'kubernetes', url: artifact.url, version: release}, 'sha512', {
        declared: {},
        downloads: {},
      })
      expect([release, mirrored]).toEqual([release, digest?.hex])
      expect(digest?.source).toBe('CHANGELOG of kubernetes/kubernetes')
    }
  })

  it.each([
    [21, '1.21.14'],
    [24, '1.24.17'],
    [36, '1.36.4'],
    [2, undefined],
    [37, undefined],
  ])('of 1.%s end with %s', async (minor, release) => {
    expect(await newestRelease(minor)).toBe(release)
  })
})

describe('the other artifacts', () => {
  const rows = Object.entries(pins).flatMap(([id, versions]) =>
    Object.entries(versions).map(([version, pin]) => ({...pin, id, version})),
  )

  it('have a sha256 each, and where it was read', () => {
    for (const {digest, id, sources, version} of rows) {
      expect(parseVersion(version), `${id} ${version}`).toBeDefined()
      expect(digest).toMatch(/^sha256:[\da-f]{64}$/)
      expect(sources.length).toBeGreaterThan(0)
      for (const source of sources) expect(source).toMatch(/^(\S+ of [\w-]+\/[\w-]+ at [\da-f]{7}|npm \S+ [\d.]+)$/)
    }
    expect(new Set(rows.map(({digest}) => digest)).size).toBe(rows.length)
  })

  it('have a pin for every default version', () => {
    const defaults: Readonly<Record<string, OptionFlag>> = {
      'cni-plugins': 'cni-version',
      containerd: 'containerd-version',
      crictl: 'crictl-version',
      'flannel-cni': 'flannel-cni-version',
      flanneld: 'flannel-version',
    }
    for (const [id, flag] of Object.entries(defaults)) {
      expect(
        rows.some((row) => row.id === id && row.version === optionOf(flag).default),
        id,
      ).toBe(true)
    }
    expect(Object.keys(pins)).toEqual(expect.arrayContaining(ARTIFACT_IDS.filter((id) => id !== 'kubernetes')))
  })
})
