import {describeDyingServices, describeDyingSessions, describeInterruptedServices, STORIES} from './dying.js'

for (const story of STORIES) {
  describeDyingSessions(story, {every: 1})
  describeDyingServices(story, {every: 1})
  describeInterruptedServices(story, {every: 10})
}
