import {kubernetesBinaries} from '../../src/steps/kubernetes-binaries.js'
import {kubernetesBinariesDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(kubernetesBinaries, {drifts: kubernetesBinariesDrifts})
