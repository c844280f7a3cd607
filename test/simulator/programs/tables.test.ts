// What Windows' own programs tell people of a simulated host: its processes, ports, adapters and neighbours.
import {beforeEach, describe, expect, it} from 'vitest'

import type {RunResult} from '../../../src/machine/run.js'
import {runProgram} from '../../../src/simulator/programs/index.js'
import type {TestNode} from '../node.js'
import {makeNode, withNetwork} from '../node.js'

let node: TestNode
beforeEach(async () => void (node = await makeNode()))

const run = (name: string, ...args: string[]): Promise<RunResult> =>
  runProgram(node.stage, String.raw`C:\Windows\System32` + `\\${name}.exe`, args, {deadlineMs: 1000, effect: 'read'})
async function linesOf(name: string, ...args: string[]): Promise<string[]> {
  const {exitCode, stdout} = await run(name, ...args)
  expect(exitCode).toBe(0)
  expect(stdout.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  return stdout.split('\r\n').map((line) => line.trimEnd())
}
const pidOf = (name: string): number => node.stage.world.services[name]?.processId ?? 0

describe('tasklist /svc', () => {
  it('has the processes of services and of what a wrapper runs, by number', async () => {
    await withNetwork(node)
    const lines = await linesOf('tasklist', '/svc')
    expect(lines.slice(0, 6)).toEqual([
      '',
      'Image Name                     PID Services',
      `${'='.repeat(25)} ${'='.repeat(8)} ${'='.repeat(44)}`,
      'System Idle Process              0 N/A',
      'System                           4 N/A',
      'svchost.exe                   1000 BFE',
    ])
    const rows = lines.slice(3, -1).map((line) => /^(.{25}) +(\d+) (.+)$/.exec(line)?.slice(1, 4) ?? [line])
    const child = node.stage.world.services['flanneld']?.process?.childProcessId ?? 0
    const wanted = [
      ['dockerd.exe', pidOf('docker'), 'docker'],
      ['kubelet.exe', pidOf('kubelet'), 'kubelet'],
      ['shawl.exe', pidOf('flanneld'), 'flanneld'],
      ['flanneld.exe', child, 'N/A'],
    ].map(([image, ...rest]) => [String(image).padEnd(25), ...rest.map(String)])
    expect(rows).toEqual(expect.arrayContaining(wanted))
    const numbers = rows.map(([, number]) => Number(number))
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
    expect(lines.join('\n')).not.toContain('kube-proxy.exe')
  })
})

describe('netstat -ano', () => {
  it('has who listens, and nobody who has stopped', async () => {
    node.stage.world.os.listening = ['udp/123', 'tcp/445', 'tcp/135']
    await withNetwork(node)
    const kubelet = pidOf('kubelet')
    expect(await linesOf('netstat', '-ano')).toEqual([
      '',
      'Active Connections',
      '',
      '  Proto  Local Address          Foreign Address        State           PID',
      '  TCP    0.0.0.0:135            0.0.0.0:0              LISTENING       4',
      '  TCP    0.0.0.0:445            0.0.0.0:0              LISTENING       4',
      `  TCP    0.0.0.0:10248          0.0.0.0:0              LISTENING       ${kubelet}`,
      `  TCP    0.0.0.0:10250          0.0.0.0:0              LISTENING       ${kubelet}`,
      '  UDP    0.0.0.0:123            *:*                                    4',
      '',
    ])
    await node.win32.stopService('flanneld')
    await node.stage.elapse(20_000)
    await node.win32.stopService('kubelet')
    await node.stage.elapse(20_000)
    expect((await linesOf('netstat', '-a', '-n', '-o')).join('\n')).not.toContain(':10250')
  })
})

describe('ipconfig /allcompartments /all', () => {
  it('has the adapters as they are now', async () => {
    const [first] = node.stage.world.adapters
    node.stage.world.adapters[0] = {...first!, dnsServers: ['10.0.0.2', '10.0.0.3']}
    node.stage.world.adapters.push({...first!, index: 30, name: 'Ethernet1', up: false})
    const text = (await linesOf('ipconfig', '/AllCompartments', '/all')).join('\n')
    expect(text).toContain('\nNetwork Information for Compartment 1 (ACTIVE)\n')
    expect(text).toContain('\n   Host Name . . . . . . . . . . . . : WIN-1\n')
    expect(text).toContain(`
   DHCP Enabled. . . . . . . . . . . : No
   IPv4 Address. . . . . . . . . . . : 10.0.0.5(Preferred)
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Default Gateway . . . . . . . . . : 10.0.0.1
   DNS Servers . . . . . . . . . . . : 10.0.0.2
                                       10.0.0.3

Ethernet adapter vEthernet (nat):
`)
    expect(text).toContain('   Subnet Mask . . . . . . . . . . . : 255.255.240.0\n')
    const down = text.slice(text.indexOf('Ethernet adapter Ethernet1:'))
    expect(down).toContain('   Media State . . . . . . . . . . . : Media disconnected\n')
    expect(down).not.toContain('10.0.0.5')
  })
})

describe('netsh interface ipv4 show', () => {
  it('neighbors: the gateway of what is up, broadcasts and multicasts', async () => {
    const lines = await linesOf('netsh', 'interface', 'ipv4', 'show', 'neighbors')
    const at = lines.indexOf('Interface 4: Ethernet0')
    expect(lines.slice(at, at + 9)).toEqual([
      'Interface 4: Ethernet0',
      '',
      '',
      'Internet Address                              Physical Address   Type',
      '--------------------------------------------  -----------------  -----------',
      expect.stringMatching(/^10\.0\.0\.1 {38}00-15-5d(?:-[0-9a-f]{2}){3} {2}Reachable$/),
      '10.0.0.255                                    ff-ff-ff-ff-ff-ff  Permanent',
      '224.0.0.22                                    01-00-5e-00-00-16  Permanent',
      '',
    ])
    expect(lines).toContain('172.26.15.255                                 ff-ff-ff-ff-ff-ff  Permanent')
    node.stage.world.adapters = node.stage.world.adapters.map((adapter) => ({...adapter, up: false}))
    expect((await linesOf('netsh', 'interface', 'ipv4', 'show', 'neighbors')).join('\n')).not.toContain('Reachable')
  })

  it('subinterfaces: the MTU of each, and whether it is connected', async () => {
    node.stage.world.adapters = node.stage.world.adapters.map((adapter) => ({...adapter, up: adapter.index === 4}))
    expect(await linesOf('netsh', 'interface', 'ipv4', 'show', 'subinterfaces')).toEqual([
      '',
      '   MTU  MediaSenseState   Bytes In  Bytes Out  Interface',
      '------  ---------------  ---------  ---------  -------------',
      '4294967295                1          0          0  Loopback Pseudo-Interface 1',
      '  1500                1          0          0  Ethernet0',
      '  1500                5          0          0  vEthernet (nat)',
      '',
    ])
  })
})

it.each([
  ['tasklist', '/v'],
  ['tasklist'],
  ['netstat', '-x'],
  ['netstat', '-an'],
  ['ipconfig', '/release'],
  ['ipconfig', '/all'],
])('what k8s-win does not ask is refused: %s %s', async (name, ...args) => {
  expect((await run(name, ...args)).exitCode).toBe(1)
})
