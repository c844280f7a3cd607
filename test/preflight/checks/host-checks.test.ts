// The checks of the host: each passes on a fresh one, and reports what is wrong on an unhealthy one and what to do. None changes anything.
import {describe, expect, it} from 'vitest'

import type {CheckId} from '../../../src/config/check-ids.js'
import type {GivenOptions} from '../../../src/config/options/options.js'
import type {World} from '../../../src/simulator/world.js'
import {Rig} from '../../steps/rig.js'
import {checksOn, notPassed} from '../checks-rig.js'
import {SICK_HARDWARE} from '../../hosts/hardware.js'
import {drive, dword, GIB, hardware, hnsNetwork, POLICY, registry, service, text} from '../../hosts/sick-host.js'
import {SICK_NETWORK} from '../../hosts/network.js'
import {SICK_WINDOWS} from '../../hosts/windows.js'

const SICK = [...SICK_WINDOWS, ...SICK_HARDWARE, ...SICK_NETWORK]

it('all checks pass on a fresh host, each with its time', async () => {
  const look = await checksOn()
  expect(notPassed(look)).toEqual({})
  expect(look.problems).toEqual([])
  expect(look.told.map(({id}) => id).sort()).toEqual(look.results.map(({id}) => id).sort())
  for (const {durationMs, message} of look.results) {
    expect(durationMs).toBeGreaterThanOrEqual(0)
    expect(message).toMatch(/\S/)
  }
})

describe('a host that is unhealthy', () => {
  it.each(SICK)('$check: $name', async ({check, error, fix, given = {}, says, sicken = () => {}}) => {
    const look = await checksOn({given, sicken})
    const seen = look.check(check)
    const problem = look.problems.find(({id}) => id === error)

    expect(seen.result).toBe(error === undefined ? 'warn' : 'fail')
    expect(problem?.id).toBe(error)
    expect([seen.message, problem?.message, problem?.reason].filter(Boolean).join(' ')).toMatch(says)
    expect(seen.fix).toMatch(fix)
    expect(problem?.exitCode ?? 3).toBe(error === 'RESTART_REQUIRED' ? 10 : 3)
    expect(JSON.stringify(look.results)).not.toContain('secret')
  })
})

