// Which release runs on which Windows: floors with their patch, releases that are refused everywhere, and warnings.
import {describe, expect, it} from 'vitest'

import {
  flannelProblem,
  isSupportedBuild,
  releaseProblem,
  releaseWarnings,
} from '../../../src/components/releases/windows-support.js'
import {parseVersion, type Version} from '../../../src/config/version.js'

const version = (text: string): Version => parseVersion(text)!
const problem = (release: string, build: number) => releaseProblem(version(release), build)

describe('a release that does not run on this Windows', () => {
  it.each([
    [17_763, '1.20.15', 21, /first release that was tested on it is 1\.21/],
    [20_348, '1.21.5', 23, /first release that was tested on it is 1\.23/],
    [20_348, '1.22.17', 23, /first release that was tested on it is 1\.23/],
    [26_100, '1.21.5', 28, /wmic/],
    [26_100, '1.27.16', 28, /wmic/],
    [26_100, '1.28.12', 28, /wmic/],
    [26_100, '1.29.7', 29, /wmic/],
    [26_100, '1.30.3', 30, /wmic/],
    [17_763, '1.31.0', 31, /kubernetes#126976/],
    [20_348, '1.31.0', 31, /kubernetes#126976/],
    [26_100, '1.31.0', 31, /kubernetes#126976/],
  ])('%s with %s: the first minor that does is 1.%s', (build, release, minor, reason) => {
    expect(problem(release, build)).toEqual({minor, reason: expect.stringMatching(reason) as string})
  })

  it.each([
    [17_763, '1.21.0'],
    [17_763, '1.36.4'],
    [20_348, '1.23.0'],
    [20_348, '1.30.3'],
    [26_100, '1.28.13'],
    [26_100, '1.29.8'],
    [26_100, '1.30.4'],
    [26_100, '1.31.1'],
    [26_100, '1.32.0'],
    [26_100, '1.36.4'],
  ])('%s with %s is none of them', (build, release) => {
    expect(problem(release, build)).toBeUndefined()
  })
})

describe('a release that runs, with a warning', () => {
  it.each([
    [17_763, '1.34.11', []],
    [17_763, '1.35.8', [/only up to 1\.34/]],
    [20_348, '1.23.17', []],
    [20_348, '1.36.4', []],
    [26_100, '1.34.11', [/only from 1\.35/]],
    [26_100, '1.36.4', []],
    [20_348, '1.33.5', [/1\.33\.6: .*stale/, /1\.33\.8: .*IPv6/]],
    [26_100, '1.35.0', [/1\.35\.1: .*resync/, /1\.35\.1: .*IPv6/, /1\.35\.5: /, /1\.35\.6: .*Secrets/]],
  ])('%s with %s', (build, release, warnings) => {
    expect(releaseWarnings(version(release), build)).toEqual(
      warnings.map((one) => expect.stringMatching(one) as string),
    )
  })

  it.each([
    [24, 17],
    [25, 16],
    [26, 11],
    [27, 16],
    [28, 13],
    [29, 13],
    [30, 9],
    [31, 14],
    [32, 10],
    [33, 8],
    [34, 9],
    [35, 6],
    [36, 3],
  ])('1.%s has the fixes for Windows from patch %s on', (minor, patch) => {
    const fixesMissing = (one: number): boolean =>
      releaseWarnings(version(`1.${minor}.${one}`), 20_348).some((text) => text.includes('is fixed in'))
    expect([patch - 1, patch].map(fixesMissing)).toEqual([true, false])
  })

  it('review T12: 1.36.0 to 1.36.2 leak memory of the kubelet (kubernetes#140066)', () => {
    const leaks = (patch: number): boolean =>
      releaseWarnings(version(`1.36.${patch}`), 26_100).some((text) => /1\.36\.3: .*leaks memory/.test(text))
    expect([0, 1, 2, 3, 4].map(leaks)).toEqual([true, true, true, false, false])
  })

  it('those with Docker have none', () => {
    for (const release of ['1.21.0', '1.22.0', '1.23.0']) expect(releaseWarnings(version(release), 17_763)).toEqual([])
  })
})

it('three builds of Windows Server are supported', () => {
  expect([14_393, 17_763, 20_348, 25_398, 26_100].map(isSupportedBuild)).toEqual([false, true, true, false, true])
})

it('flannel 0.26.0 does not run on Windows', () => {
  expect(flannelProblem(version('0.26.0'))).toMatch(/0\.26\.1/)
  expect(['0.25.7', '0.26.1', '0.28.9'].map((one) => flannelProblem(version(one)))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
