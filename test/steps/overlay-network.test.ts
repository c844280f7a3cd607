import type {Step} from '../../src/pipeline/step.js'
import {flanneldServiceStep} from '../../src/steps/flanneld-service.js'
import {overlayNetwork} from '../../src/steps/overlay-network.js'
import {overlayNetworkDrifts} from './drifts/network.js'
import {describeStep} from './five-tests.js'

/** flanneld makes the network from the moment it starts: what was before is what was before flanneld. */
const withFlanneld: Step = {
  ...overlayNetwork,
  async apply(context) {
    await flanneldServiceStep.apply(context)
    await overlayNetwork.apply(context)
  },
  async remove(context) {
    await overlayNetwork.remove?.(context)
    await flanneldServiceStep.remove?.(context)
  },
  stop: (context) => flanneldServiceStep.stop?.(context) ?? Promise.resolve(),
}

describeStep(withFlanneld, {drifts: overlayNetworkDrifts, first: 'flanneld-service', settleMs: 20_000})
