// A test that repeats a whole setup, or several, for one assertion more than those beside it: npm test leaves it out, and npm
// run test:crash runs it with its whole file (vitest.crash.config.ts).
import {test} from 'vitest'
import {isWhole} from './sample.js'

export const nightly = test.runIf(isWhole)
