// The checks of a host that gets containerd, on a simulated host: each passes on a fresh one, and names what it found.
import {describe, expect, test} from 'vitest'
import type {CheckId} from '../../../src/config/check-ids.js'
import type {Decided} from '../../../src/config/model.js'
import {parseVersion, type Version} from '../../../src/config/version.js'
import {OWNERSHIP_MARK} from '../../../src/host/services/services.js'
import type {Machine} from '../../../src/machine/machine.js'
import type {World} from '../../../src/simulator/world.js'
import {allowEverything} from '../../fakes/administrator.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {check, checkOne, type Sickness} from '../cluster-bench.js'
import {drive, GIB, registry, service, text} from '../../hosts/sick-host.js'

const version = (text: string): Version => parseVersion(text) as Version
const CONFIG: Partial<Decided> = {release: version('1.34.11'), runtime: 'containerd'}
const PIPE = 'npipe/containerd-containerd'
const ENVIRONMENT = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const DATA = String.raw`c:\programdata\containerd`

const look = (id: CheckId, {config, ...sickness}: Sickness = {}): ReturnType<typeof checkOne> =>
  checkOne(id, {...sickness, config: {...CONFIG, ...config}})

/** Where the calendar has a say. */
const at =
  (day: string) =>
  (machine: Machine): Machine => ({...machine, clock: {...machine.clock, now: () => Date.parse(day)}})

const versions = (changed: Partial<Decided['versions']>): Partial<Decided> => ({
  versions: {...setupConfig().versions, ...changed},
})

function ownService(world: World, state: 'running' | 'stopped'): void {
  service(world, 'containerd', state, 'automatic')
  const own = world.services['containerd']
  if (own) own.config = {...own.config, description: `containerd container runtime. ${OWNERSHIP_MARK}`}
}

test('a fresh host without Docker passes, and checks of a Docker node do not run', async () => {
  const {problems, results} = await check({
    config: {...CONFIG, versions: {...setupConfig().versions, containerd: version('2.3.4')}},
    sicken(world) {
      world.docker.running = false
      delete world.services['docker']
      world.cluster.version = 'v1.34.11'
    },
  })
  expect(problems).toEqual([])
  const ids = Object.keys(results)
  expect(ids.filter((id) => id.startsWith('docker'))).toEqual(['docker'])
  expect(ids.filter((id) => id.startsWith('containerd')).map((id) => [id, results[id]?.result])).toEqual([
    ['containerd', 'pass'],
    ['containerd-disk', 'pass'],
    ['containerd-folder', 'pass'],
    ['containerd-proxy', 'pass'],
    ['containerd-versions', 'pass'],
  ])
})

test('checks of containerd do not run for a node with Docker', async () => {
  const {results} = await check()
  expect(Object.keys(results).filter((id) => id.startsWith('containerd') || id === 'host-process-daemonsets')).toEqual(
    [],
  )
})

describe('another containerd', () => {
  test.each(['running', 'stopped'] as const)(
    'as a service that is %s, and whose program is unknown, is refused, with the way out',
    async (state) => {
      const sicken = (world: World): void => service(world, 'containerd', state, 'automatic')
      const {fix, problems} = await look('containerd', {sicken})
      expect(problems).toMatchObject([{exitCode: 3, id: 'CONTAINERD_UNFIT'}])
      expect(fix).toContain('sc.exe delete containerd')
    },
  )

  test('or another program on the pipe is refused', async () => {
    const {fix, problems} = await look('containerd', {sicken: ({os}) => os.listening.push(PIPE)})
    expect(problems).toMatchObject([{exitCode: 3, id: 'PIPE_TAKEN'}])
    // One whose service has another name.
    expect(fix).toContain('register it under the name containerd')
  })

  test('is refused on the pipe of a stopped service of k8s-win', async () => {
    const {problems} = await look('containerd', {
      sicken(world) {
        ownService(world, 'stopped')
        world.os.listening.push(PIPE)
      },
    })
    expect(problems.map(({id}) => id)).toEqual(['PIPE_TAKEN'])
  })

  test.each([
    ['running', 'pass'],
    ['stopped', 'not-checked'],
  ] as const)(
    'review U2-15: is not the one of k8s-win, which has a tick only while it runs: %s',
    async (state, result) => {
      expect(await look('containerd', {sicken: (world) => ownService(world, state)})).toMatchObject({result})
    },
  )
})

