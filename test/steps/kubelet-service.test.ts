import {expect, test} from 'vitest'
import {KUBELET_PODS, KUBELET_TREES, POD_FOLDERS} from '../../src/config/layout.js'
import {othersWho, TO_WRITE} from '../../src/host/security/access.js'
import {kubeletServiceStep} from '../../src/steps/kubelet-service.js'
import {nodeRegistered} from '../../src/steps/node-registered.js'
import {allowEverything} from '../fakes/administrator.js'
import {serviceDrifts} from './drifts/services.js'
import {describeStep} from './five-tests.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'

describeStep(kubeletServiceStep, {
  drifts: serviceDrifts('kubelet'),
  settleMs: 15_000,
  together: [nodeRegistered],
  // A node may not remove itself from the cluster.
  undo: (host) => host.edit(allowEverything),
})

test('what the kubelet makes goes with it, if it was not there before', async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  host.put(String.raw`var\lib\dockershim\theirs`, 'x')
  await rig.runBefore('kubelet-service')
  await rig.run(kubeletServiceStep)
  host.put(String.raw`var\lib\kubelet\pki\kubelet.crt`, 'x')
  host.put(String.raw`var\log\pods\one\0.log`, 'x')
  await kubeletServiceStep.stop?.(rig.context)
  await kubeletServiceStep.remove?.(rig.context)
  expect(host.has(String.raw`var\lib\kubelet`)).toBe(false)
  expect(host.has(String.raw`var\log`)).toBe(false)
  expect(host.read(String.raw`var\lib\dockershim\theirs`)).toBe('x')
})

test('review S5: no other account may add to the folders of pods, which a kubelet creates empty: they could become junctions', async () => {
  const rig = await Rig.open()
  await rig.runBefore('kubelet-service')
  await rig.run(kubeletServiceStep)
  for (const path of POD_FOLDERS) {
    const sddl = await rig.machine.win32.securityOf(path)
    expect(othersWho(sddl, TO_WRITE)).toEqual([])
    // A container's user writes to its volumes with the rights of Users.
    expect(sddl).toContain('(A;CIIO;DC;;;BU)')
  }
})

const OF_A_USER = 'O:S-1-5-21-1-2-3-1001D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

test.each([...KUBELET_TREES, KUBELET_PODS])(
  'review S5: the kubelet is not started on %s, which a user made since the checks',
  async (path) => {
    const rig = await Rig.open()
    await rig.runBefore('kubelet-service')
    new HostFolder(rig.dir).put(`${path.slice(3)}\\x`, 'x')
    const sick = await rig.reopen({sicken: ({security}) => void (security[path.toLowerCase()] = OF_A_USER)})
    const {error} = await sick.run(kubeletServiceStep)
    expect(error).toMatchObject({exitCode: 5, id: 'PARENT_OPEN_TO_OTHERS'})
    expect(sick.effects.filter(({what}) => what === 'startService')).toEqual([])
  },
)
