import {flanneldServiceStep} from '../../../src/steps/services/flanneld-service.js'
import {overlayNetwork} from '../../../src/steps/overlay-network.js'
import {serviceDrifts} from '../drifts/services.js'
import {describeStep} from '../five-tests.js'

describeStep(flanneldServiceStep, {drifts: serviceDrifts('flanneld'), settleMs: 20_000, together: [overlayNetwork]})
