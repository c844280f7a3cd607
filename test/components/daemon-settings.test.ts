// What the daemons get of the user's settings: the user's value wins, and what k8s-win needs stays. Any settings that the
// validators accept are ones that the simulated daemons start with.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {flanneldService} from '../../src/components/flanneld.js'
import {kubeProxyService} from '../../src/components/kube-proxy.js'
import {kubeletConfiguration, kubeletService} from '../../src/components/kubelet.js'
import {settingsProblems} from '../../src/config/settings/daemon-settings.js'
import flags from '../../src/config/settings/daemon-flags.json' with {type: 'json'}
import fields from '../../src/config/settings/kubelet-fields.json' with {type: 'json'}
import type {Identity, Node} from '../../src/config/model.js'
import {PROTECTED} from '../../src/config/settings/protected-settings.js'
import {parseVersion} from '../../src/config/version.js'
import {decodeKubeletConfig, windowsProblems} from '../../src/simulator/daemons/kubelet/kubelet-config.js'
import {parseGoFlags, parsePflags} from '../../src/simulator/daemons/flags.js'
import {flannelFlags} from '../../src/simulator/daemons/flannel-settings.js'
import {kubeletFlags, kubeProxyFlags} from '../../src/simulator/daemons/releases.js'
import {releaseNode} from './example.js'
import {golden} from './golden.js'

const RELEASES = [
  ...['1.21.14', '1.22.17', '1.23.17', '1.24.17', '1.25.16', '1.26.15', '1.27.16', '1.28.15', '1.29.15', '1.30.14'],
  ...['1.31.14', '1.32.10', '1.33.10', '1.34.11', '1.35.3', '1.36.4'],
]
const NOTHING = {flanneld: {}, 'kube-proxy': {}, kubelet: {}}
const nodeWith = (release: string, settings: Partial<Pick<Node, 'args' | 'kubeletConfig'>>): Node => {
  const node = releaseNode(release)
  const {versions} = node
  return {...node, ...settings, versions: {...versions, flannel: parseVersion('0.28.9') ?? versions.flannel}}
}
const problemsOf = (node: Node) => settingsProblems(node, {given: {}, where: {}})
const argsAfter = (command: readonly string[], program: string): string[] =>
  command.slice(command.findIndex((word) => word.endsWith(`\\${program}.exe`)) + 1)
const valuesIn = (args: readonly string[]): ReadonlyMap<string, string> =>
  new Map(args.map((arg) => /^--([^=]+)=?([^]*)$/.exec(arg)?.slice(1) as [string, string]))
const ownName = new Set(PROTECTED.map(({name, program}) => `${program} ${name}`))

/** Of any shape: most of it is refused, and what is accepted must work. */
const leaf = fc.constantFrom<unknown>(5, 0, 85, true, false, '30s', '1m', '1Gi', '10%', 'none', '', [], ['none'])
const fragment = fc
  .dictionary(
    fc.constantFrom(...Object.keys(fields.types.KubeletConfiguration)),
    fc.oneof(
      leaf,
      fc.dictionary(fc.constantFrom('memory.available', 'nodefs.available', 'memory', 'cpu', 'NodeLogQuery'), leaf, {
        maxKeys: 2,
      }),
      fc.constantFrom({webhook: {cacheTTL: '1m'}}, {mode: 'Webhook'}, {x509: {clientCAFile: 'x'}}, {verbosity: 4}),
    ),
    {maxKeys: 4},
  )
  .map((one) => one as Readonly<Record<string, unknown>>)
const argsOf = (program: Identity): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.dictionary(
    fc.constantFrom(...Object.keys(flags[program]).filter((name) => !ownName.has(`${program} --${name}`))),
    fc.constantFrom('5', '0', 'true', 'false', '30s', '1Gi', 'x', 'a=b', '10.0.0.7'),
    {maxKeys: 4},
  )
const settings = fc.record({
  args: fc.record({flanneld: argsOf('flanneld'), 'kube-proxy': argsOf('kube-proxy'), kubelet: argsOf('kubelet')}),
  kubeletConfig: fragment,
})
const accepted = fc
  .tuple(fc.constantFrom(...RELEASES), settings)
  .map(([release, given]) => {
    const node = nodeWith(release, given)
    // What is refused is left out, so that the rest is not lost with it.
    const isRight = (one: Partial<Pick<Node, 'args' | 'kubeletConfig'>>): boolean =>
      problemsOf(nodeWith(release, {args: NOTHING, kubeletConfig: {}, ...one})).length === 0
    const only = <T>(all: Readonly<Record<string, T>>, keep: (one: Record<string, T>) => boolean): Record<string, T> =>
      Object.fromEntries(Object.entries(all).filter(([name, value]) => keep({[name]: value})))
    const args = {
      flanneld: only(given.args.flanneld, (one) => isRight({args: {...NOTHING, flanneld: one}})),
      'kube-proxy': only(given.args['kube-proxy'], (one) => isRight({args: {...NOTHING, 'kube-proxy': one}})),
      kubelet: only(given.args.kubelet, (one) => isRight({args: {...NOTHING, kubelet: one}})),
    }
    return {...node, args, kubeletConfig: only(given.kubeletConfig, (one) => isRight({kubeletConfig: one}))}
  })
  .filter((node) => problemsOf(node).length === 0)

