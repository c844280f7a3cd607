// A spread of the points; all of them are in killed.crash.ts.
import {describeKilledUpgrade} from './killed.js'

describeKilledUpgrade(19)
