import {expect, test} from 'vitest'
import {flannelBinary} from '../../src/steps/flannel-binary.js'
import {flannelBinaryDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'

describeStep(flannelBinary, {drifts: flannelBinaryDrifts})

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
