// HNS leaves a field out of its endpoints or policy lists: what it does not report is no difference, and nothing is restarted.
import {beforeAll, expect, test} from 'vitest'
import type {Host} from '../../../src/host/host.js'
import {findWrongBackends} from '../../../src/pipeline/desired/network/service-backends.js'
import {proveServices} from '../../../src/pipeline/desired/network/services-proof.js'
import type {StepContext} from '../../../src/pipeline/run/step.js'
import {MemoryHost} from '../../fakes/memory-host.js'
import {kubeproxyService} from '../../../src/steps/services/kubeproxy-service.js'
import {Rig} from '../rig.js'

let dir: MemoryHost
beforeAll(async () => {
  const rig = await Rig.open({dir: new MemoryHost()})
  expect((await rig.runAll()).error).toBeUndefined()
  dir = rig.dir as MemoryHost
})

const without = <T extends object>(one: T, field: string): T =>
  Object.fromEntries(Object.entries(one).filter(([name]) => name !== field)) as T

const CASES: readonly {
  readonly change: (hns: Host['hns'], field: string) => Partial<Host['hns']>
  readonly fields: string[]
}[] = [
  {
    change: (hns, field) => ({endpoints: async () => (await hns.endpoints()).map((one) => without(one, field))}),
    fields: ['IPAddress', 'VirtualNetwork'],
  },
  {
    change: (hns, field) => ({policyLists: async () => (await hns.policyLists()).map((one) => without(one, field))}),
    fields: ['Policies', 'References'],
  },
  {
    change: (hns, field) => ({
      policyLists: async () =>
        (await hns.policyLists()).map((one) => ({
          ...one,
          Policies: one.Policies?.map((policy) => without(policy, field)) ?? null,
        })),
    }),
    fields: ['ExternalPort', 'Protocol', 'Type', 'VIPs'],
  },
]
const ROWS = CASES.flatMap(({change, fields}) => fields.map((field) => ({change, field})))

test.each(ROWS)('$field is left out: kube-proxy is kept', async ({change, field}) => {
  const rig = await Rig.open({dir: dir.copy()})
  const {host} = rig.context
  // Long after its start, when all load balancers are compared.
  await host.clock.sleep(10 * 60_000)
  const context: StepContext = {...rig.context, host: {...host, hns: {...host.hns, ...change(host.hns, field)}}}
  expect(await proveServices(context)).not.toHaveProperty('fault')
  expect(await findWrongBackends(context)).toEqual([])
  expect(await kubeproxyService.inspect(context)).toMatchObject({state: 'in-place'})
  const before = rig.world.services['kubeproxy']?.processId
  await kubeproxyService.apply(context)
  expect(rig.world.services['kubeproxy']?.processId).toBe(before)
})

test('what HNS left out proves nothing: status says that it was not checked', async () => {
  const rig = await Rig.open({dir: dir.copy()})
  const {host} = rig.context
  const hns = {...host.hns, policyLists: async () => (await host.hns.policyLists()).map(({ID}) => ({ID}))}
  expect(await proveServices({...rig.context, host: {...host, hns}})).toMatchObject({isUnreported: true})
  expect(await proveServices(rig.context)).not.toHaveProperty('isUnreported')
})
