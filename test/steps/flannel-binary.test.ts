import {flannelBinary} from '../../src/steps/flannel-binary.js'
import {flannelBinaryDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(flannelBinary, {drifts: flannelBinaryDrifts})
