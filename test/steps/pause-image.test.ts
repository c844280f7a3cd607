import {pauseImage} from '../../src/steps/pause-image.js'
import {pauseImageDrifts} from './drifts/images.js'
import {describeStep} from './five-tests.js'

describeStep(pauseImage, {drifts: pauseImageDrifts})