describe('the drive of images', () => {
  test.each([
    ['ReFS', {fileSystem: 'ReFS'}, 'DRIVE_UNSUITABLE'],
    ['a full drive', {freeBytes: 9 * GIB}, 'DISK_FULL'],
  ])('%s is refused', async (_, part, id) => {
    const {problems} = await look('containerd-disk', {sicken: (world) => drive(world, 'C:', part)})
    expect(problems).toMatchObject([{exitCode: 3, id}])
  })

  test('with little room is a warning', async () => {
    const part = {freeBytes: 32 * GIB, totalBytes: 230 * GIB}
    const {result} = await look('containerd-disk', {sicken: (world) => drive(world, 'C:', part)})
    expect(result).toBe('warn')
  })

  test('before setup is what setup writes and what the finished node must have', async () => {
    const {problems} = await look('containerd-disk', {
      sicken: (world) => drive(world, 'C:', {freeBytes: 11.5e9, totalBytes: 127e9}),
    })
    expect(problems).toMatchObject([{exitCode: 3, id: 'DISK_FULL', wanted: 'at least 19.9 GB free'}])
  })
})

describe("containerd's folder", () => {
  const files = {[String.raw`ProgramData\containerd\root\meta.db`]: 'x'}

  test('that a user made is refused', async () => {
    const {problems} = await look('containerd-folder', {
      files,
      sicken: ({security}) => (security[DATA] = 'O:BUD:AI(A;OICIID;FA;;;BU)(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)'),
    })
    expect(problems).toMatchObject([{exitCode: 3, id: 'PARENT_OPEN_TO_OTHERS'}])
  })

  test('review S2-10: a hosts.toml that a user put two levels below the folder of registries is refused', async () => {
    const {problems} = await look('containerd-folder', {
      files: {[String.raw`k\containerd\certs.d\docker.io\hosts.toml`]: 'server = "https://evil"'},
      sicken: ({security}) =>
        (security[String.raw`c:\k\containerd\certs.d\docker.io\hosts.toml`] = 'O:BUD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)'),
    })
    expect(problems).toMatchObject([{exitCode: 3, id: 'UNTRUSTED_FILE'}])
  })

  test('of another containerd is a warning', async () => {
    const {fix, result} = await look('containerd-folder', {
      files,
      sicken: ({security}) => (security[DATA] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'),
    })
    expect(result).toBe('warn')
    expect(fix).toContain('ren ')
  })

  test('of the service of k8s-win is its own, also when the journal is lost', async () => {
    const {fix, result} = await look('containerd-folder', {
      files,
      sicken(world) {
        ownService(world, 'running')
        world.security[DATA] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
      },
    })
    expect({fix, result}).toEqual({fix: '', result: 'pass'})
  })

  test.each([
    ['its state', String.raw`root`, String.raw`root\x`, 'PARENT_OPEN_TO_OTHERS'],
    ['a shim', String.raw`root\opt`, String.raw`root\opt\bin\containerd-shim-runhcs-v1.exe`, 'PARENT_OPEN_TO_OTHERS'],
    ['a shim', String.raw`root\opt\bin\shim.exe`, String.raw`root\opt\bin\shim.exe`, 'UNTRUSTED_FILE'],
    [
      'an image verifier',
      String.raw`root\opt\image-verifier`,
      String.raw`root\opt\image-verifier\bin\v.exe`,
      'PARENT_OPEN_TO_OTHERS',
    ],
    [
      'images',
      String.raw`root\io.containerd.metadata.v1.bolt\meta.db`,
      String.raw`root\io.containerd.metadata.v1.bolt\meta.db`,
      'UNTRUSTED_FILE',
    ],
  ])('into which a user put %s is refused: %s', async (_, owned, file, id) => {
    const {problems} = await look('containerd-folder', {
      files: {[`ProgramData\\containerd\\${file}`]: 'x'},
      sicken({security}) {
        // Of a folder that an administrator made: users may add to it.
        security[DATA] = 'O:BAD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;CIID;0x116;;;BU)'
        security[`${DATA}\\${owned.toLowerCase()}`] = 'O:S-1-5-21-1-2-3-1001D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)'
      },
    })
    expect(problems).toMatchObject([{exitCode: 3, id}])
  })

  test('is not a file', async () => {
    const {problems} = await look('containerd-folder', {
      files: {[String.raw`ProgramData\containerd`]: 'x'},
      sicken: ({security}) => (security[DATA] = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'),
    })
    expect(problems).toMatchObject([{exitCode: 3, id: 'FILE_IN_THE_WAY'}])
  })
})

describe('the proxy', () => {
  test('is passed on to containerd', async () => {
    const sicken = (world: World): void =>
      registry(world, ENVIRONMENT, {HTTPS_PROXY: text('http://proxy.example:3128'), NO_PROXY: text('user@10.0.0.0/8')})
    const {message, result} = await look('containerd-proxy', {sicken})
    expect(result).toBe('pass')
    expect(message).toContain('proxy.example:3128')
  })

  test('with a password is not, and the password is not shown', async () => {
    const sicken = (world: World): void =>
      registry(world, ENVIRONMENT, {HTTPS_PROXY: text('http://user:hunter2@proxy.example:3128')})
    const {fix, message, result} = await look('containerd-proxy', {sicken})
    expect(result).toBe('warn')
    expect(message).toContain('HTTPS_PROXY')
    expect(message + fix).not.toContain('hunter2')
  })
})

describe('versions', () => {
  test.each([
    ['cni', '1.1.1', '--cni-version'],
    ['containerd', '1.5.18', '--containerd-version'],
    ['crictl', '1.31.0', '--crictl-version'],
  ])('%s %s is refused', async (name, text, flag) => {
    const {fix, problems} = await look('containerd-versions', {config: versions({[name]: version(text)})})
    expect(problems).toMatchObject([{exitCode: 3, id: 'VERSION_UNSUPPORTED'}])
    expect(fix).toContain(flag)
  })

  test('the oldest that work pass', async () => {
    const oldest = {cni: version('1.2.0'), containerd: version('1.7.11'), crictl: version('1.32.0')}
    const config = {...versions(oldest), release: version('1.31.14')}
    expect(await look('containerd-versions', {around: at('2025-08-01'), config})).toMatchObject({result: 'pass'})
  })

  test.each([
    [true, 'Pass 2.3.4 to --containerd-version'],
    [false, 'Upgrade it to 2.3.4'],
  ])(
    'review T11: installed by k8s-win (%s), it is a warning past its end of life, with the fix',
    async (isOurs, fix) => {
      const {containerd} = setupConfig()
      const config = {
        ...versions({containerd: version('1.7.34')}),
        containerd: {...containerd, isOurs},
        release: version('1.31.14'),
      }
      const on = (day: string) => look('containerd-versions', {around: at(day), config})
      expect(await on('2026-09-30')).toMatchObject({result: 'pass'})
      expect(await on('2026-10-01')).toMatchObject({
        fix: expect.stringContaining(fix) as string,
        message: 'containerd 1.7.34: upstream support of 1.7 ended on 2026-09-30',
        result: 'warn',
      })
    },
  )

  test('containerd that leaves snapshots behind is a warning (containerd#9465)', async () => {
    const oldest = await Promise.all(
      ['1.6.0', '1.7.10'].map((text) => look('containerd-versions', {config: versions({containerd: version(text)})})),
    )
    for (const {message, result} of oldest) {
      expect(result).toBe('warn')
      expect(message).toMatch(/snapshots/)
    }
  })

  test('one that was there before is upgraded by its owner', async () => {
    const old = versions({containerd: version('1.7.10')})
    const {containerd} = setupConfig()
    const {fix} = await look('containerd-versions', {config: {...old, containerd: {...containerd, isOurs: false}}})
    expect(fix).toContain('Upgrade it')
    expect(fix).not.toContain('--containerd-version')
  })

  test('review T11: containerd that a release is not tested with is a warning, from 1.32 on', async () => {
    const seen = async (release: string, containerd: string) => {
      const config = {...versions({containerd: version(containerd)}), release: version(release)}
      return (await look('containerd-versions', {around: at('2025-08-01'), config})).result
    }
    expect(await seen('1.31.14', '1.7.25')).toBe('pass')
    expect(await seen('1.34.11', '1.7.25')).toBe('warn')
    expect(await seen('1.35.8', '2.1.3')).toBe('warn')
    expect(await seen('1.36.4', '2.1.9')).toBe('warn')
    expect(await seen('1.36.4', '2.3.4')).toBe('pass')
  })
})

describe('the folder of CNI configurations', () => {
  test.each([
    ['0-other.conf', 'FOREIGN_CNI_CONFIG'],
    ['cni.conf', 'OTHER_CNI_CONFIG'],
    ['20-other.conflist', 'OTHER_CNI_CONFIG'],
  ])('has no %s beside 10-flannel.conflist', async (name, id) => {
    const files = {[String.raw`k\cni\config\10-flannel.conflist`]: '{}', [`k\\cni\\config\\${name}`]: '{}'}
    const {problems} = await look('cni-folder', {files})
    expect(problems).toMatchObject([{exitCode: 3, id}])
    expect(problems[0]?.message).toContain(name)
  })

  test('may have the own file and what is not a configuration', async () => {
    const files = {[String.raw`k\cni\config\10-flannel.conflist`]: '{}', [String.raw`k\cni\config\0.txt`]: 'x'}
    expect(await look('cni-folder', {files})).toMatchObject({result: 'pass'})
  })
})

describe('DaemonSets with host processes', () => {
  const WINDOWS = {'kubernetes.io/os': 'windows'}
  const set = {hostProcess: true, name: 'kube-proxy-windows', namespace: 'kube-system', nodeSelector: WINDOWS}
  const withSets =
    (...daemonSets: NonNullable<World['cluster']['daemonSets']>) =>
    (world: World): void => {
      allowEverything(world)
      world.cluster.daemonSets = daemonSets
    }

  test.each([
    ['kube-proxy', set],
    ['flannel, by its image', {...set, image: 'sigwindowstools/flannel:v0.21.5-hostprocess', name: 'network'}],
  ])('that run %s on this node are refused', async (_, one) => {
    const {fix, problems} = await look('host-process-daemonsets', {sicken: withSets(one)})
    expect(problems).toMatchObject([{exitCode: 3, id: 'HOST_PROCESS_NETWORK'}])
    expect(fix).toContain(`kubectl -n kube-system delete daemonset ${one.name}`)
  })

  test.each([
    ['of something else', {...set, name: 'csi-proxy'}],
    ['that are not host processes', {...set, hostProcess: false}],
    ['of other nodes', {...set, nodeSelector: {...WINDOWS, pool: 'other'}}],
  ])('%s pass', async (_, one) => {
    expect(await look('host-process-daemonsets', {sicken: withSets(one)})).toMatchObject({result: 'pass'})
  })
})

describe('checks of every node, with a release for containerd', () => {
  test('an older API server: the releases that it accepts are named', async () => {
    const {fix, problems} = await look('version-skew', {
      config: {release: version('1.36.4')},
      sicken: ({cluster}) => (cluster.version = 'v1.30.5'),
    })
    expect(problems.map(({id}) => id)).toEqual(['VERSION_SKEW'])
    expect(fix).toContain('Pass --release 1.27.<patch> to 1.30.<patch>')
  })

  test('Windows Server 2025 before October 2025 is a warning, and after it is none', async () => {
    const on = (ubr: number): ReturnType<typeof look> =>
      look('windows-patch', {sicken: ({os}) => Object.assign(os, {build: 26_100, ubr})})
    expect([(await on(6584)).result, (await on(6900)).result]).toEqual(['warn', 'pass'])
  })

  test('a release that the catalogue does not have is a warning, unless its digest is given', async () => {
    const config = {release: version('1.34.99')}
    const {fix, result} = await look('release-windows', {config})
    expect(result).toBe('warn')
    expect(fix).toContain('--release 1.34.11')
    const digests = {kubernetes: {algorithm: 'sha512', hex: 'a'.repeat(128)}} as const
    expect(await look('release-windows', {config: {...config, digests}})).toMatchObject({result: 'pass'})
    // Of 1.37 nothing is pinned, and the warning says what k8s-win knows of it.
    const preview = await look('release-windows', {config: {digests, release: version('1.37.0')}})
    expect(preview.result).toBe('warn')
    const before = await look('release-windows', {
      around: at('2026-10-01'),
      config: {digests, release: version('1.37.0')},
    })
    expect(before.fix).toBe('Pass --release 1.34.11.')
  })

  test('review W3-5: where upstream supports no release that it tests here, no warning leads to another', async () => {
    const digests = {kubernetes: {algorithm: 'sha512', hex: 'a'.repeat(128)}} as const
    for (const release of ['1.34.11', '1.36.4', '1.37.0']) {
      const {fix, result} = await look('release-windows', {
        around: at('2026-11-19'),
        config: {digests, release: version(release)},
      })
      expect({release, result}).toEqual({release, result: 'warn'})
      expect(fix).toContain('Windows Server 2022 or 2025')
      expect(fix).not.toMatch(/--release|upgrade/)
    }
  })

  test.each([
    ['1.31.1', 20_348, '1.31.14'],
    ['1.33.13', 26_100, '1.35.8'],
    ['1.36.4', 17_763, '1.34.11'],
    ['1.37.0', 26_100, '1.36.4'],
  ])('what speaks against %s on build %s names a release that has it', async (release, build, named) => {
    const sicken = ({os}: World): void => void Object.assign(os, {build})
    const {fix, result} = await look('release-windows', {config: {release: version(release)}, sicken})
    expect(result).toBe('warn')
    expect(/--release ([\d.]*\d)/.exec(fix ?? '')?.[1]).toBe(named)
  })

  test('Microsoft Defender scans the folder of containerd, not that of Docker', async () => {
    const {message, result} = await look('antivirus', {
      sicken(world) {
        service(world, 'windefend', 'running', 'automatic')
      },
    })
    expect({isNamed: message.toLowerCase().includes(DATA), result}).toEqual({isNamed: true, result: 'warn'})
  })
})
