import {describe, expect, it} from 'vitest'
import {openNetwork} from '../../../../src/machine/real/win32/network.js'
import {openPortOwners} from '../../../../src/machine/real/win32/port-owners.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, filling, pointerTo} from './fake-native.js'
import type {Played} from './fake-native.js'

const ok = {result: 0}

describe('the network', () => {
  const name = wideString('vEthernet (Ethernet0)')
  const ipv4 = (...bytes: number[]) => Buffer.from([2, 0, 0, 0, ...bytes, ...Array<number>(20).fill(0)])
  const kept: Buffer[] = [name]

  const duplicate = ipv4(10, 0, 0, 6)
  /** A list entry of IP_ADAPTER_*_ADDRESS with the next one behind it. */
  function listed(sockaddrs: readonly Buffer[], prefixLength = 0): bigint {
    let next = 0n
    for (const sockaddr of sockaddrs.toReversed()) {
      const entry = Buffer.alloc(64)
      entry.writeBigUInt64LE(next, 8)
      entry.writeBigUInt64LE(pointerTo(sockaddr), 16)
      if (sockaddr === duplicate) entry.writeInt32LE(2, 40)
      entry.writeUInt8(prefixLength, 56)
      kept.push(entry, sockaddr)
      next = pointerTo(entry)
    }
    return next
  }

  const GUID = '{0F3B0E5C-8B5B-4E43-9E1C-2F6C1D9A7B10}'
  const guid = Buffer.from(`${GUID}\0`)
  kept.push(guid)
  const parameters = String.raw`SYSTEM\CurrentControlSet\Services\Tcpip\Parameters`
  const registry = {
    async registryValue(_: string, key: string, value: string) {
      const isSet = key === `${parameters}\\Interfaces\\${GUID}` && value === 'NameServer'
      return isSet ? ({data: '10.0.0.2', type: 'REG_SZ'} as const) : undefined
    },
    async registryValues(_: string, key: string) {
      const empty = {data: '', type: 'REG_SZ'} as const
      return key === `${parameters}\\PersistentRoutes` ? {'169.254.169.254,255.255.255.255,0.0.0.0,1': empty} : {}
    },
  }

  const ipv6 = Buffer.from([23, 0, 0, 0, 0, 0, 0, 0])

  const adapters: Played = (family, flags, _, data: Buffer, size: number[]) => {
    expect(family).toBe(0)
    if (size[0]! < 40_000) {
      size[0] = 40_000
      return {result: 111}
    }
    const second = Buffer.alloc(448)
    second.writeUInt32LE(9, 108)
    second.writeBigUInt64LE(pointerTo(name), 72)
    second.writeUInt32LE(2, 104)
    second.writeBigUInt64LE(listed([duplicate], 24), 24)
    kept.push(second)
    data.writeUInt32LE(4, 4)
    data.writeBigUInt64LE(pointerTo(second), 8)
    data.writeBigUInt64LE(pointerTo(guid), 16)
    data.writeBigUInt64LE(listed([ipv6, ipv4(10, 0, 0, 5), duplicate, ipv4(169, 254, 1, 1)], 24), 24)
    data.writeBigUInt64LE(listed([ipv4(10, 0, 0, 2), ipv6]), 48)
    data.writeBigUInt64LE(pointerTo(name), 72)
    data.writeUInt32LE(0x84, 92)
    data.writeUInt32LE(1, 104)
    if (flags !== 0) data.writeBigUInt64LE(listed([ipv4(10, 0, 0, 1)]), 208)
    return ok
  }

  const INFINITE = 0xff_ff_ff_ff
  const table = Buffer.alloc(8 + 5 * 104)
  table.writeUInt32LE(5, 0)
  for (const [index, [destination, prefix, hop, protocol, origin, lifetime]] of (
    [
      [ipv4(0, 0, 0, 0), 0, ipv4(10, 0, 0, 1), 3, 2, INFINITE],
      [ipv4(10, 0, 0, 0), 24, ipv4(0, 0, 0, 0), 2, 0, INFINITE],
      [ipv4(169, 254, 169, 254), 32, ipv4(0, 0, 0, 0), 3, 0, INFINITE],
      [ipv4(10, 8, 0, 0), 16, ipv4(10, 0, 0, 9), 14, 0, INFINITE],
      // Of a lease, whatever its origin says.
      [ipv4(10, 9, 0, 0), 16, ipv4(10, 0, 0, 9), 3, 0, 3600],
    ] as const
  ).entries()) {
    const at = 8 + index * 104
    table.writeUInt32LE(4, at + 8)
    destination.copy(table, at + 12)
    table.writeUInt8(prefix, at + 40)
    hop.copy(table, at + 44)
    table.writeUInt32LE(lifetime, at + 76)
    table.writeUInt32LE(25 + index, at + 84)
    table.writeInt32LE(protocol, at + 88)
    table.writeInt32LE(origin, at + 100)
  }
  const routes: Record<string, Played> = {
    FreeMibTable: (freed) => ({result: freed === pointerTo(table) ? undefined : expect.unreachable()}),
    GetIpForwardTable2: filling(0, {1: pointerTo(table)}),
  }
  const first = {
    addresses: [
      {address: '10.0.0.5', prefixLength: 24},
      {address: '169.254.1.1', prefixLength: 24},
    ],
    dhcp: true,
    dnsByHand: true,
    dnsServers: ['10.0.0.2'],
    gateways: ['10.0.0.1'],
    index: 4,
    name: 'vEthernet (Ethernet0)',
    up: true,
  }

  it('reports adapters with addresses, gateways and DNS servers', async () => {
    const network = openNetwork(fakeNative({GetAdaptersAddresses: adapters}).native, registry)
    const second = {
      ...first,
      addresses: [{address: '10.0.0.6', prefixLength: 24}],
      dhcp: false,
      dnsByHand: false,
      dnsServers: [],
      gateways: [],
      index: 9,
      up: false,
    }
    expect(await network.adapters()).toEqual([first, second])
  })

  it('finds gateways among the routes where the flag is not known', async () => {
    const unknown: Played = (family: never, flags: number, ...rest: never[]) =>
      flags === 0 ? adapters(family, flags as never, ...rest) : {result: 13}
    const network = openNetwork(fakeNative({...routes, GetAdaptersAddresses: unknown}).native, registry)
    expect((await network.adapters())[0]).toEqual(first)
  })

  it('creates an active route from what Windows fills in, and is content with one that exists', async () => {
    const rows: Buffer[] = []
    const {calls, native} = fakeNative({
      CreateIpForwardEntry2: (row: Buffer) => ({result: rows.push(Buffer.from(row)) === 1 ? 0 : 5010}),
      InitializeIpForwardEntry: (row: Buffer) => ({result: void row.fill(0xee)}),
    })
    const {createRoute} = openNetwork(native, registry)
    const route = {destination: '169.254.169.254/32', interfaceIndex: 12, metric: 7, nextHop: '10.0.0.1'}
    await createRoute(route)
    await createRoute(route)
    expect(calls).toEqual([1, 2].flatMap(() => ['InitializeIpForwardEntry', 'CreateIpForwardEntry2']))
    const [row] = rows
    expect(row).toHaveLength(104)
    expect(row?.subarray(0, 8)).toEqual(Buffer.alloc(8, 0xee))
    expect([row?.readUInt32LE(8), row?.readUInt8(40), row?.readUInt32LE(84), row?.readInt32LE(88)]).toEqual([
      12, 32, 7, 3,
    ])
    expect([row?.subarray(12, 20), row?.subarray(44, 52)]).toEqual([
      Buffer.from([2, 0, 0, 0, 169, 254, 169, 254]),
      Buffer.from([2, 0, 0, 0, 10, 0, 0, 1]),
    ])
  })

  it('reports routes and frees the table', async () => {
    const {calls, native} = fakeNative(routes)
    expect(await openNetwork(native, registry).routes()).toEqual([
      {destination: '0.0.0.0/0', interfaceIndex: 4, metric: 25, nextHop: '10.0.0.1', origin: 'dhcp'},
      {destination: '10.0.0.0/24', interfaceIndex: 4, metric: 26, nextHop: '0.0.0.0'},
      {
        destination: '169.254.169.254/32',
        interfaceIndex: 4,
        metric: 27,
        nextHop: '0.0.0.0',
        origin: 'manual',
        persistent: true,
      },
      {destination: '10.8.0.0/16', interfaceIndex: 4, metric: 28, nextHop: '10.0.0.9'},
      {destination: '10.9.0.0/16', interfaceIndex: 4, metric: 29, nextHop: '10.0.0.9', origin: 'dhcp'},
    ])
    expect(calls).toEqual(['GetIpForwardTable2', 'FreeMibTable'])
  })

  it('reports refusals', async () => {
    const network = openNetwork(
      fakeNative({GetAdaptersAddresses: () => ({result: 5}), GetIpForwardTable2: () => ({result: 50})}).native,
      registry,
    )
    await expect(network.adapters()).rejects.toMatchObject({call: 'GetAdaptersAddresses', code: 5})
    await expect(network.routes()).rejects.toMatchObject({call: 'GetIpForwardTable2', code: 50})
  })
})

