import {OWN_PROGRAM} from '../../src/simulator/profiles/drive.js'
import {watchServiceStep} from '../../src/steps/watch-service.js'
import {runFrom} from '../fixtures/assets.js'
import {serviceDrifts} from './drifts/services.js'
import {describeStep} from './five-tests.js'

describeStep(watchServiceStep, {
  assets: runFrom(OWN_PROGRAM),
  // It has no environment of its own.
  drifts: serviceDrifts('k8s-win').filter(({name}) => !name.includes('environment')),
  given: {watch: 'true'},
})