describe('any settings that are accepted', () => {
  it('win over the values of k8s-win, and leave what it needs', () => {
    fc.assert(
      fc.property(accepted, (node) => {
        const plain = nodeWith(node.release.text, {args: NOTHING, kubeletConfig: {}})
        for (const [program, ours, theirs] of [
          ['kubelet', kubeletService(plain), kubeletService(node)],
          ['kube-proxy', kubeProxyService(plain, '10.244.3.2'), kubeProxyService(node, '10.244.3.2')],
          ['flanneld', flanneldService(plain), flanneldService(node)],
        ] as const) {
          const [before, after] = [ours, theirs].map(({command}) => valuesIn(argsAfter(command, program)))
          for (const [name, value] of Object.entries(node.args[program]))
            if (name !== 'feature-gates') expect(after?.get(name)).toBe(value)
          for (const [name, value] of before ?? [])
            if (ownName.has(`${program} --${name}`)) expect([name, after?.get(name)]).toEqual([name, value])
        }
        const written = parse(kubeletConfiguration(node)) as object
        expect(written).toMatchObject(node.kubeletConfig)
        const own = parse(kubeletConfiguration(plain)) as Record<string, unknown>
        for (const [name, value] of Object.entries(own))
          if (ownName.has(`kubelet ${name}`)) expect(written).toMatchObject({[name]: value})
      }),
    )
  })

  it('are ones that the daemons of the release start with', () => {
    fc.assert(
      fc.property(accepted, (node) => {
        const {minor} = node.release
        const kubelet = parsePflags(argsAfter(kubeletService(node).command, 'kubelet'), kubeletFlags(minor))
        expect(kubelet.error).toBeUndefined()
        const proxy = argsAfter(kubeProxyService(node, '10.244.3.2').command, 'kube-proxy')
        expect(parsePflags(proxy, kubeProxyFlags(minor)).error).toBeUndefined()
        expect(
          parseGoFlags(argsAfter(flanneldService(node).command, 'flanneld'), flannelFlags('v0.28.9')).error,
        ).toBeUndefined()
        const {config, error, warning} = decodeKubeletConfig(kubeletConfiguration(node), minor)
        expect([error, warning]).toEqual([undefined, undefined])
        const read = kubelet.error === undefined ? kubelet.flags : new Map<string, string>()
        expect(windowsProblems(config, read, minor)).toEqual([])
      }),
    )
  })
})

describe('a field and a flag for each daemon', () => {
  const args = {
    flanneld: {'healthz-port': '8471'},
    'kube-proxy': {'config-sync-period': '10m', 'feature-gates': 'TopologyAwareHints=true'},
    kubelet: {'max-open-files': '2000000', v: '4'},
  }
  const kubeletConfig = {
    authentication: {webhook: {cacheTTL: '1m'}},
    evictionHard: {'memory.available': '1Gi', 'nodefs.available': '10%'},
    featureGates: {NodeLogQuery: true},
    maxPods: 50,
    resolvConf: '',
    systemReserved: {cpu: '500m'},
  }

  it.each(RELEASES)('are in the files and command lines of %s as they always were', (release) => {
    const node = nodeWith(release, {args, kubeletConfig})
    const name = `${node.release.major}.${node.release.minor}/settings.txt`
    const lines = [kubeletService(node), kubeProxyService(node, '10.244.3.2'), flanneldService(node)]
    const produced = `${[kubeletConfiguration(node), ...lines.map(({command}) => command.join('\n'))].join('\n')}\n`
    expect(produced).toBe(golden(name, produced))
  })

  it.each(['1.22.17', '1.36.4'])('of a field that a flag of k8s-win sets too: the field wins (%s)', (release) => {
    const fieldsOf = (config: object) =>
      valuesIn(
        argsAfter(
          kubeletService(nodeWith(release, {kubeletConfig: config as Node['kubeletConfig']})).command,
          'kubelet',
        ),
      )
    expect(fieldsOf({resolvConf: ''}).get('resolv-conf')).toBe('')
    expect(fieldsOf({resolvConf: 'C:\\x'}).has('resolv-conf')).toBe(false)
    expect(fieldsOf({logging: {verbosity: 4}}).has('v')).toBe(false)
    expect(fieldsOf({logging: {verbosity: 2}}).get('v')).toBe('2')
  })
})
