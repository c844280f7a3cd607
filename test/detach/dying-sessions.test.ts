import {isWhole, sample} from '../sample.js'
import {describeDyingServices, describeDyingSessions, describeInterruptedServices, STORIES} from './dying.js'

for (const story of sample(STORIES, 2)) {
  describeDyingSessions(story, {every: isWhole ? 1 : 4})
  describeDyingServices(story, {every: isWhole ? 1 : 160})
  describeInterruptedServices(story, {every: isWhole ? 10 : 1800})
}
