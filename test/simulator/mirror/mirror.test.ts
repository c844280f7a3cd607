// The mirror: archives of the true shape, sidecars where they exist, and digests of what the stand-ins stand for.
import {gunzipSync} from 'node:zlib'

import fc from 'fast-check'
import {list} from 'tar'
import {describe, expect, it} from 'vitest'

import type {DigestSources} from '../../../src/simulator/mirror/digests.js'
import {standInDigest} from '../../../src/simulator/mirror/digests.js'
import type {MirrorFile} from '../../../src/simulator/mirror/mirror.js'
import {fetchFromMirror} from '../../../src/simulator/mirror/mirror.js'
import {makeStandIn, readStandIn} from '../../../src/simulator/mirror/stand-in.js'
import {readTar, writeTar} from '../../../src/machine/tar.js'

const KUBERNETES = 'https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz'
const CNI =
  'https://github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-windows-amd64-v1.9.1.tgz'
const FLANNELD = 'https://github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld.exe'
const FLANNEL_CNI = 'https://github.com/flannel-io/cni-plugin/releases/download/v1.9.1-flannel3/flannel-amd64.exe'
const CONTAINERD =
  'https://github.com/containerd/containerd/releases/download/v2.3.4/containerd-2.3.4-windows-amd64.tar.gz'
const CRICTL =
  'https://github.com/kubernetes-sigs/cri-tools/releases/download/v1.36.0/crictl-v1.36.0-windows-amd64.tar.gz'
const PINNED =
  '75e478e1fbbb34d6992470769f4e61a3a73546b1481897aedeb2d1db0c71aa344284ef57f25a81bc2013993fe9f1fe76b36fc136f422809d2fce2393c0e4fa82'

const plain: DigestSources = {declared: {}, downloads: {}}
const fetched = (url: string, sources = plain): MirrorFile => {
  const file = fetchFromMirror(url, sources)
  if (!file) throw new Error(`${url} is unreachable`)
  return file
}

const membersOf = (url: string, sources = plain): string[] =>
  readTar(gunzipSync(fetched(url, sources).bytes)).map(({name}) => name)

describe('archives', () => {
  it('has the node programs under kubernetes/node/bin', () => {
    expect(membersOf(KUBERNETES)).toEqual([
      'kubernetes/LICENSES',
      'kubernetes/node/bin/kube-proxy.exe',
      'kubernetes/node/bin/kubeadm.exe',
      'kubernetes/node/bin/kubectl.exe',
      'kubernetes/node/bin/kubelet.exe',
    ])
    expect(membersOf(KUBERNETES.replace('1.21.5', '1.23.0'))).toContain('kubernetes/node/bin/kube-log-runner.exe')
  })

  it('has the flannel plugin among the CNI plugins only before 1.0.0', () => {
    expect(membersOf(CNI)).toEqual([
      './LICENSE',
      './README.md',
      './host-local.exe',
      './win-bridge.exe',
      './win-overlay.exe',
    ])
    expect(membersOf(CNI.replaceAll('1.9.1', '0.8.2'))).toContain('./flannel.exe')
  })

  it('has containerd, its shim and ctr in one archive, and crictl in another', () => {
    expect(membersOf(CONTAINERD)).toEqual([
      'bin/ctr.exe',
      'bin/containerd.exe',
      'bin/containerd-stress.exe',
      'bin/containerd-shim-runhcs-v1.exe',
    ])
    expect(membersOf(CRICTL)).toEqual(['crictl.exe'])
  })

  it('is read by a real tar', async () => {
    const names: string[] = []
    const parser = list({onReadEntry: (entry) => void names.push(entry.path), strict: true})
    const ended = new Promise((resolve, reject) => parser.on('end', resolve).on('error', reject))
    parser.end(fetched(KUBERNETES).bytes)
    await ended
    expect(names).toContain('kubernetes/node/bin/kubelet.exe')
  })

  it('holds programs that say what they are', () => {
    const entries = readTar(gunzipSync(fetched(KUBERNETES).bytes))
    const kubelet = entries.find(({name}) => name.endsWith('kubelet.exe'))?.content ?? Buffer.alloc(0)
    expect(kubelet.subarray(0, 2).toString()).toBe('MZ')
    expect(readStandIn(kubelet)).toEqual({name: 'kubelet', version: 'v1.21.5'})
    expect(readStandIn(fetched(FLANNELD).bytes)).toEqual({name: 'flanneld', version: 'v0.28.9'})
    expect(readStandIn(fetched(FLANNEL_CNI).bytes)).toEqual({name: 'flannel', version: 'v1.9.1-flannel3'})
    expect(readStandIn(Buffer.from('MZ a real program'))).toBeUndefined()
  })

  it('returns any entries it was given', () => {
    const entry = fc.record({
      content: fc.uint8Array({maxLength: 2000}).map((bytes) => Buffer.from(bytes)),
      name: fc.stringMatching(/^[\w.-]{1,20}(\/[\w.-]{1,20}){0,3}$/),
    })
    fc.assert(
      fc.property(fc.array(entry, {maxLength: 5}), (entries) => {
        expect(readTar(writeTar(entries))).toEqual(entries)
      }),
    )
  })

  it('knows a stand-in by any name and version', () => {
    const word = fc.stringMatching(/^[\w.-]{1,20}$/)
    fc.assert(
      fc.property(word, word, (name, version) => {
        expect(readStandIn(makeStandIn({name, version}))).toEqual({name, version})
      }),
    )
  })
})

