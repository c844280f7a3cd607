// A spread; all of them in dying-sessions.crash.ts.
import {describeDyingServices, describeDyingSessions, describeInterruptedServices, STORIES} from './dying.js'

for (const story of STORIES) {
  describeDyingSessions(story, {every: 4})
  describeDyingServices(story, {every: 60})
  describeInterruptedServices(story, {every: 500})
}
