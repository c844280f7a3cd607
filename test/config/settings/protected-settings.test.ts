// What the value of a flag names decides whether a user may pass it: each address of an API server, path and identity of the
// data is refused, and what k8s-win passes itself is replaced only where nothing depends on it.
import {describe, expect, it} from 'vitest'
import {flanneldService} from '../../../src/components/flanneld.js'
import {kubeProxyService} from '../../../src/components/kube-proxy.js'
import {kubeletService} from '../../../src/components/kubelet.js'
import type {GivenOptions} from '../../../src/config/options/options.js'
import flags from '../../../src/config/settings/daemon-flags.json' with {type: 'json'}
import fields from '../../../src/config/settings/kubelet-fields.json' with {type: 'json'}
import {protectedAs} from '../../../src/config/settings/protected-settings.js'
import {releaseNode} from '../../components/example.js'
import {problemsOf} from '../problems-of.js'

const PROGRAMS = ['kubelet', 'kube-proxy', 'flanneld'] as const
/** The check credential-provider judges what is there. */
const JUDGED = ['image-credential-provider-bin-dir', 'image-credential-provider-config']
/** Nothing of k8s-win depends on the value that it passes. */
const FREE = new Set([
  'kubelet image-pull-progress-deadline',
  'kubelet pod-infra-container-image',
  'kubelet resolv-conf',
  'kubelet v',
  'kubelet windows-priorityclass',
  'kube-proxy feature-gates',
  'kube-proxy v',
])
/** What a name says of its value. */
const SUSPECT =
  /(?:-file|-dir|-path|-certfile|-keyfile|-cafile|-cert-file|-directory|kubeconfig|-config|-to|-url|master|etcd-endpoints)$/

const isNamed = (entry: object): boolean => 'is' in entry

describe('review A3-7: a flag that would make a daemon obey or read something else', () => {
  it.each<[string, GivenOptions]>([
    ['an API server for kube-proxy', {'kube-proxy-arg': ['master=https://evil:6443']}],
    ['an API server for flanneld', {'flanneld-arg': ['kube-api-url=https://evil:6443']}],
    ['an etcd for flanneld', {'flanneld-arg': ['etcd-endpoints=http://evil:2379']}],
    ['another interface', {'flanneld-arg': ['iface-regex=Wi-Fi']}],
    ['a key of the kubelet', {'kubelet-arg': [String.raw`tls-private-key-file=C:\Users\Public\kubelet.key`]}],
    ['a certificate of the kubelet', {'kubelet-arg': [String.raw`tls-cert-file=C:\Users\Public\kubelet.crt`]}],
    ['a key in a fragment', {'kubelet-config': String.raw`{"tlsPrivateKeyFile": "C:\\Users\\Public\\kubelet.key"}`}],
    ['a program for mounts', {'kubelet-arg': [String.raw`experimental-mounter-path=C:\Users\Public\mount.exe`]}],
  ])('is refused: %s', (_, given) => {
    const {exitCode, problems} = problemsOf(given)
    expect([exitCode, problems.map(({id}) => id)]).toEqual([2, ['BAD_VALUE']])
  })

  it.each(PROGRAMS)('is refused, whatever it is called, by what the data says of it: %s', (program) => {
    const named = Object.entries(flags[program]).flatMap(([name, entry]) => (isNamed(entry) ? [name] : []))
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((name) => !protectedAs(program, `--${name}`))).toEqual(program === 'kubelet' ? JUDGED : [])
  })

  it('is refused as a field of the kubelet, too', () => {
    const named = Object.entries(fields.types.KubeletConfiguration).flatMap(([name, entry]) =>
      isNamed(entry) ? [name] : [],
    )
    expect(named).toContain('tlsPrivateKeyFile')
    expect(named.filter((name) => !protectedAs('kubelet', name))).toEqual([])
  })

  it.each(PROGRAMS)('is one that its name gives away, so that a new one is not forgotten: %s', (program) => {
    const texts = Object.entries(flags[program]).filter(([, {type}]) => type === 'string')
    expect(texts.filter(([name, entry]) => SUSPECT.test(name) && !isNamed(entry))).toEqual([])
  })
})

it.each(['1.21.14', '1.30.14', '1.36.4'])('replaces nothing on which k8s-win depends: %s', (release) => {
  const node = releaseNode(release)
  const lines = {
    flanneld: flanneldService(node).command,
    'kube-proxy': kubeProxyService(node, '10.244.3.2').command,
    kubelet: kubeletService(node).command,
  }
  for (const program of PROGRAMS) {
    const line = lines[program]
    const own = line.slice(line.findLastIndex((word) => word.endsWith(`${program}.exe`)) + 1)
    const names = own.map((word) => /^--([^=]+)/.exec(word)?.[1] ?? word)
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !protectedAs(program, `--${name}`) && !FREE.has(`${program} ${name}`))).toEqual([])
  }
})
