import {machineEnvironment} from '../../src/steps/machine-environment.js'
import {machineEnvironmentDrifts} from './drifts/windows.js'
import {describeStep} from './five-tests.js'

describeStep(machineEnvironment, {drifts: machineEnvironmentDrifts})
