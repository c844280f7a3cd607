// Every pinned release on every supported Windows: refused with a reason, or with command lines and a configuration that
// its own kubelet and kube-proxy accept, as the simulator knows them from the sources of each release.
import {parse} from 'yaml'
import {describe, expect, it} from 'vitest'

import {kubernetesArtifact} from '../../src/artifacts/catalog.js'
import {kubernetesDigests} from '../../src/artifacts/digests.js'
import {kubeProxyService} from '../../src/components/kube-proxy.js'
import {kubeletConfiguration, kubeletService} from '../../src/components/kubelet.js'
import {releaseProblem} from '../../src/components/releases/windows-support.js'
import type {Node} from '../../src/config/model.js'
import {parseGoFlags, parsePflags, flagSet, type FlagSet} from '../../src/simulator/daemons/flags.js'
import {decodeKubeletConfig, windowsProblems} from '../../src/simulator/daemons/kubelet/kubelet-config.js'
import {kubeletFlags, kubeProxyFlags, parseFeatureGates, runsWmic} from '../../src/simulator/daemons/releases.js'
import {ARTIFACT_KINDS} from '../../src/simulator/mirror/artifact.js'
import {releaseNode} from './example.js'

const BUILDS = [17_763, 20_348, 26_100]
const RELEASES = Object.keys(await kubernetesDigests())
const minorOf = (release: string): number => Number(release.split('.')[1])

/** component-base/logs/kube-log-runner/kube-log-runner.go; the last three came with 1.34 (kubernetes#127667). */
const runnerFlags = (minor: number): FlagSet =>
  flagSet(
    {bool: 'also-stdout redirect-stderr', string: 'log-file'},
    minor >= 34 ? {duration: 'flush-interval log-file-age', string: 'log-file-size'} : {},
  )

interface Line {
  readonly flags: ReadonlyMap<string, string>
  /** Of kube-log-runner, where it is the program of the service. */
  readonly runner?: ReadonlyMap<string, string>
}

/** Throws where the programs of the release would refuse the command line. */
function accepted(command: readonly string[], program: string, known: FlagSet, minor: number): Line {
  const [first = '', ...args] = command
  if (first.endsWith(`\\${program}`)) return {flags: daemonFlags(args, known)}
  expect(first).toMatch(/\\kube-log-runner\.exe$/)
  const runner = parseGoFlags(args, runnerFlags(minor))
  if (runner.error !== undefined) throw new Error(runner.error)
  const [child = '', ...rest] = runner.rest
  expect(child.endsWith(`\\${program}`), child).toBe(true)
  return {flags: daemonFlags(rest, known), runner: runner.flags}
}

function daemonFlags(args: readonly string[], known: FlagSet): ReadonlyMap<string, string> {
  const parsed = parsePflags(args, known)
  if (parsed.error !== undefined) throw new Error(parsed.error)
  expect(parsed.rest).toEqual([])
  return parsed.flags
}

function judge(config: Node): {kubelet: Line; kubeProxy: Line} {
  const {minor} = config.release
  const kubelet = accepted(kubeletService(config).command, 'kubelet.exe', kubeletFlags(minor), minor)
  const kubeProxy = accepted(
    kubeProxyService(config, '10.244.3.2').command,
    'kube-proxy.exe',
    kubeProxyFlags(minor),
    minor,
  )
  const gates = parseFeatureGates(kubeProxy.flags.get('feature-gates') ?? '', minor)
  if (gates.error !== undefined) throw new Error(gates.error)
  expect(gates.enabled('WinOverlay')).toBe(true)
  if (kubeProxy.flags.has('enable-dsr')) expect(gates.enabled('WinDSR')).toBe(true)
  const text = kubeletConfiguration(config)
  const decoded = decodeKubeletConfig(text, minor)
  expect([decoded.error, decoded.warning]).toEqual([undefined, undefined])
  expect(windowsProblems(decoded.config, kubelet.flags, minor)).toEqual([])
  return {kubelet, kubeProxy}
}

it('there are 235 of them, 1.21.0 to 1.36.4', () => {
  expect(RELEASES).toHaveLength(235)
  expect([RELEASES[0], RELEASES.at(-1)]).toEqual(['1.21.0', '1.36.4'])
})

