// Several HNS networks named vxlan0: the one of this node is removed, by its recorded ID or by flanneld's lease, and the others
// are named. Where nothing decides, all of them stay.
import {describe, expect, test} from 'vitest'
import type {HostFolder} from '../steps/host-folder.js'
import {statusOn} from '../status/status-on.js'
import {setupOn} from '../setup/in-process.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'

const {copy} = setUpHost()
const THEIRS = 'BBBBBBBB-0000-4000-8000-000000000000'
const ENDPOINT = 'CCCCCCCC-0000-4000-8000-000000000000'

const overlays = ({world}: HostFolder): unknown[] =>
  world.hns.networks.filter(({Name}) => Name === 'vxlan0').map(({ID}) => ID)

/** Of the same shape as this node's, with an endpoint on it. HNS lists it first. */
function addTheirs(host: HostFolder, prefix: string): string {
  const own = host.world.hns.networks.find(({Name}) => Name === 'vxlan0') ?? {}
  host.edit(({hns}) => {
    const [subnet] = own['Subnets'] as object[]
    hns.networks.unshift({...own, ID: THEIRS, Subnets: [{...subnet, AddressPrefix: prefix}]})
    hns.endpoints.push({ID: ENDPOINT, IPAddress: '10.99.0.5', State: 2, VirtualNetwork: THEIRS})
  })
  return String(own['ID'])
}

/** flanneld makes another network after each restart of Windows. */
function renew(host: HostFolder, id: string): void {
  host.edit(({hns}) => {
    const text = JSON.stringify(hns).replaceAll(new RegExp(id, 'gi'), 'AAAAAAAA-0000-4000-8000-000000000000')
    Object.assign(hns, JSON.parse(text))
  })
}

describe('review W3-6: reset removed the first network of the name, and left its own', () => {
  test.each([false, true])(
    'another one of the same name stays, and is named (own network made anew: %j)',
    async (isNew) => {
      const host = copy()
      const own = addTheirs(host, '10.99.0.0/24')
      if (isNew) renew(host, own)
      for (const given of [{'dry-run': true}, {purge: true}]) {
        const {result, told} = await resetOn(host.dir, {given})
        expect(result.exitCode).toBe(0)
        expect(told).toContain(THEIRS)
      }
      expect(overlays(host)).toEqual([THEIRS])
      expect(host.world.hns.endpoints.map(({ID}) => ID)).toEqual([ENDPOINT])
    },
  )

  test('where nothing decides all of them stay, until one of them is removed', async () => {
    const host = copy()
    const own = addTheirs(host, '10.244.3.0/24')
    renew(host, own)
    const {result} = await resetOn(host.dir, {given: {purge: true}})
    expect(result).toMatchObject({errors: [{id: 'RESET_INCOMPLETE'}, {id: 'NETWORK_UNCLEAR'}], exitCode: 7})
    expect(overlays(host)).toHaveLength(2)
    host.edit(({hns}) => {
      hns.networks = hns.networks.filter(({ID}) => ID !== THEIRS)
      hns.endpoints = hns.endpoints.filter(({ID}) => ID !== ENDPOINT)
    })
    expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
    expect(overlays(host)).toEqual([])
  })

  test('setup and status name the other one', async () => {
    const host = copy()
    const own = addTheirs(host, '10.99.0.0/24')
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({error: {id: 'FOREIGN_NETWORK'}, exitCode: 3})
    const {document} = await statusOn(host.dir)
    expect(document.network?.id).toBe(own)
    expect(document.problems.map(({id}) => id)).toContain('FOREIGN_NETWORK')
  })
})
