// A spread of the points; all of them are in reset-after-kill.crash.ts and reset-killed.crash.ts.
import {describeResetKills} from './reset-kills.js'

describeResetKills({every: 25, from: 7, of: 'setup'})
describeResetKills({every: 15, from: 4, of: 'reset'})
describeResetKills({every: 25, from: 3, journal: 'lost', of: 'reset'})
