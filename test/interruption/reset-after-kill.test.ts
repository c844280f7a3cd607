// A spread of the points; all of them are in reset-after-kill.crash.ts, reset-killed.crash.ts and reset-containerd.crash.ts.
import {describeResetKills} from './reset-kills.js'

describeResetKills({every: 30, from: 4, of: 'reset'})
describeResetKills({every: 25, from: 3, journal: 'lost', of: 'reset'})
describeResetKills({every: 60, from: 9, of: 'setup', profile: 'ws2022-containerd'})
