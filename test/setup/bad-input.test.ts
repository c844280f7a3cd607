import {describe, expect, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {k8sWin} from '../cli/program.js'
import {SimulatedHost} from './simulated-host.js'
import {sample} from '../sample.js'

interface Case {
  readonly args?: readonly string[]
  readonly exit: number
  readonly id: string
  readonly name: string
  prepare?(host: SimulatedHost): void
  readonly says: RegExp
  sicken?(world: World): void
}

const kubeconfig = String.raw`k\kubeconfig`

const CASES: readonly Case[] = [
  {args: ['--relase', '1.21.5'], exit: 2, id: 'UNKNOWN_FLAG', name: 'unknown flag', says: /--release/},
  {args: ['-BaseDri', 'c:\\k'], exit: 2, id: 'UNKNOWN_FLAG', name: 'unknown flag, PowerShell style', says: /-BaseDir/},
  {args: ['--cluster-cidr', '10.244.0.0'], exit: 2, id: 'BAD_VALUE', name: 'CIDR that is none', says: /CIDR/},
  {
    args: ['--cluster-cidr', '10.10.0.0/14'],
    exit: 2,
    id: 'BAD_VALUE',
    name: 'CIDR with host bits',
    says: /10\.8\.0\.0\/14/,
  },
  {
    args: ['--service-cidr', '10.244.128.0/20'],
    exit: 2,
    id: 'OVERLAPPING_CIDRS',
    name: 'CIDRs that overlap',
    says: /overlap/,
  },
  {
    args: ['--release', 'latest'],
    exit: 2,
    id: 'BAD_VALUE',
    name: 'release that is no version',
    says: /version such as/,
  },
  {
    args: ['--release', '1.40.1'],
    exit: 2,
    id: 'RELEASE_UNSUPPORTED',
    name: 'release that is newer than any known',
    says: /1\.21 to 1\.37/,
  },
  {
    args: ['--release', 'v1.36.0-rc.1'],
    exit: 2,
    id: 'RELEASE_UNSUPPORTED',
    name: 'release that is a pre-release',
    says: /pre-release/,
  },
  {
    args: ['--runtime', 'docker', '--release', '1.24.17'],
    exit: 2,
    id: 'DOCKER_UNSUPPORTED',
    name: 'release that does not work with Docker',
    says: /Remove --runtime/,
  },
  {args: ['--base-dir', 'k'], exit: 2, id: 'BAD_VALUE', name: 'base directory that is relative', says: /relative/},
  {args: ['--base-dir', '\\\\server\\k'], exit: 2, id: 'BAD_VALUE', name: 'base directory on a UNC path', says: /UNC/},
  {args: ['--base-dir', 'c:\\'], exit: 2, id: 'BAD_VALUE', name: "a drive's root", says: /root/},
  {
    args: ['--base-dir', 'c:\\nowhere'],
    exit: 3,
    id: 'BASE_DIR_MISSING',
    name: 'base directory that is missing',
    says: /--kubeconfig/,
  },
  {
    args: ['--base-dir', 'c:\\plain'],
    exit: 3,
    id: 'BASE_DIR_NOT_FOLDER',
    name: 'base directory that is a file',
    prepare: (host) => host.put('plain', 'a file'),
    says: /not a folder/,
  },
  {
    exit: 3,
    id: 'KUBECONFIG_MISSING',
    name: 'kubeconfig missing',
    prepare: (host) => host.remove(kubeconfig),
    says: /kubeconfig/,
  },
  {
    exit: 3,
    id: 'KUBECONFIG_UNREADABLE',
    name: 'kubeconfig that is not YAML',
    prepare: (host) => host.put(kubeconfig, 'a: [b\nc: }'),
    says: /not YAML/,
  },
  {
    exit: 3,
    id: 'KUBECONFIG_UNREADABLE',
    name: 'kubeconfig without server',
    prepare: (host) => host.put(kubeconfig, host.read(kubeconfig).replace(/server: .*/, 'server: ""')),
    says: /no server/,
  },
  {
    args: ['--kubeconfig', String.raw`c:\k`],
    exit: 3,
    id: 'KUBECONFIG_UNREADABLE',
    name: 'kubeconfig that is a folder',
    says: /folder/,
  },
  {
    exit: 3,
    id: 'KUBECONFIG_UNREADABLE',
    name: 'kubeconfig that is no end of bytes',
    prepare: (host) => host.put(kubeconfig, 'x'.repeat(2 * 1024 ** 2)),
    says: /1 MiB/,
  },
  {
    exit: 3,
    id: 'INTERFACE_DOWN',
    name: 'interface that is down',
    says: /is down/,
    sicken: (world) => (world.adapters = world.adapters.map((adapter) => ({...adapter, up: false}))),
  },
  {
    exit: 3,
    id: 'FOREIGN_NETWORK',
    name: 'foreign HNS network of our name',
    says: /L2Bridge/,
    sicken: (world) => world.hns.networks.push({ID: 'A', Name: 'vxlan0', Type: 'L2Bridge'}),
  },
  {
    args: ['--base-dir', `c:\\${'a'.repeat(300)}`],
    exit: 2,
    id: 'BAD_VALUE',
    name: 'base directory with a name that is too long',
    says: /no folder named/,
  },
  {
    args: ['--node-name', 'a'.repeat(80)],
    exit: 2,
    id: 'BAD_VALUE',
    name: 'node name that no label takes',
    says: /node name/,
  },
  {
    args: ['--client-ca-file', String.raw`c:\k`],
    exit: 3,
    id: 'CLIENT_CA_UNKNOWN',
    name: 'client CA that is a folder',
    says: /no certificate/,
  },
  {
    args: ['--interface-name', 'Ethernet9'],
    exit: 3,
    id: 'INTERFACE_MISSING',
    name: 'interface that does not exist',
    says: /"Ethernet0" \(10\.0\.0\.5/,
  },
  {
    exit: 3,
    id: 'NOT_ADMINISTRATOR',
    name: 'not administrator',
    says: /administrator/,
    sicken: (world) => (world.os.administrator = false),
  },
  {
    exit: 3,
    id: 'DOCKER_ABSENT',
    name: 'Docker absent',
    says: /not installed/,
    sicken(world) {
      world.docker.running = false
      delete world.services.docker
    },
  },
  {
    exit: 3,
    id: 'DOCKER_STOPPED',
    name: 'Docker stopped',
    says: /net start docker/,
    sicken(world) {
      world.docker.running = false
      const {docker} = world.services
      if (docker) Object.assign(docker, {processId: 0, state: 'stopped'})
    },
  },
  {
    exit: 3,
    id: 'DOCKER_LINUX_MODE',
    name: 'Docker in Linux mode',
    says: /Windows containers/,
    sicken: (world) => (world.docker.mode = 'linux'),
  },
  {
    exit: 3,
    id: 'DOCKER_TOO_NEW',
    name: 'Docker too new for the release',
    says: /1\.44/,
    sicken: (world) => Object.assign(world.docker, {apiVersion: '1.52', minApiVersion: '1.44', version: '29.0.0'}),
  },
  {
    exit: 3,
    id: 'API_SERVER_UNREACHABLE',
    name: 'API server unreachable',
    says: /cannot be reached/,
    sicken: (world) => (world.cluster.reachable = false),
  },
  {
    exit: 3,
    id: 'PERMISSIONS_MISSING',
    name: 'API server that forbids',
    says: /authorization-mode=Node,RBAC.*The kubelet may not: create, get/,
    sicken: (world) => (world.cluster.permissions = []),
  },
  {
    args: ['--release', '1.21.5'],
    exit: 3,
    id: 'WINDOWS_UNSUPPORTED',
    name: 'Windows and release that do not go together',
    says: /20348/,
    sicken: tooNewWindows,
  },
  {
    exit: 3,
    id: 'PORT_TAKEN',
    name: 'port taken',
    says: /10250/,
    sicken: (world) => world.os.listening.push('tcp/10250'),
  },
  {exit: 3, id: 'FOREIGN_SERVICE', name: 'foreign service of our name', says: /wrapper\.exe/, sicken: foreignKubelet},
]

describe('bad input', () => {
  test.each(sample(CASES, 10))(
    '$name: exit $exit, $id, nothing changed',
    async ({args = [], exit, id, prepare, says, sicken}) => {
      const host = await SimulatedHost.make(sicken)
      prepare?.(host)
      const before = host.state

      const {code, result, stderr} = await host.setupJson(...args)

      expect(stderr).toContain(id)
      expect(Object.values(result.error ?? {}).join(' ')).toMatch(says)
      expect({code, exitCode: result.exitCode, id: result.error?.id}).toEqual({code: exit, exitCode: exit, id})
      expect(result.error?.fix).toMatch(/\w/)
      expect(host.state).toEqual(before)
    },
  )

  test('all problems are reported at once', async () => {
    const host = await SimulatedHost.make((world) => {
      world.os.administrator = false
      world.docker.mode = 'linux'
      world.cluster.reachable = false
    })
    const {code, result} = await host.setupJson('--interface-name', 'nope')
    expect(code).toBe(3)
    const ids = new Set(result.errors?.map((error) => error.id))
    expect(ids).toEqual(
      new Set(['NOT_ADMINISTRATOR', 'DOCKER_LINUX_MODE', 'API_SERVER_UNREACHABLE', 'INTERFACE_MISSING']),
    )
  })

  test('all problems of the configuration are reported at once', async () => {
    const host = await SimulatedHost.make()
    const {code, result} = await host.setupJson(
      '--cluster-cidr',
      'x',
      '--release',
      'y',
      '--base-dir',
      'z',
      '--node-ip',
      '169.254.1.1',
    )
    expect(code).toBe(2)
    expect(result.errors).toHaveLength(4)
  })

  test.runIf(process.platform !== 'win32')('not Windows and not --simulate', async () => {
    const {code, stderr} = await k8sWin(['setup'])
    expect(code).toBe(3)
    expect(stderr).toMatch(/NOT_WINDOWS[^]*--simulate ws2025|--simulate ws2025[^]*NOT_WINDOWS/)
  })
})

function tooNewWindows(world: World): void {
  world.os.build = 20_348
}

function foreignKubelet(world: World): void {
  const {docker} = world.services
  if (!docker) throw new Error('the fresh host has no docker service')
  const config = {...docker.config, description: 'somebody else', imagePath: String.raw`"C:\other\wrapper.exe"`}
  world.services.kubelet = {...docker, config, name: 'kubelet', processId: 0, state: 'stopped'}
}
