import {cniConfig} from '../../src/steps/cni-config.js'
import {cniConfigDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(cniConfig, {drifts: cniConfigDrifts, settleMs: 15_000})
