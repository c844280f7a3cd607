// The release of a node that was not asked for one: never one that is then refused, where there is another.
import {describe, expect, it} from 'vitest'
import {knownReleases} from '../../src/preflight/known-releases.js'
import {releaseProblem} from '../../src/components/releases/windows-support.js'
import {chooseRelease, DEFAULT_RELEASE, newestFitting, runtimeOf} from '../../src/config/choose-release.js'
import {decide} from '../../src/config/decide.js'
import {resolveConfig} from '../../src/config/options/resolve-setup.js'
import {olderMinors} from '../../src/config/version.js'

const WS2019 = 17_763
const WS2022 = 20_348
const WS2025 = 26_100
const BUILDS = [WS2019, WS2022, WS2025]

const answersOf = async (build: number, isDockerRunning: boolean, serverVersion?: string) => ({
  catalogue: await knownReleases(build),
  isDockerRunning,
  ...(serverVersion !== undefined && {serverVersion}),
})

describe('review U2-4: setup chooses', () => {
  it.each([
    // The documented default: with Docker, on Server 2019.
    [WS2019, true, 'v1.23.17', '1.21.5', 'default'],
    [WS2019, true, 'v1.21.0', '1.21.5', 'default'],
    [WS2019, true, undefined, '1.21.5', 'default'],
    [WS2019, true, 'unknown', '1.21.5', 'default'],
    // Elsewhere the newest that fits.
    [WS2022, true, 'v1.23.17', '1.23.17', 'cluster'],
    [WS2022, true, undefined, '1.23.17', 'default'],
    [WS2019, true, 'v1.25.16', '1.23.17', 'cluster'],
    [WS2019, false, 'v1.34.2', '1.34.11', 'cluster'],
    [WS2025, false, 'v1.36.4-eks-1a2b3c', '1.36.4', 'cluster'],
    [WS2025, false, 'v1.36.4+k3s1', '1.36.4', 'cluster'],
    [WS2025, false, 'v1.28.2', '1.28.15', 'cluster'],
    [WS2025, false, undefined, '1.36.4', 'default'],
    [WS2025, false, 'v2.0.0', '1.36.4', 'default'],
    // Nothing fits: what is refused is named by the checks.
    [WS2019, true, 'v1.34.2', '1.34.11', 'cluster'],
    [WS2019, false, 'v1.23.17', '1.23.17', 'cluster'],
    [WS2025, true, undefined, '1.36.4', 'default'],
    [WS2022, true, 'v1.22.1', '1.22.17', 'cluster'],
    [WS2019, true, 'v1.20.2', '1.21.5', 'cluster'],
  ])('on build %s, with Docker running %s and API server %s: %s', async (build, docker, server, release, source) => {
    const chosen = chooseRelease('auto', await answersOf(build, docker, server))
    expect([chosen.release.text, chosen.origin?.value, chosen.origin?.source]).toEqual([release, release, source])
    expect(Object.keys(chosen.release).sort()).toEqual(['major', 'minor', 'patch', 'text'])
  })

  it('the one for the runtime that was asked for', async () => {
    const answers = await answersOf(WS2019, true)
    expect(chooseRelease('containerd', answers).release.text).toBe('1.36.4')
    expect(chooseRelease('docker', {...answers, isDockerRunning: false}).release.text).toBe('1.21.5')
    expect(chooseRelease('docker', {...answers, serverVersion: 'v1.24.3'}).release.text).toBe('1.23.17')
  })

  it('no release for Docker where the cluster accepts none, and Docker is refused', async () => {
    const answers = await answersOf(WS2019, true, 'v1.36.4')
    expect(chooseRelease('docker', answers).release.text).toBe('1.36.4')
    expect(() => decide(resolveConfig({given: {runtime: 'docker'}}), answers)).toThrowError(
      expect.objectContaining({problems: [expect.objectContaining({id: 'DOCKER_UNSUPPORTED'})]}),
    )
  })

  it('never one that is refused where another is not: every Windows, runtime and API server', async () => {
    for (const build of BUILDS) {
      for (const runtime of ['docker', 'containerd'] as const) {
        for (let minor = 21; minor <= 40; minor++) {
          const answers = await answersOf(build, runtime === 'docker', `v1.${minor}.0`)
          const isRefused = (one: Parameters<typeof runtimeOf>[0]): boolean =>
            releaseProblem(one, build) !== undefined ||
            runtimeOf(one) !== runtime ||
            one.minor > minor ||
            minor - one.minor > olderMinors(one.minor)
          const isPossible = answers.catalogue.some((one) => !isRefused(one))
          const choices = [chooseRelease('auto', answers), newestFitting(runtime, answers)]
          for (const {release} of choices) {
            expect.soft(isPossible && isRefused(release), `${build} ${runtime} 1.${minor}: ${release.text}`).toBe(false)
          }
        }
      }
    }
  })

  it('nothing for who knows neither host nor cluster: the default, without a reason', () => {
    expect(chooseRelease('auto', {})).toEqual({release: DEFAULT_RELEASE})
  })
})

it('review U2-4: upgrade goes to the newest patch that the runtime of the node has', async () => {
  const upgrade = async (runtime: 'containerd' | 'docker', build: number, server: string) =>
    newestFitting(runtime, await answersOf(build, false, server)).release.text
  expect(await upgrade('docker', WS2019, 'v1.23.1')).toBe('1.23.17')
  expect(await upgrade('docker', WS2019, 'v1.25.1')).toBe('1.23.17')
  expect(await upgrade('containerd', WS2019, 'v1.35.1')).toBe('1.35.8')
})

describe('review U2-5: an API server that is newer than this k8s-win knows', () => {
  it.each([
    ['v1.37.1', '1.36.4'],
    ['v1.39.0', '1.36.4'],
    ['v1.36.7', '1.36.4'],
    ['v1.40.0', '1.36.4'],
  ])('%s: %s, and the reason names both', async (server, release) => {
    const {origin} = chooseRelease('auto', await answersOf(WS2025, false, server))
    expect(origin).toMatchObject({source: 'cluster', value: release, where: expect.stringContaining(server) as string})
  })
})
