import {expect, test} from 'vitest'
import {sourceVip} from '../../src/steps/source-vip.js'
import {sourceVipDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const STORE = String.raw`var\lib\cni\networks\vxlan0`

describeStep(sourceVip, {drifts: sourceVipDrifts})

test('a store that was there before us keeps the addresses of others', async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  await rig.runBefore('source-vip')
  host.put(`${STORE}\\10.244.3.2`, 'a pod\r\neth0')
  const {error} = await rig.run(sourceVip)
  expect(error).toBeUndefined()
  expect(host.read(`${STORE}\\10.244.3.3`)).toBe('kube-proxy\r\nsource-vip')
  await removeStep(sourceVip, rig.context)
  expect(host.has(`${STORE}\\10.244.3.3`)).toBe(false)
  expect(host.read(`${STORE}\\10.244.3.2`)).toBe('a pod\r\neth0')
})

test('is removed also where host-local is gone', async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  await rig.runBefore('source-vip')
  await rig.run(sourceVip)
  host.remove(String.raw`k\cni\host-local.exe`)
  await removeStep(sourceVip, rig.context)
  expect(host.has(String.raw`var\lib\cni`)).toBe(false)
})

test('review A3-10: an address that a user reserved after the checks is not believed once its folder is closed', async () => {
  const rig = await Rig.open()
  await rig.runBefore('source-vip')
  const host = new HostFolder(rig.dir)
  host.put(`${STORE}\\10.244.3.2`, 'kube-proxy\r\nsource-vip')
  const user = 'O:S-1-5-21-1-2-3-1001D:PAI(A;;FA;;;S-1-5-21-1-2-3-1001)(A;;FA;;;SY)(A;;FA;;;BA)'
  const open = await rig.reopen({
    sicken: ({security}) => void (security[`c:\\${STORE}\\10.244.3.2`.toLowerCase()] = user),
  })
  expect((await open.run(sourceVip)).error).toMatchObject({id: 'UNTRUSTED_FILE'})
})

test('while HNS does not report the subnet nothing is released and nothing is reserved', async () => {
  const rig = await Rig.open()
  await rig.runBefore('source-vip')
  await rig.run(sourceVip)
  const open = await rig.reopen({
    sicken: ({hns}) => {
      for (const network of hns.networks) if (network['Name'] === 'vxlan0') delete network['Subnets']
    },
  })
  expect(await sourceVip.inspect(open.context)).toMatchObject({state: 'in-place'})
  const host = new HostFolder(open.dir)
  const before = host.list(STORE)
  await expect(sourceVip.apply(open.context)).rejects.toMatchObject({id: 'HNS_REFUSED'})
  expect(host.list(STORE)).toEqual(before)
})
