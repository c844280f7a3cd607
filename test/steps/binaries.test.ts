import {expect, test} from 'vitest'
import {cniBinaries, flannelBinary, kubernetesBinaries} from '../../src/steps/binaries.js'
import {cniBinariesDrifts, flannelBinaryDrifts, kubernetesBinariesDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'

describeStep(kubernetesBinaries, {drifts: kubernetesBinariesDrifts})
describeStep(flannelBinary, {drifts: flannelBinaryDrifts})
describeStep(cniBinaries, {drifts: cniBinariesDrifts})

describeStep(cniBinaries, {
  drifts: cniBinariesDrifts,
  title: "cni-binaries, with a host-local of the user's own",
  undo: (host) => host.put(String.raw`k\cni\host-local.exe`, 'MZ mine'),
})

test('a copy that is not what was verified is not installed, nor noted as such', async () => {
  const rig = await Rig.open()
  const {context} = rig
  const files = {
    ...context.host.files,
    async *readChunks() {
      yield Buffer.from('rubbish')
    },
  }
  await expect(flannelBinary.apply({...context, host: {...context.host, files}})).rejects.toMatchObject({
    code: 'EIO',
    operation: 'copy',
  })
  expect(await context.host.files.status(String.raw`C:\k\flanneld.exe`)).toBeUndefined()
  expect(context.journal.entries('flannel-binary', 'file')).toEqual([])
  await rig.run(flannelBinary)
  expect(await rig.inspect(flannelBinary)).toMatchObject({state: 'in-place'})
})
