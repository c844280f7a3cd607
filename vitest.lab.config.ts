// The suites against real parts on the Linux side; npm run test:windows runs them after those in the lab.
import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/** It takes as long as all others together: they run beside it. */
const LONGEST = /[\\/]one-truth\.lab\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({moduleId}: TestSpecification): number => (LONGEST.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    // The first of them may have to build the lab.
    hookTimeout: 1_800_000,
    include: ['test/lab/**/*.lab.ts'],
    // Nodes of the lab side by side: they mostly wait, but each has a whole Windows to start.
    maxConcurrency: 3,
    maxWorkers: 2,
    // Worker processes would outlive a vitest that is killed, with all they have started; threads do not.
    pool: 'threads',
    sequence: {sequencer: LongestFirst},
    // Twice what the longest takes on a slow and busy computer.
    testTimeout: 300_000,
  },
})
