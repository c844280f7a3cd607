// Tests run on any system, in any order, against the sources and the built program.
import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // No module has state, so files can share a worker; most of the time tests wait for processes.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism()),
    hookTimeout: 120_000,
    testTimeout: 60_000,
    // What is built is tested as it is.
    server: {deps: {external: [/\/dist\//]}},
  },
})
