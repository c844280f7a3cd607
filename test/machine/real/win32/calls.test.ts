import {describe, expect, it} from 'vitest'
import {openHns} from '../../../../src/machine/real/win32/hns.js'
import {openNetwork} from '../../../../src/machine/real/win32/network.js'
import {openRegistry} from '../../../../src/machine/real/win32/registry.js'
import {openSecurity} from '../../../../src/machine/real/win32/security.js'
import {openSession} from '../../../../src/machine/real/win32/session.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, pointerTo} from './fake-native.js'
import type {Played} from './fake-native.js'

const ok = {result: 0}

describe('the registry', () => {
  const open = (played: Record<string, Played>) => openRegistry(fakeNative(played).native)

  it('tells a value, whatever its size', async () => {
    const stored = wideString('ü'.repeat(3000))
    const registry = open({
      RegGetValueW(key, path, name, flags, type: number[], data: Buffer, size: number[]) {
        expect([key, path, name, flags]).toEqual([-2_147_483_646, 'SOFTWARE\\x', 'v', 0x1000_ffff])
        const given = size[0]!
        size[0] = stored.length
        if (given < stored.length) return {result: 234}
        stored.copy(data)
        type[0] = 1
        return ok
      },
    })
    expect(await registry.registryValue('HKLM', 'SOFTWARE\\x', 'v')).toEqual({data: 'ü'.repeat(3000), type: 'REG_SZ'})
  })

  it('tells nothing where there is nothing, and refusals by their code', async () => {
    expect(await open({RegGetValueW: () => ({result: 2})}).registryValue('HKLM', 'k', 'v')).toBeUndefined()
    expect(await open({RegOpenKeyExW: () => ({result: 2})}).registryValues('HKLM', 'k')).toEqual({})
    const refused = open({RegGetValueW: () => ({result: 5})}).registryValue('HKLM', 'k', 'v')
    await expect(refused).rejects.toMatchObject({call: 'RegGetValueW', code: 5, subject: 'HKLM\\k\\v'})
    const binary: Played = (...args) => ((args[4][0] = 3), ok)
    await expect(open({RegGetValueW: binary}).registryValue('HKLM', 'k', 'v')).rejects.toMatchObject({code: 1630})
    const missing = open({RegDeleteKeyValueW: () => ({result: 2})}).deleteRegistryValue('HKLM', 'k', 'v')
    await expect(missing).rejects.toMatchObject({call: 'RegDeleteKeyValueW', code: 2})
  })

  it('lists a key’s values and closes it', async () => {
    const values: [string, number, Buffer][] = [
      ['', 1, wideString('default')],
      ['Größe', 4, Buffer.from([7, 0, 0, 0])],
      ['blob', 3, Buffer.from([1])],
      ['long', 1, wideString('x'.repeat(5000))],
    ]
    const {calls, native} = fakeNative({
      RegCloseKey: () => ok,
      RegEnumValueW(
        _,
        index: number,
        name: Buffer,
        nameLength: number[],
        __,
        type: number[],
        data: Buffer,
        size: number[],
      ) {
        const value = values[index]
        if (!value) return {result: 259}
        if (size[0]! < value[2].length) return {result: 234}
        nameLength[0] = name.write(value[0], 'utf16le') / 2
        type[0] = value[1]
        size[0] = value[2].copy(data)
        return ok
      },
      RegOpenKeyExW: (...args) => ((args[4][0] = 5), ok),
    })
    expect(await openRegistry(native).registryValues('HKLM', 'k')).toEqual({
      '': {data: 'default', type: 'REG_SZ'},
      Größe: {data: 7, type: 'REG_DWORD'},
      long: {data: 'x'.repeat(5000), type: 'REG_SZ'},
    })
    expect(calls.at(-1)).toBe('RegCloseKey')
  })

  it('stores', async () => {
    let stored: unknown[] = []
    const registry = open({RegSetKeyValueW: (...args) => ((stored = args.slice(1)), ok)})
    await registry.setRegistryValue('HKLM', 'k', 'Path', {data: '%SystemRoot%;C:\\k', type: 'REG_EXPAND_SZ'})
    const bytes = wideString('%SystemRoot%;C:\\k')
    expect(stored).toEqual(['k', 'Path', 2, bytes, bytes.length])
  })
})

