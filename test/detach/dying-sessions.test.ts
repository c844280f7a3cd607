import {isWhole} from '../sample.js'
import {describeDyingServices, describeDyingSessions, describeInterruptedServices, STORIES} from './dying.js'

for (const story of STORIES) {
  describeDyingSessions(story, {every: isWhole ? 1 : 4})
  describeDyingServices(story, {every: isWhole ? 1 : 150})
  describeInterruptedServices(story, {every: isWhole ? 10 : 900})
}
