import {nodeReady} from '../../src/steps/node-ready.js'
import {nodeReadyDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'

describeStep(nodeReady, {drifts: nodeReadyDrifts, settleMs: 15_000})