describe('the network', () => {
  const name = wideString('vEthernet (Ethernet0)')
  const ipv4 = (...bytes: number[]) => Buffer.from([2, 0, 0, 0, ...bytes, ...Array<number>(20).fill(0)])
  const kept: Buffer[] = [name]

  /** A list entry of IP_ADAPTER_*_ADDRESS with the next one behind it. */
  function listed(sockaddrs: readonly Buffer[], prefixLength = 0): bigint {
    let next = 0n
    for (const sockaddr of sockaddrs.toReversed()) {
      const entry = Buffer.alloc(64)
      entry.writeBigUInt64LE(next, 8)
      entry.writeBigUInt64LE(pointerTo(sockaddr), 16)
      entry.writeUInt8(prefixLength, 56)
      kept.push(entry, sockaddr)
      next = pointerTo(entry)
    }
    return next
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
    kept.push(second)
    data.writeUInt32LE(4, 4)
    data.writeBigUInt64LE(pointerTo(second), 8)
    data.writeBigUInt64LE(listed([ipv6, ipv4(10, 0, 0, 5), ipv4(169, 254, 1, 1)], 24), 24)
    data.writeBigUInt64LE(listed([ipv4(10, 0, 0, 2), ipv6]), 48)
    data.writeBigUInt64LE(pointerTo(name), 72)
    data.writeUInt32LE(0x84, 92)
    data.writeUInt32LE(1, 104)
    if (flags !== 0) data.writeBigUInt64LE(listed([ipv4(10, 0, 0, 1)]), 208)
    return ok
  }

  const table = Buffer.alloc(8 + 2 * 104)
  table.writeUInt32LE(2, 0)
  for (const [index, [destination, prefix, hop]] of (
    [
      [ipv4(0, 0, 0, 0), 0, ipv4(10, 0, 0, 1)],
      [ipv4(10, 0, 0, 0), 24, ipv4(0, 0, 0, 0)],
    ] as const
  ).entries()) {
    const at = 8 + index * 104
    table.writeUInt32LE(4, at + 8)
    destination.copy(table, at + 12)
    table.writeUInt8(prefix, at + 40)
    hop.copy(table, at + 44)
    table.writeUInt32LE(25 + index, at + 84)
  }
  const routes: Record<string, Played> = {
    FreeMibTable: (freed) => ({result: freed === pointerTo(table) ? undefined : expect.unreachable()}),
    GetIpForwardTable2: (...args) => ((args[1][0] = pointerTo(table)), ok),
  }
  const first = {
    addresses: [
      {address: '10.0.0.5', prefixLength: 24},
      {address: '169.254.1.1', prefixLength: 24},
    ],
    dhcp: true,
    dnsServers: ['10.0.0.2'],
    gateways: ['10.0.0.1'],
    index: 4,
    name: 'vEthernet (Ethernet0)',
    up: true,
  }

  it('tells adapters with addresses, gateways and DNS servers', async () => {
    const network = openNetwork(fakeNative({GetAdaptersAddresses: adapters}).native)
    const second = {addresses: [], dhcp: false, dnsServers: [], gateways: [], index: 9, name: first.name, up: false}
    expect(await network.adapters()).toEqual([first, second])
  })

  it('finds gateways among the routes where the flag is not known', async () => {
    const unknown: Played = (...args) => (args[1] === 0 ? adapters(...args) : {result: 13})
    const network = openNetwork(fakeNative({...routes, GetAdaptersAddresses: unknown}).native)
    expect((await network.adapters())[0]).toEqual(first)
  })

  it('tells routes and frees the table', async () => {
    const {calls, native} = fakeNative(routes)
    expect(await openNetwork(native).routes()).toEqual([
      {destination: '0.0.0.0/0', interfaceIndex: 4, metric: 25, nextHop: '10.0.0.1'},
      {destination: '10.0.0.0/24', interfaceIndex: 4, metric: 26, nextHop: '0.0.0.0'},
    ])
    expect(calls).toEqual(['GetIpForwardTable2', 'FreeMibTable'])
  })

  it('tells refusals', async () => {
    const network = openNetwork(
      fakeNative({GetAdaptersAddresses: () => ({result: 5}), GetIpForwardTable2: () => ({result: 50})}).native,
    )
    await expect(network.adapters()).rejects.toMatchObject({call: 'GetAdaptersAddresses', code: 5})
    await expect(network.routes()).rejects.toMatchObject({call: 'GetIpForwardTable2', code: 50})
  })
})