describe('what looks like trouble and is none', () => {
  const WELL: readonly {
    readonly check: CheckId
    readonly given?: GivenOptions
    readonly name: string
    readonly says: RegExp
    readonly sicken: (world: World) => void
  }[] = [
    {
      check: 'windows-version',
      given: {release: '1.23.17'},
      name: 'Windows Server 2022 with 1.23',
      says: /build 20348\.681/,
      sicken: (world) => Object.assign(world.os, {build: 20_348, ubr: 681}),
    },
    {
      check: 'virtual-machine',
      name: 'a virtual machine in Azure',
      says: /no hypervisor/,
      sicken(world) {
        hardware(world, 'Microsoft Corporation', 'Virtual Machine')
        registry(world, String.raw`HKLM\SOFTWARE\Microsoft\Windows Azure`, {})
      },
    },
    {
      check: 'host-networks',
      name: 'a wide route over the gateway',
      says: /uses no addresses/,
      sicken: (world) =>
        world.routes.push({destination: '10.0.0.0/8', interfaceIndex: 4, metric: 1, nextHop: '10.0.0.1'}),
    },
    {
      check: 'other-networks',
      name: 'a bridge on another adapter',
      says: /none on the adapter/,
      sicken: (world) => hnsNetwork(world, 'cbr0', 'L2Bridge', 'Ethernet7'),
    },
    {
      check: 'other-networks',
      given: {'flannel-version': '0.11.0'},
      name: 'External, which flannel 0.11 starts from',
      says: /none on the adapter/,
      sicken: (world) => hnsNetwork(world, 'External', 'overlay', 'Ethernet0'),
    },
    {
      check: 'firewall-policy',
      name: 'a policy that opens the ports itself',
      says: /allows the ports itself/,
      sicken(world) {
        registry(world, `${POLICY}\\PublicProfile`, {AllowLocalPolicyMerge: dword(0)})
        registry(world, `${POLICY}\\FirewallRules`, {
          a: text('v2.29|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=a|'),
          b: text('v2.29|Action=Allow|Active=TRUE|Dir=In|Protocol=17|LPort=4789|Name=b|'),
        })
      },
    },
    {
      check: 'firewall-policy',
      name: 'a policy for a firewall that is off',
      says: /local firewall rules apply/,
      sicken: (world) =>
        registry(world, `${POLICY}\\DomainProfile`, {AllowLocalPolicyMerge: dword(0), EnableFirewall: dword(0)}),
    },
    {
      check: 'antivirus',
      name: 'a Defender that leaves our folders out',
      says: /excludes the folders/,
      sicken(world) {
        service(world, 'windefend', 'running', 'automatic')
        registry(world, String.raw`HKLM\SOFTWARE\Microsoft\Windows Defender\Exclusions\Paths`, {'c:\\K\\': dword(0)})
        registry(world, String.raw`HKLM\SOFTWARE\Policies\Microsoft\Windows Defender\Exclusions\Paths`, {
          'C:\\ProgramData': text('0'),
        })
      },
    },
    {
      check: 'docker-logs',
      name: 'review W4: logs of containers that daemon.json rotates',
      says: /rotated at 10m/,
      sicken: () => {},
    },
    {
      check: 'docker-logs',
      name: 'review W4: logs of containers that the command line of dockerd rotates',
      says: /are rotated/,
      sicken(world) {
        const entry = world.services['docker']
        const options = String.raw`--config-file=C:\none.json --log-opt max-size=5m`
        const imagePath = String.raw`"C:\Program Files\docker\dockerd.exe" --run-service ${options}`
        if (entry) entry.config = {...entry.config, imagePath}
      },
    },
    {
      check: 'docker-logs',
      name: 'review W4: containers that log to Windows',
      says: /log with etwlogs/,
      sicken: (world) => (world.docker.loggingDriver = 'etwlogs'),
    },
    {
      check: 'docker-proxy',
      name: "Docker's own proxy, without its password",
      says: /^pulls through http:\/\/proxy\.example:3128\/$/,
      sicken: (world) => (world.docker.httpsProxy = 'http://user:secret@proxy.example:3128'),
    },
    {
      check: 'docker-proxy',
      name: "review S2-3: Docker's own proxy without a scheme, without its password",
      says: /^pulls through http:\/\/proxy\.example:3128\/$/,
      sicken: (world) => (world.docker.httpsProxy = 'user:p@secret@proxy.example:3128'),
    },
    {
      check: 'metrics-file',
      given: {'metrics-file': String.raw`C:\Windows\k8s-win.prom`},
      name: 'a file for metrics in a folder of administrators',
      says: /restricted/,
      // As on a real Windows.
      sicken: ({security}) =>
        (security[String.raw`c:\windows`] = 'O:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'),
    },
  ]

  it.each(WELL)('$check: $name', async ({check, given = {}, says, sicken}) => {
    const seen = (await checksOn({given, sicken})).check(check)
    expect(seen.result).toBe('pass')
    expect(seen.message).toMatch(says)
  })

  it('a node that is set up is not refused for a narrow disk or what people know by now', async () => {
    const rig = await Rig.open()
    expect((await rig.runAll()).error).toBeUndefined()
    const look = await checksOn({
      dir: rig.dir,
      sicken(world) {
        drive(world, 'C:', {freeBytes: 6 * GIB, totalBytes: 50 * GIB})
        hardware(world, 'VMware, Inc.', 'VMware7,1')
      },
    })
    expect(look.problems).toEqual([])
    expect(notPassed(look)).toEqual({disk: 'warn', 'docker-disk': 'warn'})
  })
})
