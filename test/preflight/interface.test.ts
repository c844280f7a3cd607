// Which adapter carries the overlay, and which of its addresses is the node's.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {isTransient} from '../../src/errors/catalogue.js'
import {K8sWinError} from '../../src/errors/k8s-win-error.js'
import type {Adapter} from '../../src/machine/win32.js'
import {chooseInterface} from '../../src/preflight/interface.js'

function adapter(name: string, addresses: readonly string[], part: Partial<Adapter> = {}): Adapter {
  return {
    addresses: addresses.map((address) => ({address, prefixLength: 24})),
    dhcp: false,
    dnsServers: [],
    gateways: [],
    index: 1,
    name,
    up: true,
    ...part,
  }
}

const GATEWAY = {gateways: ['10.0.0.1']}

function refusal(adapters: readonly Adapter[], config: {interfaceName?: string; nodeIP?: string} = {}): K8sWinError {
  try {
    chooseInterface(adapters, config)
  } catch (error) {
    if (error instanceof K8sWinError) return error
  }

  throw new Error('an adapter was chosen')
}

describe('an adapter that is named', () => {
  it('loses to the vEthernet of the vSwitch over it', () => {
    const adapters = [adapter('Ethernet0', []), adapter('vEthernet (Ethernet0)', ['10.0.0.5'])]
    expect(chooseInterface(adapters, {})).toEqual({address: '10.0.0.5', name: 'vEthernet (Ethernet0)'})
    expect(chooseInterface(adapters, {interfaceName: 'Ethernet0'}).name).toBe('vEthernet (Ethernet0)')
  })

  it.each([
    ['ETHERNET0', 'Ethernet0'],
    ['ethernet 2 (team a)', 'Ethernet 2 (Team A)'],
    ['Ethernet0 2', 'Ethernet0 2'],
    ['Připojení', 'Připojení'],
  ])('is found in any case, with spaces: %s', (interfaceName, name) => {
    const adapters = [adapter('Other', ['10.0.0.4'], GATEWAY), adapter(name, ['10.0.0.5'])]
    expect(chooseInterface(adapters, {interfaceName})).toEqual({address: '10.0.0.5', name})
  })

  it('is not guessed: a name that begins alike is another', () => {
    const error = refusal([adapter('Ethernet0 2', ['10.0.0.5'], GATEWAY), adapter('x', [])], {
      interfaceName: 'Ethernet0',
    })
    expect(error).toMatchObject({exitCode: 3, id: 'INTERFACE_MISSING'})
    expect(error.reason).toContain('"Ethernet0 2" (10.0.0.5, gateway 10.0.0.1); "x" (no address)')
  })

  it('is missing on a host without any', () => {
    expect(refusal([], {interfaceName: 'Ethernet0'}).reason).toContain('There are: none.')
  })
})

describe('where none is named and there is no Ethernet0', () => {
  it('the one with a default gateway is taken, and it is said', () => {
    const adapters = [adapter('vEthernet (nat)', ['172.20.0.1']), adapter('Ethernet 3', ['10.0.0.5'], GATEWAY)]
    expect(chooseInterface(adapters, {})).toEqual({
      address: '10.0.0.5',
      name: 'Ethernet 3',
      reason: 'there is no "Ethernet0", and only "Ethernet 3" has a default gateway',
    })
  })

  it('several are listed, and none is taken', () => {
    const error = refusal([adapter('A', ['10.0.0.5'], GATEWAY), adapter('B', ['10.1.0.5'], {gateways: ['10.1.0.1']})])
    expect(error).toMatchObject({exitCode: 3, id: 'INTERFACE_AMBIGUOUS'})
    expect(error.reason).toContain('Several adapters')
    expect(error.reason).toContain('"A" (10.0.0.5, gateway 10.0.0.1); "B" (10.1.0.5, gateway 10.1.0.1)')
  })

  it('several are distinguished by --node-ip', () => {
    const adapters = [adapter('A', ['10.0.0.5'], GATEWAY), adapter('B', ['10.1.0.5'], {gateways: ['10.1.0.1']})]
    expect(chooseInterface(adapters, {nodeIP: '10.1.0.5'})).toMatchObject({address: '10.1.0.5', name: 'B'})
  })

  it.each([
    ['no gateway', adapter('A', ['10.0.0.5'])],
    ['a cable that is out', adapter('A', ['10.0.0.5'], {...GATEWAY, up: false})],
  ])('none is taken with %s', (_, only) => {
    const error = refusal([only])
    expect(error.id).toBe('INTERFACE_AMBIGUOUS')
    expect(error.reason).toContain('No adapter')
    expect(error.reason).toContain('"A"')
  })

  it.each([
    ['nothing', adapter('A', [])],
    ['a gateway but no address', adapter('A', [], GATEWAY)],
    ['only an address that Windows gave itself', adapter('A', ['169.254.3.3'])],
  ])('DHCP may not have answered yet where there is %s', (_, only) => {
    const others = [adapter('vEthernet (nat)', ['172.20.0.1']), adapter('B', [], {up: false})]
    for (const adapters of [[only], [...others, only]]) {
      const error = refusal(adapters)
      expect(error.id).toBe('INTERFACE_WITHOUT_ADDRESS')
      expect(error.message).toContain('"A"')
      expect(isTransient([error.id])).toBe(true)
    }
  })

  it('one without an address does not hide the one that has a default gateway', () => {
    const adapters = [adapter('A', ['169.254.3.3']), adapter('B', ['10.0.0.5'], GATEWAY)]
    expect(chooseInterface(adapters, {})).toMatchObject({address: '10.0.0.5', name: 'B'})
    expect(refusal(adapters, {nodeIP: '10.9.9.9'}).id).toBe('INTERFACE_AMBIGUOUS')
  })
})

