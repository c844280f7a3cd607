// Flags of the user's for a daemon: judged by the flags of its release, which the simulator lists a second time.
import {describe, expect, it} from 'vitest'
import data from '../../../src/config/settings/daemon-flags.json' with {type: 'json'}
import {areFlagsKnown, flagProblems, type FlaggedProgram} from '../../../src/config/settings/flag-problems.js'
import {OPTIONS} from '../../../src/config/options/options.js'
import {entryOf, type ReleaseTable, type Span} from '../../../src/config/settings/release-data.js'
import {parseVersion} from '../../../src/config/version.js'
import {type FlagSet, parsePflags} from '../../../src/simulator/daemons/flags.js'
import {flannelFlags} from '../../../src/simulator/daemons/flannel-settings.js'
import {kubeletFlags, kubeProxyFlags} from '../../../src/simulator/daemons/releases.js'
import {MINORS, release} from '../kubelet-values.js'

const flannel = (text: string) => parseVersion(text)!
const found = (program: FlaggedProgram, args: Record<string, string>, version = release(36)): string[] =>
  flagProblems(program, args, version).map(({id}) => id)

describe('flags', () => {
  it('of the documentation are accepted', () => {
    const args = {
      'eviction-hard': 'memory.available<500Mi,nodefs.available<10%',
      'feature-gates': 'WinDSR=true, Other=false',
      'image-credential-provider-config': String.raw`c:\k\credentials.yaml`,
      'max-pods': '50',
      'node-status-update-frequency': '10s',
      'serialize-image-pulls': 'false',
      'system-reserved': 'cpu=500m,memory=2Gi',
    }
    expect(found('kubelet', args)).toEqual([])
    expect(found('kube-proxy', {'kube-api-qps': '5.5', 'nodeport-addresses': '10.0.0.0/8', v: '4'})).toEqual([])
    expect(found('flanneld', {iface: 'Ethernet', 'subnet-lease-renew-margin': '60'}, flannel('0.28.9'))).toEqual([])
  })

  it.each([
    ['is unknown', 'kubelet', {'max-podz': '1'}, 'UNKNOWN_SETTING'],
    ['has hyphens before it', 'kubelet', {'--max-pods': '1'}, 'UNKNOWN_SETTING'],
    ['has underscores', 'kubelet', {max_pods: '1'}, 'UNKNOWN_SETTING'],
    ['is of another program', 'kube-proxy', {'max-pods': '1'}, 'UNKNOWN_SETTING'],
    ['is for Linux only', 'kubelet', {'boot-id-file': 'x'}, 'UNKNOWN_SETTING'],
    [
      'is a name of the prototype',
      'kubelet',
      JSON.parse('{"__proto__": "1"}') as Record<string, string>,
      'UNKNOWN_SETTING',
    ],
    ['has no name', 'kubelet', {'': '1'}, 'UNKNOWN_SETTING'],
    ['has a NUL in its name', 'kubelet', {'max-pods\0': '1'}, 'UNKNOWN_SETTING'],
    ['is not a number', 'kubelet', {'max-pods': 'many'}, 'BAD_VALUE'],
    ['is a number beyond 32 bits', 'kubelet', {'max-pods': '2147483648'}, 'BAD_VALUE'],
    ['is neither true nor false', 'kubelet', {'fail-swap-on': 'no'}, 'BAD_VALUE'],
    ['has a duration without a unit', 'kubelet', {'sync-frequency': '10'}, 'BAD_VALUE'],
    ['has pairs without a sign between them', 'kubelet', {'system-reserved': 'memory'}, 'BAD_VALUE'],
    ['has thresholds in the form of pairs', 'kubelet', {'eviction-hard': 'memory.available=1Gi'}, 'BAD_VALUE'],
    ['has a gate that is neither on nor off', 'kube-proxy', {'feature-gates': 'WinDSR=on'}, 'BAD_VALUE'],
    ['has a NUL', 'kubelet', {'root-dir': 'a\0b'}, 'BAD_VALUE'],
  ] as const)('one that %s is refused', (_, program, args, id) => {
    expect(found(program, args)).toEqual([id])
  })

  it('are named with what was meant, and the releases that have them', () => {
    const [unknown, gone, coming] = flagProblems(
      'kubelet',
      {'max-podz': '1', 'seccomp-profile-root': 'x', 'fail-cgroupv1': 'true'},
      release(24),
      (name) => `node.yaml:3:1 kubelet.args.${name}`,
    )
    expect(unknown?.fix).toContain('max-pods')
    expect(unknown?.message).toContain('node.yaml:3:1 kubelet.args.max-podz')
    expect([gone?.reason, coming?.reason]).toEqual([expect.stringContaining('1.22'), expect.stringContaining('1.31')])
  })

  it('of a million are refused soon', () => {
    const args = Object.fromEntries(Array.from({length: 200_000}, (_, at) => [`name${at}`, 'x']))
    expect(found('kubelet', {...args, ['a'.repeat(1_000_000)]: 'x'}).length).toBeLessThanOrEqual(50)
  })

  it('of another flannel than the default are left to the program, but for what no program takes', () => {
    expect(areFlagsKnown('flanneld', flannel('0.27.0'))).toBe(false)
    expect(found('flanneld', {'use-multi-cluster-cidr': 'true'}, flannel('0.22.3'))).toEqual([])
    expect(found('flanneld', {'public-ip': 'a\0'}, flannel('0.22.3'))).toEqual(['BAD_VALUE'])
  })

  it('of flanneld are known for the version that is set up by default', () => {
    const fallback = OPTIONS.find(({flag}) => flag === 'flannel-version')?.default
    expect(fallback).toBe(data.flannel)
  })
})

