import {cniBinaries} from '../../src/steps/cni-binaries.js'
import {cniBinariesDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(cniBinaries, {drifts: cniBinariesDrifts})
