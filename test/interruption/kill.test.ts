// A spread of the states; all of them are in kill-1.crash.ts to kill-4.crash.ts.
import {describeKills} from './kills.js'

describeKills({every: 80, from: 5})
