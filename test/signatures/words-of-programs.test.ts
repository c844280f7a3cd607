// Words of programs have a version: each recorded line names the program and version at whose source it was read, the newest
// default is among them, and no signature is found in a healthy start.
import {describe, expect, it} from 'vitest'
import digests from '../../src/artifacts/kubernetes-digests.json' with {type: 'json'}
import {OPTIONS} from '../../src/config/options/options.js'
import {recognise, recogniseAll, SIGNATURES} from '../../src/signatures/index.js'
import {HNS_CODES, HNS_WINDOWS_CODES, SERVICE_CODES} from './code-lines.js'
import {LINES} from './lines/index.js'
import {errorS, hcn, klog} from './log-lines.js'
import {KUBELET_STARTS} from './starts/kubelet.js'
import {OTHER_STARTS} from './starts/others.js'
import {WRITTEN} from './starts/start.js'

const KUBERNETES = Object.keys(digests).at(-1) ?? ''
const optionDefault = (name: string): string => String(OPTIONS.find((option) => option.flag === name)?.default)

/** What setup installs where nothing else is asked for. */
const NEWEST: Readonly<Record<string, string>> = {
  cni: optionDefault('cni-version'),
  containerd: optionDefault('containerd-version'),
  crictl: optionDefault('crictl-version'),
  // Not installed by k8s-win: the last major that dockershim can use.
  docker: '28.5.2',
  // Newer ones have changed in what they depend on only; their tags were not at hand.
  'flannel-cni': '1.9.1-flannel1',
  flanneld: optionDefault('flannel-version'),
  'kube-proxy': KUBERNETES,
  kubelet: KUBERNETES,
  // Both are in use: 1.3.0 where the bytes of 1.9.0 cannot be had.
  shawl: '1.9.0',
}

/** The last version that says it, where the newest does not. */
const GONE: Readonly<Record<string, string>> = {
  'cni-config-missing': 'kubelet 1.23.17: dockershim',
  'cni-config-unusable': 'kubelet 1.23.17: dockershim; of newer ones the condition of the node is tested beside this',
  'flannel-br-netfilter': 'flanneld 0.26.0: not on Windows from 0.26.1 on',
  'flannel-needs-external-network': 'flanneld 0.11.0: newer ones create it',
  'kubelet-cgroups': 'kubelet 1.30.14: a warning from 1.31 on',
  'kubelet-needs-wmic': 'kubelet 1.30.3: not needed any more',
  'kubelet-socket-left': 'kubelet 1.31.0: removed by newer ones',
}

describe('review T14: each recorded line', () => {
  it('names the program and the version it was read at', () => {
    for (const {at, id} of LINES) {
      const [program = '', version = ''] = at.split(' ')
      expect([id, at, program in NEWEST]).toEqual([id, at, true])
      expect([id, version]).toEqual([id, expect.stringMatching(/^\d+\.\d+\.\d+(?:-flannel\d)?$/)])
    }
  })

  it('is read at the newest default, too, if that still says it', () => {
    const isNewest = (at: string): boolean => Object.entries(NEWEST).some((pair) => pair.join(' ') === at)
    const codes = new Set([
      ...[...HNS_CODES, ...HNS_WINDOWS_CODES].map(([id]) => id),
      ...SERVICE_CODES.map((code) => `service-error-${code}`),
    ])
    const lacking = SIGNATURES.map(({id}) => id).filter(
      (id) => !codes.has(id) && !LINES.some((line) => line.id === id && isNewest(line.at)),
    )
    expect(lacking.sort()).toEqual(Object.keys(GONE).sort())
  })

  it('of a text that is gone names the last version that has it', () => {
    for (const [id, why] of Object.entries(GONE)) {
      expect([id, LINES.filter((line) => line.id === id && why.startsWith(`${line.at}:`)).length > 0]).toEqual([
        id,
        true,
      ])
    }
  })
})

