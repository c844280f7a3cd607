// An HNS network goes with all on it; its ports and the host's own network are waited for.
import {describe, expect, it} from 'vitest'
import {foreignTraits} from '../../../../src/components/overlay.js'
import {hnsRefused} from '../../../../src/errors/windows.js'
import {isRecordOpen} from '../../../../src/pipeline/desired/network/network-records.js'
import {removeNetworks} from '../../../../src/pipeline/desired/network/hns-network.js'
import type {StepContext} from '../../../../src/pipeline/run/step.js'
import {Rig} from '../../../steps/rig.js'

const NETWORK = {
  Name: 'vxlan0',
  NetworkAdapterName: 'Ethernet0',
  Subnets: [{AddressPrefix: '10.244.3.0/24', GatewayAddress: '10.244.3.1'}],
  Type: 'Overlay',
}

interface Removal {
  readonly context: StepContext
  readonly rig: Rig
  readonly warnings: string[]
}

/** With a network of k8s-win, and as many port pools as given, one answer after the other. */
async function open(pools?: () => Promise<number>): Promise<Removal> {
  const rig = await Rig.open()
  const {host, journal} = rig.context
  await host.hns.createNetwork(NETWORK)
  await rig.machine.clock.sleep(10_000)
  await journal.record('overlay-network', {kind: 'network', name: 'vxlan0'})
  const warnings: string[] = []
  const hns = {...host.hns, ...(pools && {portPools: pools})}
  const context = {...rig.context, host: {...host, hns}, warn: (message: string) => void warnings.push(message)}
  return {context, rig, warnings}
}

const networks = ({world}: Rig): unknown[] => world.hns.networks.map((network) => network['Name'])

describe('a network of k8s-win', () => {
  it('goes, and the host has its addresses back, under the name its adapter had', async () => {
    const {context, rig, warnings} = await open()
    expect(rig.world.adapters.map(({name}) => name)).toContain('vEthernet (Ethernet0)')
    await removeNetworks(context, 'overlay-network')
    expect(networks(rig)).not.toContain('vxlan0')
    expect(rig.world.adapters.find(({name}) => name === 'Ethernet0')?.addresses).toHaveLength(1)
    expect(isRecordOpen(context)).toBe(false)
    expect(warnings).toEqual([])
  })

  it('is over only when its ports are released', async () => {
    const answers = [3, 3, 3, 2]
    const {context, rig, warnings} = await open(() => Promise.resolve(answers.shift() ?? 2))
    const policyLists = 1
    const remove = async (id: string): Promise<number> => {
      await rig.context.host.hns.removeNetwork(id)
      return policyLists
    }
    const hns = {...context.host.hns, removeNetwork: remove}
    const begun = rig.machine.clock.now()
    await removeNetworks({...context, host: {...context.host, hns}}, 'overlay-network')
    expect(answers).toEqual([])
    expect(warnings).toEqual([])
    expect(rig.machine.clock.now() - begun).toBeGreaterThanOrEqual(2000)
  })

  it('whose ports are not released in time is reported, and gone all the same', async () => {
    let asked = 0
    const {context, rig, warnings} = await open(() => Promise.resolve(asked++))
    await removeNetworks(context, 'overlay-network')
    expect(networks(rig)).not.toContain('vxlan0')
    expect(warnings.join()).toContain('has not released the ports of its load balancers within 60 s')
  })

  it('is not waited for where HNS does not report ports', async () => {
    const refusal = hnsRefused({code: '0x80070057', request: 'GET /portpools', said: 'nothing'})
    const {context, warnings} = await open(() => Promise.reject(refusal))
    await removeNetworks(context, 'overlay-network')
    expect(warnings).toEqual([])
  })

  it('stays where HNS cannot be asked', async () => {
    const {context, rig} = await open(() => Promise.reject(new Error('cut')))
    await expect(removeNetworks(context, 'overlay-network')).rejects.toThrow('cut')
    expect(networks(rig)).toContain('vxlan0')
  })
})

describe("a network that has the name of k8s-win's", () => {
  const another = (change: Record<string, unknown>) => async (): Promise<Removal> => {
    const removal = await open()
    const {host} = removal.context
    const networks = async () =>
      (await host.hns.networks()).map((one) => (one.Name === 'vxlan0' ? {...one, ...change} : one))
    return {...removal, context: {...removal.context, host: {...host, hns: {...host.hns, networks}}}}
  }
  const vsid = (number: number) => [
    {AddressPrefix: '10.244.3.0/24', GatewayAddress: '10.244.3.1', Policies: [{Type: 'VSID', VSID: number}]},
  ]

  it.each([
    [
      'another type',
      another({Type: 'L2Bridge'}),
      'it has type L2Bridge. If it is not needed: hnsdiag delete networks ',
    ],
    ['another number', another({Subnets: vsid(4097)}), 'it has VSID 4097'],
  ])('and %s stays, and that is reported', async (_, make, told) => {
    const {context, rig, warnings} = await make()
    await removeNetworks(context, 'overlay-network')
    expect(networks(rig)).toContain('vxlan0')
    expect(warnings).toEqual([
      expect.stringContaining(`the HNS network vxlan0 is kept because k8s-win did not create it: ${told}`),
    ])
    expect(isRecordOpen(context)).toBe(false)
  })

  it.each([
    ['another pod network', another({Subnets: [{AddressPrefix: '10.244.9.0/24', GatewayAddress: '10.244.9.1'}]})],
    ['no subnet', another({Subnets: []})],
    ['our number', another({Subnets: vsid(4096)})],
  ])("and %s is k8s-win's, and goes", async (_, make) => {
    const {context, rig, warnings} = await make()
    await removeNetworks(context, 'overlay-network')
    expect(networks(rig)).not.toContain('vxlan0')
    expect(warnings).toEqual([])
  })
})

it('the number of External says nothing', () => {
  const subnets = [{AddressPrefix: '', GatewayAddress: '', Policies: [{Type: 'VSID', VSID: 9999}]}]
  expect(foreignTraits({ID: 'A', Name: 'External', Subnets: subnets, Type: 'Overlay'})).toEqual([])
})

it('what is not there is not missed, and nothing is changed', async () => {
  const rig = await Rig.open()
  await rig.context.journal.record('overlay-network', {kind: 'network', name: 'vxlan0'})
  const changes = rig.changes.length
  await removeNetworks(rig.context, 'overlay-network')
  expect(rig.changes).toHaveLength(changes)
})
