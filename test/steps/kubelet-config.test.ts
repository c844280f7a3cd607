import {kubeletConfig} from '../../src/steps/kubelet-config.js'
import {kubeletConfigDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(kubeletConfig, {drifts: kubeletConfigDrifts})
