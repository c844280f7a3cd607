// The addresses and digests of downloads (docs/facts.md#downloads); a digest that the user passes takes precedence.
import {describe, expect, it} from 'vitest'

import {
  cniPluginsArtifact,
  flannelCniArtifact,
  flanneldArtifact,
  kubernetesArtifact,
  shawlArtifact,
} from '../../src/artifacts/catalog.js'
import {publishedDigest} from '../../src/simulator/mirror/digests.js'
import {exampleNode} from '../components/example.js'

const ALL = [kubernetesArtifact, cniPluginsArtifact, flannelCniArtifact, flanneldArtifact, shawlArtifact]

describe('the defaults', () => {
  it('come from where their publishers put them', () => {
    expect(ALL.slice(0, 4).map((artifact) => artifact(exampleNode()).url)).toEqual([
      'https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz',
      'https://github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-windows-amd64-v1.9.1.tgz',
      'https://github.com/flannel-io/cni-plugin/releases/download/v1.9.1-flannel3/flannel-amd64.exe',
      'https://github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld.exe',
    ])
  })

  it('have a digest each, with its source', () => {
    for (const artifact of ALL) {
      const {digest} = artifact(exampleNode())
      expect(digest?.hex).toMatch(digest?.algorithm === 'sha512' ? /^[\da-f]{128}$/ : /^[\da-f]{64}$/)
      expect(digest?.source).not.toBe('')
    }
  })

  it('have the digests that were published', () => {
    const starts = ALL.map((artifact) => artifact(exampleNode()).digest?.hex.slice(0, 16))
    expect(starts).toEqual([
      '75e478e1fbbb34d6',
      'c09a62523d76b32b',
      '768c4a04e6ee3f7e',
      '7d43b3de5635891e',
      'dcbd50081f691649',
    ])
  })

  it('have the members that are wanted', () => {
    expect(kubernetesArtifact(exampleNode()).members).toEqual({
      'kubernetes/node/bin/kube-proxy.exe': 'kube-proxy.exe',
      'kubernetes/node/bin/kubeadm.exe': 'kubeadm.exe',
      'kubernetes/node/bin/kubectl.exe': 'kubectl.exe',
      'kubernetes/node/bin/kubelet.exe': 'kubelet.exe',
    })
    expect(Object.keys(cniPluginsArtifact(exampleNode()).members ?? {})).toEqual(['host-local.exe', 'win-overlay.exe'])
  })

  it('have a name each in the downloads folder, with their version', () => {
    const names = ALL.map((artifact) => artifact(exampleNode())).map(({fileName, version}) => {
      expect(fileName).toContain(version)
      return fileName
    })
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the releases that are pinned', () => {
  it.each(['1.21.5', '1.21.14', '1.22.12', '1.23.17'])(
    '%s, as its changelog and the simulated mirror have it',
    (release) => {
      const {digest, url} = kubernetesArtifact(exampleNode({release}))
      expect(digest).toMatchObject({algorithm: 'sha512', source: 'CHANGELOG of kubernetes/kubernetes'})
      const published = publishedDigest({id: 'kubernetes', url, version: release}, 'sha512', {
        declared: {},
        downloads: {},
      })
      expect(digest?.hex).toBe(published)
    },
  )

  it.each(['1.21.0', '1.22.17', '1.23.0'])('%s is not, and comes with the digest beside it', (release) => {
    const artifact = kubernetesArtifact(exampleNode({release}))
    expect(artifact.digest).toBeUndefined()
    expect(artifact.sidecar?.url).toBe(`${artifact.url}.sha512`)
  })
})

describe('another version', () => {
  it('has no pin, but the sidecar of its publisher, where there is one', () => {
    const config = exampleNode({'cni-version': '1.2.0', 'flannel-version': '0.21.0', release: '1.22.17'})
    expect(kubernetesArtifact(config).digest).toBeUndefined()
    expect(kubernetesArtifact(config).sidecar).toEqual({
      algorithm: 'sha512',
      url: 'https://dl.k8s.io/v1.22.17/kubernetes-node-windows-amd64.tar.gz.sha512',
    })
    expect(cniPluginsArtifact(config).sidecar?.url).toMatch(/cni-plugins-windows-amd64-v1\.2\.0\.tgz\.sha256$/)
    expect(flanneldArtifact(config)).not.toHaveProperty('digest')
    expect(flanneldArtifact(config)).not.toHaveProperty('sidecar')
  })

  it('is verified by the digest that was given, before any pin', () => {
    const hex = 'ab'.repeat(32)
    const config = exampleNode({digest: [`flanneld=sha256:${hex}`, `kubernetes=sha256:${hex}`]})
    expect(flanneldArtifact(config).digest).toEqual({algorithm: 'sha256', hex, source: '--digest flanneld'})
    expect(kubernetesArtifact(config).digest).toEqual({algorithm: 'sha256', hex, source: '--digest kubernetes'})
  })
})
