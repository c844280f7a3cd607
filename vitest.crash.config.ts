// All of what npm test has a spread of (test/sample.ts), and what it has nothing of (*.crash.ts): every way in which every
// effect of a fresh setup can go wrong, and Ctrl-C at each; every release on every profile.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import whole from './vitest.config.js'

const sampled = readdirSync('test', {encoding: 'utf8', recursive: true})
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path).replaceAll('\\', '/'))
  .filter((path) => /\/(?:five-tests|nightly|sample)\.js'/.test(readFileSync(path, 'utf8')))

export default {
  ...whole,
  test: {
    ...whole.test,
    env: {...whole.test?.env, K8S_WIN_TESTS: 'whole'},
    include: ['test/**/*.crash.ts', ...sampled],
    // Random sequences are others each time.
    setupFiles: [],
    testTimeout: 3_600_000,
  },
}
