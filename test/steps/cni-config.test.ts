import {expect, test} from 'vitest'
import {cniConfig} from '../../src/steps/cni-config.js'
import {cniConfigDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'
import {HostFolder} from './host-folder.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

describeStep(cniConfig, {drifts: cniConfigDrifts, settleMs: 15_000})

describeStep(cniConfig, {
  drifts: [],
  settleMs: 15_000,
  title: "cni-config, with a cni.conf of the user's own",
  undo: (host) => host.put(String.raw`k\cni\config\cni.conf`, '{"name":"mine","type":"win-bridge"}'),
})

test("a file that the kubelet would take before k8s-win's is refused, and stays the user's", async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  host.put(String.raw`k\cni\config\10-mine.conflist`, '{}')
  const {error} = await rig.run(cniConfig)
  expect(error).toMatchObject({id: 'FOREIGN_CNI_CONFIG'})
  expect(host.has(String.raw`k\cni\config\cni.conf`)).toBe(false)
  expect(host.read(String.raw`k\cni\config\10-mine.conflist`)).toBe('{}')
})

test('what pods leave behind goes with it, if it was not there before', async () => {
  const rig = await Rig.open()
  const host = new HostFolder(rig.dir)
  host.put(String.raw`var\lib\cni\cache\theirs`, 'x')
  await rig.run(cniConfig)
  host.put(String.raw`var\lib\cni\flannel\pod`, 'x')
  host.put(String.raw`var\lib\cni\cache\pod`, 'x')
  await removeStep(cniConfig, rig.context)
  expect(host.has(String.raw`var\lib\cni\flannel`)).toBe(false)
  expect(host.has(String.raw`var\lib\cni\cache\theirs`)).toBe(true)
})

test.each(['Z.conf', 'Cni.conf.json', '10-flannel.conflist'])(
  'review S3: %s, which the kubelet takes before cni.conf, is refused',
  async (name) => {
    const rig = await Rig.open()
    const host = new HostFolder(rig.dir)
    host.put(`k\\cni\\config\\${name}`, '{}')
    const {error} = await rig.run(cniConfig)
    expect(error).toMatchObject({id: 'FOREIGN_CNI_CONFIG'})
  },
)

test.each(['a.CONF', 'a.conf.bak', 'z.conf', '~cni.json'])(
  'review S3: %s, which the kubelet takes later or never, is not in the way',
  async (name) => {
    const rig = await Rig.open()
    const host = new HostFolder(rig.dir)
    host.put(`k\\cni\\config\\${name}`, '{}')
    expect((await rig.run(cniConfig)).error).toBeUndefined()
  },
)
