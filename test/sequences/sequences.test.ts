// A few sequences per stage, the same ones each time; many others are in sequences.crash.ts.
import {describeSequences} from './describe.js'

describeSequences({runs: 1, seed: 298})