describe.each(BUILDS)('on build %s', (build) => {
  it('every release is refused with a reason, or its daemons accept what they are given', () => {
    const refused: string[] = []
    for (const release of RELEASES) {
      const config = releaseNode(release, {hostBuild: build})
      const problem = releaseProblem(config.release, build)
      if (problem) {
        expect(problem.reason).not.toBe('')
        refused.push(release)
      } else {
        expect(() => judge(config), release).not.toThrow()
        expect(() => judge({...config, enableDSR: true}), release).not.toThrow()
      }
    }

    // By the simulator's own knowledge: what runs wmic ends there; 1.31.0 starts only once; 1.23 was the first for 2022.
    const isRefused: Readonly<Record<number, (release: string) => boolean>> = {
      17_763: () => false,
      20_348: (release) => minorOf(release) < 23,
      26_100: runsWmic,
    }
    expect(refused).toEqual(RELEASES.filter((release) => release === '1.31.0' || isRefused[build]!(release)))
  })
})

it('1.37, as its release candidate has it, accepts what it is given, on every build', () => {
  for (const hostBuild of BUILDS) {
    const config = releaseNode('1.37.0', {hostBuild})
    expect(releaseProblem(config.release, hostBuild)).toBeUndefined()
    expect(judge(config)).toEqual(judge(releaseNode('1.36.4', {hostBuild})))
    expect(() => judge({...config, enableDSR: true})).not.toThrow()
  }
})

describe('every release', () => {
  const nodes = RELEASES.map((release) => ({config: releaseNode(release), minor: minorOf(release), release}))

  it('knows its runtime by exactly one of Docker, a flag and a field', () => {
    for (const {config, minor, release} of nodes) {
      const {kubelet} = judge(config)
      const field = (parse(kubeletConfiguration(config)) as {containerRuntimeEndpoint?: string})
        .containerRuntimeEndpoint
      const given = [kubelet.flags.get('network-plugin'), kubelet.flags.get('container-runtime-endpoint'), field]
      const pipe = 'npipe:////./pipe/containerd-containerd'
      const expected =
        minor <= 23
          ? ['cni', undefined, undefined]
          : minor <= 26
            ? [undefined, pipe, undefined]
            : [undefined, undefined, pipe]
      expect([release, ...given]).toEqual([release, ...expected])
    }
  })

  it('writes its logs itself or through a runner that is in its archive', () => {
    for (const {config, minor, release} of nodes) {
      const {kubelet, kubeProxy} = judge(config)
      for (const {flags, runner} of [kubelet, kubeProxy]) {
        expect([release, flags.has('log-dir'), runner?.has('log-file') ?? false]).toEqual([
          release,
          minor <= 25,
          minor >= 26,
        ])
      }

      const members = ARTIFACT_KINDS.kubernetes.members?.(release) ?? []
      const wanted = Object.keys(kubernetesArtifact(config).members ?? {})
      expect(members).toEqual(expect.arrayContaining(wanted))
      expect(wanted.some((name) => name.endsWith('/kube-log-runner.exe'))).toBe(kubelet.runner !== undefined)
    }
  })
})

describe('the judges refuse what is of another release', () => {
  it.each([
    ['1.23.17', 24, 'unknown flag: --network-plugin'],
    ['1.25.16', 26, 'unknown flag: --log-dir'],
    ['1.25.16', 37, 'unknown flag: --log-dir'],
  ])('the kubelet line of %s for 1.%s', (release, minor, error) => {
    const [, ...args] = kubeletService(releaseNode(release)).command
    expect(parsePflags(args, kubeletFlags(minor)).error).toBe(error)
  })

  it('rotation arguments for 1.33', () => {
    const [, ...args] = kubeletService(releaseNode('1.34.11')).command
    expect(parseGoFlags(args, runnerFlags(33)).error).toMatch(/log-file-size/)
  })

  it('the endpoint as a field for 1.26, and no cgroup flags for 1.30', () => {
    expect(decodeKubeletConfig(kubeletConfiguration(releaseNode('1.27.16')), 26).warning).toMatch(
      /containerRuntimeEndpoint/,
    )
    const {kubelet} = judge(releaseNode('1.31.14'))
    expect(windowsProblems({}, kubelet.flags, 30)).not.toEqual([])
  })

  it('gates that are locked or gone', () => {
    expect(parseFeatureGates('WinOverlay=false', 34).error).toMatch(/locked/)
    expect(parseFeatureGates('IPv6DualStack=true', 25).error).toMatch(/unrecognized/)
    expect(parseFeatureGates('WinDSR=true', 21).error).toBeUndefined()
  })
})
