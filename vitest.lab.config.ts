// The suites against real parts on the Linux side; npm run test:windows runs them after those in the lab.
import {defineConfig} from 'vitest/config'
import {LongestFirst} from './vitest.config.js'

export default defineConfig({
  test: {
    // The first of them may have to build the lab.
    hookTimeout: 1_800_000,
    include: ['test/lab/**/*.lab.ts'],
    // Nodes of the lab side by side: they mostly wait, but each has a whole Windows to start.
    maxConcurrency: 3,
    // A third at once made a start of Docker and the watch's times fail, though two use little of two cores.
    maxWorkers: 2,
    // Worker processes would outlive a vitest that is killed, with all they have started; threads do not.
    pool: 'threads',
    sequence: {sequencer: LongestFirst},
    // Twice what the longest takes on a slow and busy computer.
    testTimeout: 300_000,
  },
})