describe('digests', () => {
  it('answers for a pinned artifact with the pin', () => {
    expect(fetched(`${KUBERNETES}.sha512`).bytes.toString()).toBe(PINNED)
    expect(standInDigest(fetched(KUBERNETES).bytes, 'sha512', plain)).toBe(PINNED)
    expect(standInDigest(fetched(FLANNELD).bytes, 'sha256', plain)).toMatch(/^7d43b3de/)
    expect(standInDigest(fetched(FLANNEL_CNI).bytes, 'sha256', plain)).toMatch(/^768c4a04/)
    expect(fetched(`${CNI}.sha256`).bytes.toString()).toBe(
      'c09a62523d76b32b883b6a9ee824c997b5c3cc8b3caebc8612c2f64fbbe97334  cni-plugins-windows-amd64-v1.9.1.tgz\n',
    )
  })

  it('of containerd and crictl are published in their own forms', () => {
    const containerd = '5a61f42abd362cf21a9af6dff03edf1df2261e6fe6f3c2e45d132d12b99fdf49'
    const crictl = '73ef455b8a5a1e43f19372eba0ec40455e4abde3b9441a21db32c2a3172fb7ea'
    expect(standInDigest(fetched(CONTAINERD).bytes, 'sha256', plain)).toBe(containerd)
    expect(standInDigest(fetched(CRICTL).bytes, 'sha256', plain)).toBe(crictl)
    expect(fetched(`${CONTAINERD}.sha256sum`).bytes.toString()).toBe(
      `${containerd}  containerd-2.3.4-windows-amd64.tar.gz\n`,
    )
    expect(fetched(`${CRICTL}.sha256`).bytes.toString()).toBe(crictl)
  })

  it('does not let a declared digest change a pin', () => {
    const declared = {kubernetes: {algorithm: 'sha512', hex: '0'.repeat(128)}} as const
    expect(standInDigest(fetched(KUBERNETES).bytes, 'sha512', {...plain, declared})).toBe(PINNED)
  })

  it('answers for others with the sidecar, or with what the user declared', () => {
    const other = KUBERNETES.replace('1.21.5', '1.21.99')
    const derived = standInDigest(fetched(other).bytes, 'sha512', plain)
    expect(derived).toMatch(/^[\da-f]{128}$/)
    expect(fetched(`${other}.sha512`).bytes.toString()).toBe(derived)
    const flanneld = fetched(FLANNELD.replace('0.28.9', '0.27.0')).bytes
    const declared = {flanneld: {algorithm: 'sha256', hex: 'AB'.repeat(32)}} as const
    expect(standInDigest(flanneld, 'sha256', {...plain, declared})).toBe('ab'.repeat(32))
  })

  it('lets bytes that are no stand-in, or a changed one, speak for themselves', () => {
    expect(standInDigest(Buffer.from('something'), 'sha256', plain)).toBeUndefined()
    expect(standInDigest(Buffer.alloc(0), 'sha256', plain)).toBeUndefined()
    const changed = Buffer.concat([fetched(KUBERNETES).bytes, Buffer.from('x')])
    expect(standInDigest(changed, 'sha512', plain)).toBeUndefined()
  })

  it.each([
    `${KUBERNETES}.sha256`,
    `${CONTAINERD}.sha256`,
    `${FLANNELD}.sha256`,
    `${FLANNEL_CNI}.sha256`,
    'https://dl.k8s.io/v1.21/kubernetes-node-windows-amd64.tar.gz',
    'https://github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld-arm64.exe',
  ])('has nothing at %s', (url) => {
    expect(fetched(url).status).toBe(404)
  })

  it('follows the old name of the flannel organisation', () => {
    expect(fetched(FLANNELD.replace('flannel-io', 'coreos')).status).toBe(200)
  })
})

describe('faults', () => {
  const withFault = (
    fault: 'missing-member' | 'not-found' | 'truncated' | 'unreachable' | 'wrong-bytes',
  ): DigestSources => ({
    ...plain,
    downloads: {[KUBERNETES]: {fault}},
  })

  it('makes a download not found, unreachable or cut short', () => {
    expect(fetched(KUBERNETES, withFault('not-found')).status).toBe(404)
    expect(fetchFromMirror(KUBERNETES, withFault('unreachable'))).toBeUndefined()
    expect(fetched(KUBERNETES, withFault('truncated')).isTruncated).toBe(true)
  })

  it('gives wrong bytes another digest', () => {
    expect(standInDigest(fetched(KUBERNETES, withFault('wrong-bytes')).bytes, 'sha512', plain)).not.toBe(PINNED)
  })

  it('leaves a member out of an archive whose digest is right', () => {
    const sources = withFault('missing-member')
    expect(membersOf(KUBERNETES, sources)).not.toContain('kubernetes/node/bin/kubelet.exe')
    expect(standInDigest(fetched(KUBERNETES, sources).bytes, 'sha512', sources)).toBe(PINNED)
  })
})
