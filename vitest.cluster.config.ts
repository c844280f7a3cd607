// The suites against a real control plane; npm run test:cluster builds it first.
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    // Every file has a control plane of its own: one after the other.
    fileParallelism: false,
    hookTimeout: 300_000,
    include: ['test/cluster/**/*.cluster.ts'],
    // Worker processes would outlive a vitest that is killed, with all they have started; threads do not.
    pool: 'threads',
    testTimeout: 120_000,
  },
})
