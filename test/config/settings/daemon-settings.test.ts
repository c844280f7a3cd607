// What a user may set for the daemons: the table of what k8s-win needs itself, and what is wrong with values by themselves.
import {describe, expect, it} from 'vitest'
import {mergedFields, withArguments} from '../../../src/config/settings/daemon-settings.js'
import {type GivenOptions, OPTIONS} from '../../../src/config/options/options.js'
import {PROTECTED} from '../../../src/config/settings/protected-settings.js'
import {resolveConfig} from '../../../src/config/options/resolve-setup.js'
import {problemsOf} from '../problems-of.js'

const fields = (value: object): GivenOptions => ({'kubelet-config': JSON.stringify(value)})

/** {a: {b: 'x'}} for a.b */
const nested = (path: string): object =>
  path.split('.').reduceRight<unknown>((below, key) => ({[key]: below}), 'x') as object

describe('what k8s-win needs itself', () => {
  it.each(PROTECTED)('is refused by name, with the reason: $program $name', ({name, option, program, reason}) => {
    const given = name.startsWith('--') ? {[`${program}-arg`]: [`${name.slice(2)}=x`]} : fields(nested(name))
    const {exitCode, problems} = problemsOf(given)
    expect([exitCode, problems.map(({id}) => id)]).toEqual([2, ['BAD_VALUE']])
    const [problem] = problems
    expect(problem?.reason).toBe(`k8s-win needs its own ${name}. ${reason}`)
    expect(problem?.fix).toContain(option ?? 'another setting')
  })

  it('names options that there are', () => {
    const flags = OPTIONS.map(({flag}) => `--${flag}`)
    for (const {option} of PROTECTED)
      if (option !== undefined && option.startsWith('--')) expect(flags).toContain(option)
  })

  it('has what the documentation promises, by name', () => {
    const of = (program: string) => PROTECTED.filter((one) => one.program === program).map(({name}) => name)
    expect(of('kubelet')).toEqual(
      expect.arrayContaining([
        ...'--config --kubeconfig --bootstrap-kubeconfig --cert-dir --hostname-override --node-ip'.split(' '),
        ...'--windows-service containerRuntimeEndpoint cgroupsPerQOS enforceNodeAllocatable clusterDNS'.split(' '),
        ...'clusterDomain staticPodPath healthzPort healthzBindAddress port --node-labels'.split(' '),
        ...'--register-with-taints --log-dir --log-file --logtostderr'.split(' '),
      ]),
    )
    expect(of('kube-proxy')).toEqual(
      expect.arrayContaining([
        ...'--config --kubeconfig --proxy-mode --network-name --source-vip --cluster-cidr'.split(' '),
        ...'--hostname-override --bind-address --healthz-bind-address --windows-service'.split(' '),
      ]),
    )
    expect(of('flanneld')).toEqual(
      expect.arrayContaining([
        ...'--kubeconfig-file --iface --kube-subnet-mgr --iptables-forward-rules --ip-masq --net-config-path'.split(
          ' ',
        ),
      ]),
    )
  })

  it('is no other daemon’s: the same flag of another program is the user’s', () => {
    expect(resolveConfig({given: {'flanneld-arg': ['public-ip=10.0.0.5']}}).args.flanneld).toEqual({
      'public-ip': '10.0.0.5',
    })
  })
})

describe('a value that is wrong by itself', () => {
  it.each([
    ['a NUL', {'kubelet-arg': ['v=4\u0000']}],
    ['a line break', {'kubelet-arg': ['v=4\nx']}],
    ['a megabyte', {'kubelet-arg': [`v=${'4'.repeat(1024 ** 2)}`]}],
    [
      'many flags that are too long together',
      {'flanneld-arg': ['etcd-prefix', 'vmodule'].map((name) => `${name}=${'x'.repeat(3000)}`)},
    ],
    ['a flag twice', {'kubelet-arg': ['v=4', 'v=5']}],
    ['a name with underscores', {'kubelet-arg': ['max_pods=5']}],
    ['fields of a megabyte', fields({providerID: 'x'.repeat(1024 ** 2)})],
    ['half a letter', {'kubelet-arg': ['provider-id=x\uD800']}],
    ['a letter that Windows has not', {'kubelet-arg': ['provider-id=\u{10FFFF}']}],
    ['an empty field', fields({maxPods: null})],
    ['an empty field inside of another', fields({authentication: {webhook: null}})],
    ['a gate that is none', {'kube-proxy-arg': ['feature-gates=A=perhaps']}],
  ] as const)('is %s', (_, given) => {
    const {exitCode, problems} = problemsOf(given)
    expect([exitCode, problems.map(({id}) => id)]).toEqual([2, ['BAD_VALUE']])
    for (const {fix, message, reason} of problems) expect(`${message}${reason}${fix}`.length).toBeLessThan(1000)
  })

  it.each([
    ['max-pods=50', {maxPods: 60}],
    ['image-gc-high-threshold=80', {imageGCHighThresholdPercent: 85}],
    ['authorization-mode=Webhook', {authorization: {mode: 'Webhook'}}],
    ['v=4', {logging: {verbosity: 4}}],
  ])('is a field that the flag %s sets too', (flag, config) => {
    const {problems} = problemsOf({'kubelet-arg': [flag], ...fields(config)})
    expect(problems.map(({id, reason}) => [id, reason])).toEqual([
      ['BAD_VALUE', expect.stringContaining(`--kubelet-arg ${flag.split('=')[0]} sets the same`)],
    ])
  })

  it('is reported at its place in the file', () => {
    const where = {'kubelet-config': ['n:4:5 kubelet.config.maxPods', 'n:5:5 kubelet.config.port']}
    const given = fields({maxPods: 5, port: 1})
    expect(() => resolveConfig({given, where})).toThrow('n:5:5 kubelet.config.port "1" cannot be used')
  })
})

describe('what is taken', () => {
  it('are flags in one order, so that the same flags make the same command line', () => {
    const {args} = resolveConfig({given: {'kubelet-arg': ['v=4', 'eviction-hard=a<1,b<2']}})
    expect(Object.entries(args.kubelet)).toEqual([
      ['eviction-hard', 'a<1,b<2'],
      ['v', '4'],
    ])
  })

  it('are mappings key by key, and lists whole', () => {
    const own = {
      authentication: {anonymous: {enabled: false}, x509: {clientCAFile: 'ca'}},
      list: ['a'],
      readOnlyPort: 0,
    }
    const merged = mergedFields(own, {authentication: {webhook: {cacheTTL: '1m'}}, list: ['b'], maxPods: 5})
    expect(merged).toEqual({
      authentication: {anonymous: {enabled: false}, webhook: {cacheTTL: '1m'}, x509: {clientCAFile: 'ca'}},
      list: ['b'],
      maxPods: 5,
      readOnlyPort: 0,
    })
  })

  it('replaces the flag of k8s-win, wherever it stands', () => {
    expect(withArguments(['a.exe', '--v=2', '--x', '--vmodule=1'], {v: '4', x: 'true'})).toEqual([
      'a.exe',
      '--vmodule=1',
      '--v=4',
      '--x=true',
    ])
  })
})
