import koffi from 'koffi'
import {describe, expect, it} from 'vitest'
import {ipv4Of, networkStructs} from '../../../../src/machine/real/win32/network.js'
import {SECURITY_PARTS} from '../../../../src/machine/real/win32/descriptor.js'
import {securityParts} from '../../../../src/machine/real/win32/security.js'
import {
  decodeServiceStatus,
  encodeFailureActions,
  serviceStructs,
} from '../../../../src/machine/real/win32/services/service-structs.js'

const services = serviceStructs(koffi)
const network = networkStructs(koffi)

describe('structures have the layout of 64-bit Windows', () => {
  it.each([
    ['QUERY_SERVICE_CONFIGW', services.QUERY_SERVICE_CONFIGW, 64],
    ['SERVICE_DESCRIPTIONW', services.SERVICE_DESCRIPTIONW, 8],
    ['SERVICE_FAILURE_ACTIONSW', services.SERVICE_FAILURE_ACTIONSW, 40],
    ['SERVICE_FAILURE_ACTIONS_FLAG', services.BOOL_INFO, 4],
    ['ENUM_SERVICE_STATUSW', services.ENUM_SERVICE_STATUSW, 48],
    ['IP_ADAPTER_UNICAST_ADDRESS_LH', network.IP_ADAPTER_UNICAST_ADDRESS, 64],
    ['IP_ADAPTER_GATEWAY_ADDRESS_LH', network.LISTED_ADDRESS, 32],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 104],
    // The fields behind the gateway are not read; the whole structure has 448 bytes.
    ['IP_ADAPTER_ADDRESSES_LH up to FirstGatewayAddress', network.IP_ADAPTER_ADDRESSES, 216],
  ])('%s', (_, type, size) => {
    expect(koffi.sizeof(type)).toBe(size)
  })

  it.each([
    ['QUERY_SERVICE_CONFIGW', services.QUERY_SERVICE_CONFIGW, 'binaryPathName', 16],
    ['QUERY_SERVICE_CONFIGW', services.QUERY_SERVICE_CONFIGW, 'dependencies', 40],
    ['SERVICE_FAILURE_ACTIONSW', services.SERVICE_FAILURE_ACTIONSW, 'actions', 32],
    ['ENUM_SERVICE_STATUSW', services.ENUM_SERVICE_STATUSW, 'status', 16],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'firstUnicast', 24],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'firstDnsServer', 48],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'friendlyName', 72],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'flags', 92],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'operStatus', 104],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'firstPrefix', 176],
    ['IP_ADAPTER_ADDRESSES', network.IP_ADAPTER_ADDRESSES, 'firstGateway', 208],
    ['IP_ADAPTER_UNICAST_ADDRESS', network.IP_ADAPTER_UNICAST_ADDRESS, 'sockaddr', 16],
    ['IP_ADAPTER_UNICAST_ADDRESS', network.IP_ADAPTER_UNICAST_ADDRESS, 'prefixLength', 56],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 'destination', 12],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 'prefixLength', 40],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 'nextHop', 44],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 'metric', 84],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 'protocol', 88],
    ['MIB_IPFORWARD_ROW2', network.MIB_IPFORWARD_ROW2, 'origin', 100],
  ])('the members of %s', (_, type, member, offset) => {
    expect(koffi.offsetof(type, member)).toBe(offset)
  })
})

describe('pure parts', () => {
  it('reads IPv4 and leaves IPv6', () => {
    expect(ipv4Of(Uint8Array.of(2, 0, 0, 0, 10, 0, 0, 255))).toBe('10.0.0.255')
    expect(ipv4Of(Uint8Array.of(23, 0, 0, 0, 0, 0, 0, 0))).toBeUndefined()
  })

  it('reads a service’s state', () => {
    const numbers = Uint32Array.of(0x10, 4, 1, 1066, 7, 0, 0, 4321, 0)
    expect(decodeServiceStatus(Buffer.from(numbers.buffer))).toEqual({
      processId: 4321,
      serviceExitCode: 7,
      state: 'running',
      win32ExitCode: 1066,
    })
    expect(() => decodeServiceStatus(Buffer.alloc(36))).toThrow(RangeError)
  })

  it('writes failure actions, and an empty list that clears', () => {
    const some = encodeFailureActions({resetAfterSeconds: 3600, restartDelaysMs: [10_000, 60_000]})
    expect(some).toMatchObject({actionCount: 2, resetPeriod: 3600})
    expect([...new Uint32Array(Uint8Array.from(some.actions).buffer)]).toEqual([1, 10_000, 1, 60_000])
    const none = encodeFailureActions({resetAfterSeconds: 0, restartDelaysMs: []})
    expect([none.actionCount, none.actions.length]).toEqual([0, 8])
  })

  it.each([
    ['owner and protected list', {control: 0x9004, hasDacl: true, hasOwner: true}, 0x8000_0005],
    ['owner and open list', {control: 0x8004, hasDacl: true, hasOwner: true}, 0x2000_0005],
    ['list alone', {control: 0x9004, hasDacl: true, hasOwner: false}, 0x8000_0004],
    ['owner alone', {control: 0x8000, hasDacl: false, hasOwner: true}, 1],
  ])('sets %s', (_, content, parts) => {
    expect(securityParts(content)).toBe(parts)
    expect(SECURITY_PARTS).toBe(5)
  })
})
