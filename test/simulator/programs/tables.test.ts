// The tables that netsh prints of a simulated host: neighbours and interfaces; and what it sets.
import {beforeEach, describe, expect, it} from 'vitest'

import type {RunResult} from '../../../src/machine/run.js'
import {runProgram} from '../../../src/simulator/programs/index.js'
import type {TestNode} from '../node.js'
import {makeNode} from '../node.js'

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

it('netsh interface ipv4 add address ends DHCP', async () => {
  const {world} = node.stage
  world.adapters = world.adapters.map((adapter) => ({...adapter, dhcp: true}))
  await linesOf(
    'netsh',
    'interface',
    'ipv4',
    'add',
    'address',
    'name=Ethernet0',
    'address=10.0.0.9',
    'mask=255.255.0.0',
  )
  const [adapter] = node.stage.world.adapters.filter(({name}) => name === 'Ethernet0')
  expect(adapter).toMatchObject({addresses: [{address: '10.0.0.9', prefixLength: 16}], dhcp: false})
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
