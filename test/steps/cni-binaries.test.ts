import {cniBinaries} from '../../src/steps/cni-binaries.js'
import {cniBinariesDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(cniBinaries, {drifts: cniBinariesDrifts})

describeStep(cniBinaries, {
  drifts: cniBinariesDrifts,
  title: "cni-binaries, with a host-local of the user's own",
  undo: (host) => host.put(String.raw`k\cni\host-local.exe`, 'MZ mine'),
})
