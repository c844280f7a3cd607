import {baseDir} from '../../src/steps/base-dir.js'
import {baseDirDrifts} from './drifts/files.js'
import {describeStep} from './five-tests.js'

describeStep(baseDir, {drifts: baseDirDrifts})
