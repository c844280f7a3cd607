// Adapters and routes, held against what Node and ipconfig say of the same host, and firewall rules.
import assert from 'node:assert/strict'
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {copyFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {networkInterfaces} from 'node:os'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {FIREWALL_RULES} from '../../../src/components/firewall-rules.js'
import {type FirewallRule, matches, openFirewall} from '../../../src/host/firewall.js'
import {openNetwork} from '../../../src/host/network.js'
import {takeSnapshot} from '../../../src/host/saved-network.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {ConnectionEnds} from '../../../src/machine/win32.js'
import {systemProgram} from '../../../src/machine/system-program.js'
import {CHANGES_ALLOWED, IS_WINE, PROGRAMS} from './windows-host.js'

const {http, net, run, win32} = openRealMachine()
const READ = {deadlineMs: 30_000, effect: 'read'} as const
const NETSH = await systemProgram(win32, 'netsh.exe')

test('review N9: programs and libraries are those of the registry’s SystemRoot, whatever the environment says', async () => {
  const misled = openRealMachine({environment: {...process.env, SystemRoot: 'C:\\elsewhere', windir: 'C:\\elsewhere'}})
  assert.equal(await misled.win32.computerName(), await win32.computerName())
  assert.match(NETSH, /^[a-z]:\\windows\\system32\\netsh\.exe$/iu)
  const hostname = await systemProgram(misled.win32, 'hostname.exe')
  assert.equal((await misled.run(hostname, [], READ)).exitCode, 0)
})

describe('review A3-1: the other end of a connection', () => {
  /** Of one connection over HTTP. */
  async function peerOf(port: number): Promise<number | undefined> {
    let seen: number | undefined
    const judgePeer = async (ends: ConnectionEnds): Promise<void> => {
      seen = await win32.peerProcess(ends)
    }
    const url = `http://127.0.0.1:${port}/`
    const {status} = await http.request({
      deadlineMs: 30_000,
      effect: 'read',
      isProbe: true,
      judgePeer,
      method: 'GET',
      url,
    })
    assert.equal(status, 200)
    return seen
  }

  const SERVER =
    "require('node:http').createServer((_, r) => r.end()).listen(0, '127.0.0.1', function () { console.log(this.address().port) })"

  test('is this process, where it listens itself', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const {port} = server.address() as AddressInfo
    assert.equal(await peerOf(port), process.pid)
    assert.equal(
      await net.canConnect('127.0.0.1', port, 5000, async (ends) =>
        assert.equal(await win32.peerProcess(ends), process.pid),
      ),
      true,
    )
    server.close()
  })

  test('is another process, which listens', async () => {
    const child = spawn(process.execPath, ['-e', SERVER], {stdio: ['ignore', 'pipe', 'inherit']})
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    assert.equal(await peerOf(Number(String(line))), child.pid)
    child.kill('SIGKILL')
  })

  test('is not shown where there is no such connection', async () => {
    const ends = {local: {address: '127.0.0.1', port: 1}, remote: {address: '127.0.0.1', port: 2}}
    assert.equal(await win32.peerProcess(ends), undefined)
  })
})

describe('adapters and routes', () => {
  test('are those that Node sees, with the same addresses', async () => {
    const adapters = await win32.adapters()
    const seen = Object.entries(networkInterfaces()).map(([name, addresses = []]) => {
      const own = addresses.filter(({family}) => family === 'IPv4').map(({cidr}) => cidr)
      return [name, own.sort()]
    })
    assert.ok(seen.length > 0)
    const ours = new Map(
      adapters.map(({addresses, name}) => [name, addresses.map((one) => `${one.address}/${one.prefixLength}`).sort()]),
    )
    for (const [name, addresses] of seen) assert.deepEqual(ours.get(name as string), addresses, name as string)
    assert.equal(new Set(adapters.map(({index}) => index)).size, adapters.length)
    assert.ok(adapters.every(({name, up}) => up || !seen.some(([known]) => known === name)))
  })

  test('the gateway is the one of the default route, and ipconfig has it too', async () => {
    const [adapters, routes] = [await win32.adapters(), await win32.routes()]
    const gateways = routes.filter(({destination}) => destination === '0.0.0.0/0').map(({nextHop}) => nextHop)
    assert.deepEqual(adapters.flatMap((adapter) => adapter.gateways).sort(), gateways.sort())
    const {stdout} = await run('C:\\Windows\\System32\\ipconfig.exe', ['/all'], READ)
    for (const {addresses, gateways} of adapters.filter(({up}) => up)) {
      for (const address of [...addresses.map((one) => one.address), ...gateways]) {
        // Loopback is not in ipconfig's list on Windows.
        if (address !== '127.0.0.1') assert.ok(stdout.includes(address), `${address} in ${stdout}`)
      }
    }
  })

  test('routes lead over adapters that are there', async () => {
    const indexes = new Set((await win32.adapters()).map(({index}) => index))
    for (const route of await win32.routes()) {
      assert.match(route.destination, /^\d+\.\d+\.\d+\.\d+\/\d+$/)
      assert.ok(indexes.has(route.interfaceIndex), JSON.stringify(route))
    }
  })

  test('a snapshot holds what leads out of the host', async () => {
    const snapshot = takeSnapshot(await openNetwork(run, win32).now())
    const leading = (await win32.adapters()).filter((adapter) => adapter.gateways.length > 0)
    for (const adapter of leading) {
      const saved = snapshot.find(({name}) => name === adapter.name)
      for (const {address, prefixLength} of adapter.addresses)
        assert.ok(saved?.addresses.includes(`${address}/${prefixLength}`))
      for (const gateway of adapter.gateways)
        assert.ok(saved?.routes.some(({destination, nextHop}) => destination === '0.0.0.0/0' && nextHop === gateway))
    }
  })
})

