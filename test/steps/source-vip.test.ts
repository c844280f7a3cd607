import {sourceVip} from '../../src/steps/source-vip.js'
import {sourceVipDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'

describeStep(sourceVip, {drifts: sourceVipDrifts})
