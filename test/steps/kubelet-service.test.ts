import {kubeletServiceStep} from '../../src/steps/kubelet-service.js'
import {nodeRegistered} from '../../src/steps/node-registered.js'
import {serviceDrifts} from './drifts/services.js'
import {describeStep} from './five-tests.js'

describeStep(kubeletServiceStep, {drifts: serviceDrifts('kubelet'), settleMs: 15_000, together: [nodeRegistered]})