test("Wine's own netsh does nothing and answers 0", {skip: !IS_WINE && 'Windows has its own'}, async () => {
  const add = ['advfirewall', 'firewall', 'add', 'rule', 'name=k8s-win lab stub', 'dir=in', 'action=allow']
  assert.equal((await run(NETSH, add, {...READ, effect: 'change'})).exitCode, 0)
  assert.deepEqual(await openFirewall(run, win32).find('k8s-win lab stub'), [])
})

describe('firewall rules', {skip: !CHANGES_ALLOWED && 'changes rules: allowed with --yes-change-this-host'}, () => {
  const firewall = openFirewall(run, win32)
  const rule: FirewallRule = {
    description: 'Ü 中, and a port. Made by k8s-win.',
    name: 'k8s-win lab ü中 TCP 1',
    port: 1,
    protocol: 'TCP',
  }
  const netsh = (...args: string[]) => run(NETSH, ['advfirewall', 'firewall', ...args], {...READ, effect: 'change'})

  // The stand-in stores rules where Windows does.
  before(async () => {
    if (!IS_WINE) return
    await copyFile(path.join(PROGRAMS!, 'netsh.exe'), NETSH)
    const native = ['add', 'HKCU\\Software\\Wine\\DllOverrides', '/v', 'netsh.exe', '/d', 'native', '/f']
    await run('C:\\Windows\\System32\\reg.exe', native, {...READ, effect: 'change'})
  })
  after(() => firewall.remove(rule.name))

  test('are added once, found as stored, and removed', async () => {
    assert.deepEqual(await firewall.find(rule.name), [])
    await firewall.ensure(rule)
    await firewall.ensure(rule)
    const stored = await firewall.find(rule.name)
    assert.equal(stored.length, 1)
    assert.deepEqual(stored[0], {...rule, action: 'Allow', direction: 'In', enabled: true, reshaped: false})
    await firewall.remove(rule.name)
    await firewall.remove(rule.name)
    assert.deepEqual(await firewall.find(rule.name), [])
  })

  test('those of k8s-win match what it asks for', {skip: !IS_WINE && 'a node of ours may run here'}, async () => {
    for (const one of FIREWALL_RULES) {
      await firewall.ensure(one)
      const [stored, ...more] = await firewall.find(one.name)
      assert.deepEqual([matches(stored, one), more], [true, []])
      await firewall.remove(one.name)
    }
  })

  test('that differ, or are there twice, become the one that is wanted', async () => {
    const add = ['add', 'rule', `name=${rule.name}`, 'dir=in', 'action=block', 'protocol=UDP', 'localport=2']
    for (let times = 0; times < 2; times++) assert.equal((await netsh(...add)).exitCode, 0)
    const found = await firewall.find(rule.name)
    assert.deepEqual(
      found.map(({action, port, protocol}) => ({action, port, protocol})),
      [1, 2].map(() => ({action: 'Block', port: 2, protocol: 'UDP'})),
    )
    await firewall.ensure(rule)
    const stored = await firewall.find(rule.name)
    assert.deepEqual([stored.length, matches(stored[0], rule)], [1, true])
  })

  test('netsh refuses with 1 what it cannot do', async () => {
    for (const args of [
      ['delete', 'rule', 'name=k8s-win lab nobody'],
      ['add', 'rule', `name=${rule.name}`, 'dir=in', 'action=allow', 'protocol=TCP', 'localport=65536'],
      ['add', 'rule', `name=${rule.name}`, 'dir=in', 'action=allow', 'nonsense=1'],
    ]) {
      assert.equal((await netsh(...args)).exitCode, 1, args.join(' '))
    }
    await assert.rejects(firewall.ensure({...rule, port: 65_536}), {id: 'NETSH_FAILED'})
  })
})
