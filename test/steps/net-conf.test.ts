import {netConfStep} from '../../src/steps/net-conf.js'
import {netConfDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(netConfStep, {drifts: netConfDrifts})
