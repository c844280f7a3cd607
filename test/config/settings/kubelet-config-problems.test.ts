// A KubeletConfiguration of the user's: judged as the kubelet of its release does, with all problems at once.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {kubeletConfigProblems} from '../../../src/config/settings/kubelet-config-problems.js'
import {anyValue, fragmentOf, MINORS, placesOf, refusals, release, validValue} from '../kubelet-values.js'

const found = (fragment: unknown, minor = 36): string[] =>
  kubeletConfigProblems(fragment, release(minor)).map(
    ({id, message}) => `${id} ${/kubelet\.config[^\s:]*/.exec(message)?.[0]}`,
  )
const suggested = (fragment: unknown, minor = 36): string[] =>
  kubeletConfigProblems(fragment, release(minor)).map(({fix}) => /Did you mean (.*)\?/.exec(fix)?.[1] ?? '')

describe('a fragment', () => {
  it('of the documentation is accepted', () => {
    const fragment = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      containerLogMaxSize: '50Mi',
      evictionHard: {'memory.available': '500Mi', 'nodefs.available': '10%'},
      evictionSoft: {'memory.available': '1.5Gi'},
      evictionSoftGracePeriod: {'memory.available': '1m30s'},
      featureGates: {WinDSR: true},
      imageGCHighThresholdPercent: 85,
      kind: 'KubeletConfiguration',
      kubeReserved: {cpu: '500m', 'ephemeral-storage': '1Gi', memory: '1Gi'},
      logging: {flushFrequency: '5s', format: 'json', options: {json: {infoBufferSize: '0'}}, verbosity: 3},
      maxPods: 50,
      registerWithTaints: [{effect: 'NoSchedule', key: 'os', value: 'windows'}],
      reservedMemory: [{limits: {memory: '1Gi'}, numaNode: 0}],
      serverTLSBootstrap: true,
      shutdownGracePeriod: '30s',
    }
    expect(found(fragment)).toEqual([])
  })

  it.each([
    ['is text', 'maxPods: 1', ['BAD_VALUE kubelet.config']],
    ['is a list', [], ['BAD_VALUE kubelet.config']],
    ['has text in place of a number', {maxPods: '110'}, ['BAD_VALUE kubelet.config.maxPods']],
    ['has a fraction', {maxPods: 1.5}, ['BAD_VALUE kubelet.config.maxPods']],
    [
      'has a number beyond 32 bits',
      {evictionMaxPodGracePeriod: 2 ** 31},
      ['BAD_VALUE kubelet.config.evictionMaxPodGracePeriod'],
    ],
    [
      'has a number out of its range',
      {imageGCHighThresholdPercent: 101},
      ['BAD_VALUE kubelet.config.imageGCHighThresholdPercent'],
    ],
    ['has a number below its least', {maxPods: -1}, ['BAD_VALUE kubelet.config.maxPods']],
    ['has text in place of a switch', {failSwapOn: 'false'}, ['BAD_VALUE kubelet.config.failSwapOn']],
    ['has a duration without a unit', {syncFrequency: '10'}, ['BAD_VALUE kubelet.config.syncFrequency']],
    ['has a duration as a number', {syncFrequency: 10}, ['BAD_VALUE kubelet.config.syncFrequency']],
    ['has a duration of 300 years', {syncFrequency: '2630000h'}, ['BAD_VALUE kubelet.config.syncFrequency']],
    ['has an empty duration', {syncFrequency: null}, ['BAD_VALUE kubelet.config.syncFrequency']],
    ['has a quantity as a number', {systemReserved: {cpu: 1}}, ['BAD_VALUE kubelet.config.systemReserved.cpu']],
    ['has a negative quantity', {systemReserved: {memory: '-1Gi'}}, ['BAD_VALUE kubelet.config.systemReserved.memory']],
    ['has a wrong suffix', {kubeReserved: {memory: '1GB'}}, ['BAD_VALUE kubelet.config.kubeReserved.memory']],
    ['has another resource', {kubeReserved: {disk: '1Gi'}}, ['UNKNOWN_SETTING kubelet.config.kubeReserved.disk']],
    [
      'has a threshold of nothing',
      {evictionHard: {'memory.available': '0'}},
      ['BAD_VALUE kubelet.config.evictionHard.memory.available'],
    ],
    [
      'has a threshold over 100%',
      {evictionSoft: {'nodefs.available': '101%'}},
      ['BAD_VALUE kubelet.config.evictionSoft.nodefs.available'],
    ],
    ['has another signal', {evictionHard: {memory: '1Gi'}}, ['UNKNOWN_SETTING kubelet.config.evictionHard.memory']],
    ['has an unknown mode', {hairpinMode: 'Veth'}, ['BAD_VALUE kubelet.config.hairpinMode']],
    ['is of another kind', {kind: 'KubeProxyConfiguration'}, ['BAD_VALUE kubelet.config.kind']],
    ['has a list of numbers', {clusterDNS: ['10.96.0.10', 1]}, ['BAD_VALUE kubelet.config.clusterDNS[1]']],
    ['has text in place of a list', {clusterDNS: '10.96.0.10'}, ['BAD_VALUE kubelet.config.clusterDNS']],
    ['has a wrong gate', {featureGates: {A: 'true'}}, ['BAD_VALUE kubelet.config.featureGates.A']],
    [
      'has an unknown field in a list',
      {registerWithTaints: [{efect: 'x'}]},
      ['UNKNOWN_SETTING kubelet.config.registerWithTaints[0].efect'],
    ],
    [
      'has what Windows does not have',
      {singleProcessOOMKill: false},
      ['UNKNOWN_SETTING kubelet.config.singleProcessOOMKill'],
    ],
    [
      'has a NUL',
      {podCIDR: 'a\0b', providerID: '\u0000'},
      ['BAD_VALUE kubelet.config.podCIDR', 'BAD_VALUE kubelet.config.providerID'],
    ],
    ['has a NUL in a name', {featureGates: {'a\0': true}}, ['BAD_VALUE kubelet.config.featureGates']],
    [
      'has names of the prototype',
      JSON.parse('{"__proto__": {}, "constructor": 1, "authorization": {"toString": 1}}'),
      [
        'UNKNOWN_SETTING kubelet.config.__proto__',
        'UNKNOWN_SETTING kubelet.config.constructor',
        'UNKNOWN_SETTING kubelet.config.authorization.toString',
      ],
    ],
  ] as const)('that %s is refused, by the path', (_, fragment, problems) => {
    expect(found(fragment)).toEqual(problems)
  })

  it('has the nearest name of what is unknown, of those that the release has', () => {
    expect(suggested({maxPod: 1, evictionHard: {'memory.availble': '1Gi'}})).toEqual(['maxPods', 'memory.available'])
    expect(suggested({containerLogMaxWorker: 1}, 29)).not.toContain('containerLogMaxWorkers')
  })

  it.each([
    ['containerLogMaxWorkers', 30, 36, 3],
    ['crashLoopBackOff', 32, 37, {}],
    ['memorySwap', 22, 36, {swapBehavior: 'LimitedSwap'}],
  ])('with %s, which came with 1.%i, is for that and newer releases', (name, since, newest, value) => {
    expect(found({[name]: value}, since - 1)).toEqual([`UNKNOWN_SETTING kubelet.config.${name}`])
    const [problem] = kubeletConfigProblems({[name]: value}, release(since - 1))
    expect(problem?.reason).toContain(`1.${since}`)
    expect([found({[name]: value}, since), found({[name]: value}, newest)]).toEqual([[], []])
  })

  it('with what a release lost, or takes in another form, is judged by its release', () => {
    expect(found({logging: {sanitization: true}}, 23)).toEqual([])
    expect(found({logging: {sanitization: true}}, 24)).toEqual(['UNKNOWN_SETTING kubelet.config.logging.sanitization'])
    expect(found({logging: {flushFrequency: '5s'}}, 27)).toEqual(['BAD_VALUE kubelet.config.logging.flushFrequency'])
    expect(found({memorySwap: {swapBehavior: 'UnlimitedSwap'}}, 29)).toEqual([])
    expect(found({memorySwap: {swapBehavior: 'UnlimitedSwap'}}, 30)).toEqual([
      'BAD_VALUE kubelet.config.memorySwap.swapBehavior',
    ])
  })

  it('has its problems where the caller says they are, all with exit code 2', () => {
    const problems = kubeletConfigProblems({maxPodz: 1, maxPods: 'x'}, release(36), (path) => `node.yaml:3:1 ${path}`)
    expect(problems.map(({message}) => message)).toEqual([
      expect.stringMatching(/^node.yaml:3:1 kubelet.config.maxPodz/),
      expect.stringMatching(/^node.yaml:3:1 kubelet.config.maxPods /),
    ])
    expect(problems.map(({exitCode}) => exitCode)).toEqual([2, 2])
  })
})