describe('review T14: no signature is found in a healthy start', () => {
  it.each([...KUBELET_STARTS, ...OTHER_STARTS])('of $at', ({lines, source}) => {
    for (const speaker of [source, 'hns'] as const) {
      expect(recogniseAll(lines.join('\n'), speaker, WRITTEN).map(({id}) => id)).toEqual([])
    }
  })

  it('of any minor that k8s-win sets up, the newest default among them', () => {
    const minors = [...new Set(Object.keys(digests).map((release) => Number(release.split('.')[1])))]
    expect(KUBELET_STARTS.map(({at}) => Number(at.split('.')[1]))).toEqual(minors.sort((one, other) => one - other))
    for (const program of ['containerd', 'flanneld', 'kube-proxy', 'kubelet']) {
      const starts = [...KUBELET_STARTS, ...OTHER_STARTS].map(({at}) => at)
      expect(starts).toContain(`${program} ${NEWEST[program] ?? ''}`)
    }
  })

  it('but what a daemon says after it has started counts', () => {
    const deleted = errorS(
      'kubelet_node_status.go:479',
      'Error updating node status, will retry',
      'error getting node "win-1": nodes "win-1" not found',
    )
    for (const {lines} of KUBELET_STARTS) {
      const found = recogniseAll([...lines, deleted, ...lines.slice(0, 3)].join('\n'), 'kubelet', WRITTEN)
      expect(found.map(({id}) => id)).toEqual(['node-not-registered'])
    }
  })
})

describe('the words that were read wrongly', () => {
  const idsOf = (program: string, id: string): string[] =>
    LINES.filter((line) => line.id === id && line.at.startsWith(program)).map(
      (line) => recognise(line.is, line.source)?.id ?? 'unknown',
    )

  it('review T1: the two warnings of every kubelet from 1.31 on are not a failure', () => {
    for (const option of [
      'CgroupsPerQOS (--cgroups-per-qos) true',
      'EnforceNodeAllocatable (--enforce-node-allocatable) [pods]',
    ]) {
      const words = `${option} is not supported on Windows`
      expect(recognise(klog('W', 'x.go:1', `ignored configuration option: ${words}`), 'kubelet')).toBeUndefined()
      expect(recognise(`invalid configuration: ${words}`, 'kubelet')?.id).toBe('kubelet-cgroups')
    }
  })

  it('review T2: a configuration that the kubelet of 1.24 and newer rejects', () => {
    expect(idsOf('kubelet', 'kubelet-config-unreadable')).toEqual(Array(4).fill('kubelet-config-unreadable'))
  })

  it('review T3: win-overlay with apiVersion 2 that does not find its network', () => {
    expect(idsOf('cni', 'cni-network-not-found')).toEqual(Array(3).fill('cni-network-not-found'))
  })

  it('review T4: the VNI of a peer, in the words of flannel 0.24.0 and newer', () => {
    expect(idsOf('flanneld', 'flannel-peer-vni-too-small')).toEqual(Array(2).fill('flannel-peer-vni-too-small'))
  })

  it('review T5: flanneld 0.25.3 and newer that does not find, or may not patch, its node', () => {
    expect(idsOf('flanneld', 'flannel-node-not-found')).toEqual(Array(2).fill('flannel-node-not-found'))
    expect(idsOf('flanneld', 'flannel-node-not-patched')).toEqual(['flannel-node-not-patched'])
  })

  it('review T6: kube-proxy of 1.34, 1.35 and 1.36 that waited for its node in vain, and its loopback since 1.29', () => {
    expect(idsOf('kube-proxy', 'kube-proxy-node-unknown')).toEqual(Array(5).fill('kube-proxy-node-unknown'))
  })

  it('review T7: a DNS server that does not respond', () => {
    expect(idsOf('kubelet', 'api-server-name-unknown')).toEqual(Array(4).fill('api-server-name-unknown'))
  })

  it('review T9: containerd 2 that rejects the configuration of its images', () => {
    expect(idsOf('containerd', 'containerd-plugin-rejected')).toEqual(Array(3).fill('containerd-plugin-rejected'))
  })

  it('review T10: a node name of 253 letters', () => {
    expect(idsOf('kubelet', 'node-not-registered')).toEqual(Array(3).fill('node-not-registered'))
  })

  it('review T5: the cause of the timeout names the node and the permission', () => {
    const {cause = ''} = SIGNATURES.find(({id}) => id === 'flannel-node-not-patched') ?? {}
    expect(cause).toMatch(/NODE_NAME.*nodes\/status/)
  })

  it('review T8: HNS that does not know the interface yet (RPC_S_UNKNOWN_IF)', () => {
    const line = errorS(
      'proxier.go:1178',
      'Querying HNS for endpoints failed',
      hcn('hcnEnumerateEndpoints', 'x', 0x6b5),
    )
    expect(recognise(line, 'kube-proxy')?.id).toBe('hns-interface-unknown')
  })
})
