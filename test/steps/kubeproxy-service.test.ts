import {kubeproxyService} from '../../src/steps/kubeproxy-service.js'
import type {World} from '../../src/simulator/world.js'
import {serviceDrifts} from './drifts/services.js'
import {describeStep} from './five-tests.js'

/** What kube-proxy makes in HNS goes with the network it is on. */
function withoutLoadBalancers({hns}: World): void {
  hns.endpoints = []
  hns.policyLists = []
}

describeStep(kubeproxyService, {
  drifts: serviceDrifts('kubeproxy'),
  forgive: {world: withoutLoadBalancers},
  settleMs: 15_000,
})