describe('a fragment made to harm', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1
    for (let level = 0; level < levels; level++) value = level % 2 ? [value] : {authentication: value}
    return value
  }
  const long = 'a'.repeat(1_000_000)
  it.each([
    ['nested deeply', {authentication: nested(500_000), logging: {options: nested(500_000)}}],
    ['of a million unknown names', Object.fromEntries(Array.from({length: 200_000}, (_, at) => [`name${at}`, at]))],
    ['of a million wrong entries', {clusterDNS: Array.from({length: 500_000}, () => 1)}],
    ['with a long name', {[long]: 1}],
    ['with a long duration', {syncFrequency: '1m'.repeat(500_000), fileCheckFrequency: '1'.repeat(1_000_000)}],
    [
      'with a long quantity',
      {systemReserved: {memory: '1'.repeat(1_000_000) + 'x'}, evictionHard: {'memory.available': long}},
    ],
  ])('%s is refused, with few and short problems', (_, fragment) => {
    const problems = kubeletConfigProblems(fragment, release(36))
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(50)
    for (const {fix, message, reason} of problems) expect((message + reason + fix).length).toBeLessThan(2000)
  })
})

describe('the simulated kubelet, which has its fields from elsewhere,', () => {
  const minor = fc.constantFrom(...MINORS)
  /** The head of the file; and an empty defaultPodSysctls, which is none to the kubelet. */
  const ELSEWHERE = ['apiVersion', 'defaultPodSysctls', 'kind']
  /** Rules between fields are the kubelet's alone. */
  const singly = (fragment: object, at: number): string[] =>
    refusals(fragment, at).filter((one) => !/must be less than|grace period must be specified/.test(one))

  it('takes every single field that is accepted, and no other', () => {
    const change = minor.chain((at) =>
      fc.tuple(
        fc.constant(at),
        fc.constantFrom(...placesOf(at).filter(({path}) => !ELSEWHERE.includes(String(path[0])))),
        anyValue,
        fc.constantFrom('', 'x', '.'),
      ),
    )
    fc.assert(
      fc.property(change, ([at, {field, path}, value, suffix]) => {
        const renamed = suffix === '' ? path : [...path.slice(0, -1), `${path.at(-1)}${suffix}`]
        const fragment = fragmentOf(renamed, suffix === '' ? value : validValue(field, at))
        const problems = kubeletConfigProblems(fragment, release(at)).map(({message}) => message)
        expect([problems.length === 0, problems, singly(fragment, at)]).toEqual([
          singly(fragment, at).length === 0,
          problems,
          singly(fragment, at),
        ])
      }),
      {numRuns: 1000},
    )
  })
})
