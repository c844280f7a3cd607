import {firewallRules} from '../../src/steps/firewall-rules.js'
import {firewallRulesDrifts} from './drifts/windows.js'
import {describeStep} from './five-tests.js'

describeStep(firewallRules, {drifts: firewallRulesDrifts})
