// Which release runs on which Windows Server: to Ready, or refused with its reason and nothing changed.
import {describe, expect, it} from 'vitest'
import {PROFILES} from '../../src/simulator/profiles/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const run = async (profile: string, release: string) => {
  const host = HostFolder.empty()
  const {events, result} = await setupOn(host.dir, {release}, {}, profile)
  return {events, host, result}
}

const isWrong = (result: string): boolean => result === 'fail' || result === 'warn'

describe('goes to Ready', () => {
  it.each(
    sample(
      [
        ['ws2019', '1.21.0', '1809', 'ltsc2019'],
        ['ws2019', '1.21.5', '1809', 'ltsc2019'],
        ['ws2019', '1.22.12', '1809', 'ltsc2019'],
        ['ws2019', '1.23.17', '1809', 'ltsc2019'],
        ['ws2022', '1.23.0', 'ltsc2022', 'ltsc2022'],
        ['ws2022', '1.23.17', 'ltsc2022', 'ltsc2022'],
      ],
      3,
    ),
  )('%s with %s, on nanoserver:%s', async (profile, release, nanoserver, servercore) => {
    const {host, result} = await run(profile, release)
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(result.checks.filter(({id, result: one}) => isWrong(one) && id !== 'flannel-daemonset')).toEqual([])
    const {cluster, docker, os} = host.world
    expect(cluster.nodes.find(({name}) => name === 'win-1')).toMatchObject({
      kubeletVersion: `v${release}`,
      labels: {'node.kubernetes.io/windows-build': `10.0.${os.build}`},
    })
    const build = (tag: string) => docker.images.find(({tags}) => tags.includes(tag))?.osVersion.split('.')[2]
    for (const tag of [
      `mcr.microsoft.com/windows/nanoserver:${nanoserver}`,
      `mcr.microsoft.com/windows/servercore:${servercore}`,
      'kubeletwin/pause:latest',
    ]) {
      expect(build(tag), tag).toBe(String(os.build))
    }
  })
})

describe('is refused: exit 3, nothing changed', () => {
  it.each(
    sample(
      [
        ['ws2022', '1.21.5', /the first release that was tested on it is 1\.23/, '1.23.17'],
        ['ws2022', '1.22.12', /the first release that was tested on it is 1\.23/, '1.23.17'],
        ['ws2025', '1.21.5', /runs wmic/, '1.28.15'],
        ['ws2025', '1.23.17', /runs wmic/, '1.28.15'],
      ],
      3,
    ),
  )('%s with %s', async (profile, release, reason, other) => {
    const {host, result} = await run(profile, release)
    expect(result).toMatchObject({error: {id: 'WINDOWS_UNSUPPORTED'}, exitCode: 3, recap: {changed: 0}})
    expect(result.error?.cause).toMatch(reason)
    expect(result.error?.fix).toContain(`--release ${other}`)
    // Only this stands in the way, so that no one looks for more; on Windows Server 2025 there is no Docker either.
    const failed = result.checks.filter((check) => check.result === 'fail').length
    if (profile === 'ws2025') expect(failed).toBeGreaterThan(1)
    else expect(failed).toBe(1)
    expect(Object.keys(host.world.services)).not.toContain('kubelet')
    expect(host.world.docker.images).toEqual([])
  })
})

describe('without --release', () => {
  const chosen = async (profile: string, version?: string) => {
    const host = HostFolder.empty()
    await openSimulator({dir: host.dir, profile})
    host.edit(({cluster}) => (cluster.version = version ?? cluster.version))
    const {events, result} = await setupOn(host.dir, {}, {}, profile)
    const logged = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    return {host, result, shown: logged.find((message) => message.startsWith('Kubernetes 1.'))}
  }

  it.each(
    sample(
      [
        ['ws2019', 'v1.23.17', '1.21.5'],
        // review U2-4: with Docker, and not the default, which does not run there.
        ['ws2022', 'v1.23.17', '1.23.17'],
        ['ws2019-containerd', 'v1.34.11', '1.34.11'],
        ['ws2019-containerd', 'v1.26.3', '1.26.15'],
        ['ws2022-containerd', 'v1.36.4', '1.36.4'],
        ['ws2025', 'v1.36.4', '1.36.4'],
        ['ws2025', 'v1.37.0', '1.36.4'],
      ],
      3,
    ),
  )('%s in a cluster of %s gets %s, and nothing is to be said against it', async (profile, version, release) => {
    const {host, result, shown} = await chosen(profile, version)
    expect(result.error).toBeUndefined()
    expect(result.checks.filter(({id, result: one}) => isWrong(one) && id !== 'flannel-daemonset')).toEqual([])
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion).toBe(`v${release}`)
    expect(shown).toMatch(`Kubernetes ${release}: `)
    expect(shown).toMatch(`the API server is ${version}`)
  })

  it.each(
    sample(
      [
        ['ws2019', 'v1.30.2', 'DOCKER_BESIDE_CONTAINERD', '1.30.14'],
        ['ws2019-containerd', 'v1.23.17', 'DOCKER_ABSENT', '1.23.17'],
        ['ws2025', 'v1.27.16', 'WINDOWS_UNSUPPORTED', '1.27.16'],
        ['ws2025', 'v1.40.0', 'VERSION_SKEW', '1.36.4'],
      ],
      3,
    ),
  )('%s in a cluster of %s is refused: %s', async (profile, version, id, release) => {
    const {result, shown} = await chosen(profile, version)
    expect([result.exitCode, result.error?.id, result.recap.changed]).toEqual([3, id, 0])
    expect(shown).toMatch(`Kubernetes ${release}: `)
    expect(shown).toMatch(`the API server is ${version}`)
  })
})

describe('an image of another build on Windows Server 2022', () => {
  it.each(
    sample(
      [
        ['1809', 'nanoserver-tag', '17763'],
        ['ltsc2025', 'nanoserver-tag', '26100'],
        ['ltsc2019', 'servercore-tag', '17763'],
      ],
      3,
    ),
  )('%s by --%s: exit 4, with the tag that fits', async (tag, flag, build) => {
    const {result} = await setupOn(HostFolder.empty().dir, {[flag]: tag, release: '1.23.17'}, {}, 'ws2022')
    expect(result).toMatchObject({error: {id: 'IMAGE_MISMATCH'}, exitCode: 4})
    expect(`${result.error?.message} ${result.error?.cause}`).toContain(build)
    expect(result.error?.fix).toContain('ltsc2022')
  })
})

it('there are three kinds of Windows Server, two of them with Docker or without', () => {
  const names = ['ws2019', 'ws2019-containerd', 'ws2022', 'ws2022-containerd', 'ws2025']
  expect(Object.keys(PROFILES)).toEqual(names)
})