describe('the owner of a port', () => {
  /** A table with rows of which only the port (in the order of the network) and the process count. */
  const playing =
    (rowBytes: number, portAt: number, processAt: number, rows: readonly (readonly [number, number])[]): Played =>
    (table: Buffer, size: number[]) => {
      const needed = 4 + rowBytes * rows.length
      if (size[0]! < needed) {
        size[0] = needed
        return {result: 122}
      }
      table.writeUInt32LE(rows.length)
      for (const [index, [port, id]] of rows.entries()) {
        table.writeUInt16BE(port, 4 + index * rowBytes + portAt)
        table.writeUInt32LE(id, 4 + index * rowBytes + processAt)
      }
      return ok
    }
  const v4 = {
    tcp: playing(24, 8, 20, [
      [135, 900],
      [10_250, 4321],
    ]),
    udp: playing(12, 4, 8, [[4789, 77]]),
  } as const
  const v6 = {tcp: playing(56, 20, 52, [[10_256, 5]]), udp: playing(28, 20, 24, [[5353, 6]])} as const
  const INET = 2
  const either =
    (protocol: 'tcp' | 'udp'): Played =>
    (...args: never[]) =>
      ((args[3] as unknown) === INET ? v4 : v6)[protocol](...args)
  const {portOwners} = openPortOwners(
    fakeNative({GetExtendedTcpTable: either('tcp'), GetExtendedUdpTable: either('udp')}).native,
  )

  it.each([
    ['tcp', 10_250, 4321],
    ['tcp', 10_256, 5],
    ['tcp', 10_248, undefined],
    ['udp', 4789, 77],
    ['udp', 5353, 6],
  ] as const)('review U2-27: %s %i is process %s', async (protocol, port, id) => {
    const rows = await portOwners(protocol, port)
    expect(rows.map(({processId}) => processId)).toEqual(id === undefined ? [] : [id])
  })

  it('review A3-1: names the local address, also of a socket for both families', async () => {
    const rows = [
      '00000000000000000000000000000000',
      '00000000000000000000ffff7f000001',
      'fe800000000000000000000000000001',
    ]
    const native = fakeNative({
      GetExtendedTcpTable(table: Buffer, size: number[], ...[, family]: never[]) {
        const all = (family as unknown) === INET ? [] : rows
        if (size[0]! < 4 + 56 * all.length) {
          size[0] = 4 + 56 * all.length
          return {result: 122}
        }
        table.writeUInt32LE(all.length)
        for (const [index, address] of all.entries()) {
          table.write(address, 4 + 56 * index, 'hex')
          table.writeUInt16BE(10_256, 4 + 56 * index + 20)
        }
        return ok
      },
    }).native
    const owners = await openPortOwners(native).portOwners('tcp', 10_256)
    expect(owners.map(({address}) => address)).toEqual(['::', '127.0.0.1', 'fe80::1'])
  })

  describe('review A3-1: the other end of a connection', () => {
    const ends = {local: {address: '127.0.0.1', port: 50_001}, remote: {address: '127.0.0.1', port: 10_256}}
    const LOOPBACK = '7f000001'
    /** Its own end, the other one, and the process. */
    type Connection = readonly [address: string, port: number, otherAddress: string, otherPort: number, process: number]
    const PEER: Connection = [LOOPBACK, 10_256, LOOPBACK, 50_001, 20]
    /** Those of IPv4 each time they are read; the last ones stay. */
    function play(...reads: (readonly Connection[])[]) {
      let pauses = 0
      let read = 0
      const {native} = fakeNative({
        GetExtendedTcpTable(table: Buffer, size: number[], ...[, family, kind]: never[]) {
          expect(kind).toBe(4)
          const rows = (family as unknown) === INET ? reads[Math.min(read, reads.length - 1)]! : []
          if (size[0]! < 4 + 24 * rows.length) {
            size[0] = 4 + 24 * rows.length
            return {result: 122}
          }
          if ((family as unknown) === INET) read++
          table.writeUInt32LE(rows.length)
          for (const [index, [address, port, otherAddress, otherPort, id]] of rows.entries()) {
            const at = 4 + 24 * index
            table.write(address, at + 4, 'hex')
            table.writeUInt16BE(port, at + 8)
            table.write(otherAddress, at + 12, 'hex')
            table.writeUInt16BE(otherPort, at + 16)
            table.writeUInt32LE(id, at + 20)
          }
          return ok
        },
      })
      const {peerProcess} = openPortOwners(native, async () => void pauses++)
      return {pauses: () => pauses, peerProcess}
    }

    it('is the row whose ends are the other way round', async () => {
      const others: Connection[] = [
        [LOOPBACK, 50_001, LOOPBACK, 10_256, 1],
        [LOOPBACK, 10_256, LOOPBACK, 50_002, 2],
        ['0a000005', 10_256, LOOPBACK, 50_001, 3],
        [LOOPBACK, 10_256, '0a000005', 50_001, 4],
      ]
      const {pauses, peerProcess} = play([...others, PEER])
      expect(await peerProcess(ends)).toBe(20)
      expect(pauses()).toBe(0)
      expect(await play(others).peerProcess(ends)).toBeUndefined()
    })

    it('is awaited where nobody has accepted it yet', async () => {
      const unaccepted: Connection = [LOOPBACK, 10_256, LOOPBACK, 50_001, 0]
      const {pauses, peerProcess} = play([], [unaccepted], [PEER])
      expect(await peerProcess(ends)).toBe(20)
      expect(pauses()).toBe(2)
      expect(await play([unaccepted]).peerProcess(ends)).toBeUndefined()
    })
  })

  it('reports a refusal', async () => {
    const {portOwners: refused} = openPortOwners(fakeNative({GetExtendedTcpTable: () => ({result: 5})}).native)
    await expect(refused('tcp', 1)).rejects.toMatchObject({call: 'GetExtendedTcpTable', code: 5})
  })
})
