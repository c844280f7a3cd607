// What each release is given, letter by letter, and the table it comes from.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'

import {kubeProxyService} from '../../../src/components/kube-proxy.js'
import {kubeletConfiguration, kubeletService} from '../../../src/components/kubelet.js'
import {flagsOf, gatesOf, known, KUBELET_FLAGS, pauseImageOf} from '../../../src/components/releases/release-table.js'
import {runtimeOf} from '../../../src/config/choose-release.js'
import {olderMinors, parseVersion} from '../../../src/config/version.js'
import {exampleNode, releaseNode} from '../example.js'
import {golden} from '../golden.js'

const DOCKER_RELEASES = ['1.21.0', '1.21.5', '1.22.0', '1.22.12', '1.23.0', '1.23.17']
const CONTAINERD_RELEASES = ['1.24.0', '1.24.17', '1.26.15', '1.27.16', '1.31.14', '1.36.4']
const version = (minor: number) => ({major: 1, minor, patch: 0, text: `1.${minor}.0`})
const lines = (parts: readonly string[]): string => `${parts.join('\n')}\n`

describe.each([...DOCKER_RELEASES, ...CONTAINERD_RELEASES])('%s', (release) => {
  const config = releaseNode(release)
  const minor = release.split('.').slice(0, 2).join('.')

  it.each([
    ['kubelet.txt', () => lines(kubeletService(config).command)],
    ['kube-proxy.txt', () => lines(kubeProxyService(config, '10.244.3.2').command)],
    ['kubelet-config.yaml', () => kubeletConfiguration(config)],
  ])('%s is the golden file of its minor', (file, make) => {
    const produced = make()
    expect(produced).toBe(golden(`${minor}/${file}`, produced))
  })
})

describe('what differs', () => {
  const gates = (release: string): string | undefined =>
    kubeProxyService(exampleNode({release}), '10.244.3.2').command.find((part) => part.startsWith('--feature-gates'))
  const resolvConf = (release: string): unknown =>
    (parse(kubeletConfiguration(exampleNode({release}))) as {resolvConf?: unknown}).resolvConf

  it('IPv6DualStack is named up to 1.22 only: from 1.23 on that is fatal', () => {
    expect(gates('1.22.12')).toBe('--feature-gates=WinOverlay=true,IPv6DualStack=false')
    expect(gates('1.23.0')).toBe('--feature-gates=WinOverlay=true')
  })

  it('an empty resolvConf is in the file from 1.23 on: before, it is taken for none', () => {
    expect(resolvConf('1.22.12')).toBeUndefined()
    expect(resolvConf('1.23.0')).toBe('')
  })

  it('the flags of dockershim would not be given to 1.24', () => {
    const flags = flagsOf(KUBELET_FLAGS, version(24), {'network-plugin': 'cni', 'cni-bin-dir': 'x', v: '2'})
    expect(flags).toEqual(['--v=2'])
  })

  it('Docker up to 1.23, containerd from 1.24 on, each with its pause image', () => {
    expect([21, 23, 24, 36].map((minor) => runtimeOf(version(minor)))).toEqual([
      'docker',
      'docker',
      'containerd',
      'containerd',
    ])
    expect(pauseImageOf(version(23))).toBe('kubeletwin/pause')
    expect(pauseImageOf(version(24))).toBe('registry.k8s.io/pause:3.10.2')
  })

  it('DOCKER_HOST is for dockershim only', () => {
    const environment = (minor: number) =>
      kubeletService(
        exampleNode(
          {'docker-endpoint': 'npipe:////./pipe/mine'},
          {release: version(minor), runtime: runtimeOf(version(minor))},
        ),
      ).environment
    expect(environment(23)).toHaveProperty('DOCKER_HOST')
    expect(environment(24)).not.toHaveProperty('DOCKER_HOST')
  })

  it('daemons of 1.25 and newer may be three minors older than the API server', () => {
    expect([21, 24, 25, 36].map(olderMinors)).toEqual([2, 2, 3, 3])
  })

  it.each([
    ['1.23.17', ['--enable-dsr', '--feature-gates=WinOverlay=true,WinDSR=true']],
    ['1.32.13', ['--enable-dsr', '--feature-gates=WinOverlay=true,WinDSR=true']],
    ['1.33.13', ['--enable-dsr', '--feature-gates=WinOverlay=true']],
    ['1.34.11', ['--enable-dsr']],
  ])('direct server return with %s, only where it was asked for', (release, wanted) => {
    const flags = (enableDSR: boolean): string[] =>
      kubeProxyService(releaseNode(release, {enableDSR}), '10.244.3.2').command.filter((part) =>
        /^--(enable-dsr|feature-gates)/.test(part),
      )
    expect(flags(true)).toEqual(wanted)
    expect(flags(false).join()).not.toMatch(/DSR/i)
  })
})

describe('the table', () => {
  const TABLE = {always: {}, since: {since: 22}, until: {until: 22}, both: {since: 22, until: 23}} as const

  it('gives a release what its span has, in the order given', () => {
    const all = {both: 'b', until: 'u', since: 's', always: 'a'}
    expect(Object.keys(known(TABLE, version(21), all))).toEqual(['until', 'always'])
    expect(Object.keys(known(TABLE, version(22), all))).toEqual(['both', 'until', 'since', 'always'])
    expect(Object.keys(known(TABLE, version(23), all))).toEqual(['both', 'since', 'always'])
    expect(Object.keys(known(TABLE, version(24), all))).toEqual(['since', 'always'])
  })

  it('leaves out what is not given, and keeps what is empty', () => {
    expect(flagsOf(TABLE, version(22), {always: '', both: undefined, since: true})).toEqual(['--always=', '--since'])
    expect(gatesOf(TABLE, version(24), {always: false, both: true})).toBe('always=false')
  })

  it('knows no patch: all of a minor are given the same', () => {
    fc.assert(
      fc.property(fc.integer({max: 23, min: 21}), fc.nat(99), (minor, patch) => {
        const release = parseVersion(`1.${minor}.${patch}`)
        const command = (text: string): string[] => kubeletService(exampleNode({release: text})).command as string[]
        expect(command(release?.text ?? '')).toEqual(command(`1.${minor}.0`))
      }),
      {numRuns: 20},
    )
  })
})
