import {nodeRegistered} from '../../src/steps/node-registered.js'
import {nodeGone, nodeRegisteredDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'

// The kubelet registers by itself, while its own step still waits for it to be healthy.
describeStep(nodeRegistered, {drifts: nodeRegisteredDrifts, settleMs: 15_000, undo: nodeGone.make})
