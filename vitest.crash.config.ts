// All of what npm test has a spread of: every way in which every effect of a fresh setup can go wrong, and Ctrl-C at each;
// every release on every profile.
import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.crash.ts'],
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 3_600_000,
  },
})