describe('the address', () => {
  const two = [adapter('Ethernet0', ['169.254.9.9', '10.0.0.5', '10.0.0.6'], GATEWAY), adapter('B', ['10.1.0.5'])]

  it('is the first of several, or the one that is given', () => {
    expect(chooseInterface(two, {}).address).toBe('10.0.0.5')
    expect(chooseInterface(two, {nodeIP: '10.0.0.6'}).address).toBe('10.0.0.6')
  })

  it.each(['10.1.0.5', '10.9.9.9', '169.254.9.9'])('is not %s, which is elsewhere', (nodeIP) => {
    const error = refusal(two, {nodeIP})
    expect(error).toMatchObject({exitCode: 3, id: 'NODE_IP_ELSEWHERE'})
    expect(error.reason).toContain('"B" (10.1.0.5)')
  })

  it.each([
    [[], 'It has none;'],
    [['169.254.1.1', '169.254.1.2'], 'It has 169.254.1.1, 169.254.1.2;'],
  ])('is none of %o', (addresses, told) => {
    const error = refusal([adapter('Ethernet0', addresses, GATEWAY), adapter('B', ['10.1.0.5'], GATEWAY)])
    expect(error).toMatchObject({exitCode: 3, id: 'INTERFACE_WITHOUT_ADDRESS'})
    expect(error.reason).toContain(told)
  })

  it('is never in 169.254, and always one of the adapter that is chosen', () => {
    const address = fc.constantFrom('169.254.0.1', '169.254.255.254', '10.0.0.5', '10.0.0.6', '192.168.1.2')
    const name = fc.constantFrom('Ethernet0', 'vEthernet (Ethernet0)', 'Ethernet 2', 'vEthernet (nat)')
    const any = fc
      .record({addresses: fc.array(address, {maxLength: 3}), gateway: fc.boolean(), name, up: fc.boolean()})
      .map((given) => adapter(given.name, given.addresses, {gateways: given.gateway ? ['10.0.0.1'] : [], up: given.up}))
    const config = fc.record({interfaceName: name, nodeIP: address}, {requiredKeys: []})
    let chosen = 0
    fc.assert(
      fc.property(fc.uniqueArray(any, {selector: (one) => one.name}), config, (adapters, wanted) => {
        let choice: ReturnType<typeof chooseInterface>
        try {
          choice = chooseInterface(adapters, wanted)
        } catch (error) {
          expect(error).toBeInstanceOf(K8sWinError)
          return
        }

        chosen += 1
        expect(choice.address).not.toMatch(/^169\.254\./)
        expect(adapters.find((one) => one.name === choice.name)?.addresses.map((one) => one.address)).toContain(
          choice.address,
        )
        if (wanted.nodeIP !== undefined) expect(choice.address).toBe(wanted.nodeIP)
      }),
      {numRuns: 2000},
    )
    expect(chosen).toBeGreaterThan(100)
  })
})