describe('security', () => {
  const sddl = wideString('O:BAD:P(A;;FA;;;BA)')

  it('is told as SDDL, and all memory freed', async () => {
    const freed: unknown[] = []
    const {native} = fakeNative({
      ConvertSecurityDescriptorToStringSecurityDescriptorW: (...args) => ((args[3][0] = pointerTo(sddl)), {result: 1}),
      GetNamedSecurityInfoW: (...args) => ((args[7][0] = 7n), ok),
      LocalFree: (memory) => (freed.push(memory), {result: null}),
    })
    expect(await openSecurity(native).securityOf('C:\\k')).toBe('O:BAD:P(A;;FA;;;BA)')
    expect(freed).toEqual([pointerTo(sddl), 7n])
  })

  it('is set with its owner, its list and its protection', async () => {
    let given: unknown[] = []
    const {calls, native} = fakeNative({
      ConvertStringSecurityDescriptorToSecurityDescriptorW: (...args) => ((args[2][0] = 7n), {result: 1}),
      GetSecurityDescriptorControl: (...args) => ((args[1][0] = 0x9004), {result: 1}),
      GetSecurityDescriptorDacl: (...args) => ((args[1][0] = 1), (args[2][0] = 8n), {result: 1}),
      GetSecurityDescriptorOwner: (...args) => ((args[1][0] = 9n), {result: 1}),
      LocalFree: () => ({result: null}),
      SetNamedSecurityInfoW: (...args) => ((given = args), ok),
    })
    await openSecurity(native).setSecurity('C:\\k', 'O:BAD:P(A;;FA;;;BA)')
    expect(given).toEqual(['C:\\k', 1, 0x8000_0005, 9n, null, 8n, null])
    expect(calls.at(-1)).toBe('LocalFree')
    await openSecurity(native).setSecurity(`C:\\${'k'.repeat(300)}`, 'x')
    expect(given[0]).toBe(`\\\\?\\C:\\${'k'.repeat(300)}`)
  })

  it('that is wrong is refused with its code', async () => {
    const wrong = fakeNative({
      ConvertStringSecurityDescriptorToSecurityDescriptorW: () => ({lastError: 1336, result: 0}),
    })
    await expect(openSecurity(wrong.native).setSecurity('C:\\k', 'nonsense')).rejects.toMatchObject({code: 1336})
    const missing = fakeNative({GetNamedSecurityInfoW: () => ({result: 2})})
    await expect(openSecurity(missing.native).securityOf('C:\\none')).rejects.toMatchObject({
      code: 2,
      subject: 'C:\\none',
    })
  })
})

describe('the session', () => {
  const open = (played: Record<string, Played>) =>
    openSession(fakeNative({CloseHandle: () => ({result: 1}), ...played}).native)

  it('tells administrator, name and code page', async () => {
    const session = open({
      GetComputerNameExW: (kind, data: Buffer, size: number[]) => {
        size[0] = data.write('WIN-1', 'utf16le') / 2
        return {result: kind === 5 ? 1 : 0}
      },
      GetOEMCP: () => ({result: 850}),
      IsUserAnAdmin: () => ({result: 0}),
    })
    expect([await session.isAdministrator(), await session.computerName(), await session.oemCodePage()]).toEqual([
      false,
      'WIN-1',
      850,
    ])
  })

  it('takes the lock once, and gives it back once', async () => {
    const {calls, native} = fakeNative({CloseHandle: () => ({result: 1}), CreateMutexW: () => ({result: 5n})})
    const release = await openSession(native).takeMutex('Global\\k8s-win')
    await release?.()
    await release?.()
    expect(calls).toEqual(['CreateMutexW', 'CloseHandle'])
  })

  it('leaves the lock to who has it', async () => {
    const {calls, native} = fakeNative({
      CloseHandle: () => ({result: 1}),
      CreateMutexW: () => ({lastError: 183, result: 5n}),
    })
    expect(await openSession(native).takeMutex('m')).toBeUndefined()
    expect(calls).toEqual(['CreateMutexW', 'CloseHandle'])
    expect(await open({CreateMutexW: () => ({lastError: 5, result: null})}).takeMutex('m')).toBeUndefined()
    await expect(open({CreateMutexW: () => ({lastError: 6, result: null})}).takeMutex('m')).rejects.toMatchObject({
      code: 6,
    })
  })

  it('spreads the word of a changed environment', async () => {
    let sent: unknown[] = []
    await open({SendMessageTimeoutW: (...args) => ((sent = args), {result: 1})}).broadcastEnvironmentChange()
    expect(sent.slice(0, 6)).toEqual([0xff_ff, 0x1a, 0, 'Environment', 2, 5000])
    await open({SendMessageTimeoutW: () => ({lastError: 1460, result: 0})}).broadcastEnvironmentChange()
    const refused = open({SendMessageTimeoutW: () => ({lastError: 5, result: 0})}).broadcastEnvironmentChange()
    await expect(refused).rejects.toMatchObject({code: 5})
  })
})

describe('HNS', () => {
  it('answers JSON, and its memory is freed', async () => {
    const answer = wideString('{"Success":true}')
    const {calls, native} = fakeNative({
      CoTaskMemFree: (memory) => ({result: memory === pointerTo(answer) ? undefined : expect.unreachable()}),
      HNSCall(method, path, request, response: bigint[]) {
        expect([method, path, request]).toEqual(['GET', '/networks', ''])
        response[0] = pointerTo(answer)
        return ok
      },
    })
    expect(await openHns(native).hnsCall('GET', '/networks', '')).toEqual({hresult: 0, response: '{"Success":true}'})
    expect(calls).toEqual(['HNSCall', 'CoTaskMemFree'])
  })

  it('may answer nothing but a failure', async () => {
    const {calls, native} = fakeNative({HNSCall: () => ({result: -2_147_023_728})})
    expect(await openHns(native).hnsCall('GET', '/x', '')).toEqual({hresult: -2_147_023_728, response: ''})
    expect(calls).toEqual(['HNSCall'])
  })
})