describe('the flags of the simulator', () => {
  const KINDS: Readonly<Record<string, string>> = {
    bool: 'bool',
    duration: 'duration',
    int32: 'int',
    int64: 'int',
    uint64: 'int',
  }
  const known = (program: FlaggedProgram, minor: number): [string, string][] => {
    const table: ReleaseTable<Span & {readonly type: string}> = data[program]
    return Object.keys(table).flatMap((name) => {
      const entry = entryOf(table, name, minor)
      return entry ? [[name, KINDS[entry.type] ?? 'string'] as [string, string]] : []
    })
  }
  const sorted = (flags: Iterable<readonly [string, string]>): string[] =>
    [...flags].map((one) => one.join(' ')).toSorted()

  it.each(MINORS)('of 1.%i are the same', (minor) => {
    expect(sorted(kubeletFlags(minor))).toEqual(sorted(known('kubelet', minor)))
    expect(sorted(kubeProxyFlags(minor))).toEqual(sorted(known('kube-proxy', minor)))
  })

  it('of flanneld are the same', () => {
    const simulated = [...flannelFlags(data.flannel)].filter(([name]) => name !== 'help')
    expect(sorted(simulated)).toEqual(sorted(known('flanneld', 0)))
  })

  const VALID: Readonly<Record<string, string>> = {
    bool: 'true',
    duration: '5s',
    float: '1.5',
    gates: 'A=true',
    headers: 'a:b',
    int32: '5',
    int64: '5',
    map: 'a=b',
    quantity: '1Mi',
    thresholds: 'memory.available<1Gi',
    uint64: '5',
  }
  it.each(MINORS)('of 1.%i take what is accepted', (minor) => {
    for (const [program, flags] of [
      ['kubelet', kubeletFlags(minor)],
      ['kube-proxy', kubeProxyFlags(minor)],
    ] as [FlaggedProgram, FlagSet][]) {
      const table: ReleaseTable<Span & {readonly type: string}> = data[program]
      const args = Object.fromEntries(
        known(program, minor).map(([name]) => [name, VALID[entryOf(table, name, minor)!.type] ?? 'a']),
      )
      expect(found(program, args, release(minor))).toEqual([])
      expect(
        parsePflags(
          Object.entries(args).map(([name, value]) => `--${name}=${value}`),
          flags,
        ).error,
      ).toBeUndefined()
    }
  })
})
