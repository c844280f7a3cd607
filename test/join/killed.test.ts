// A spread; all of them in killed.crash.ts.
import {describeKilledJoin} from './killed.js'

describeKilledJoin(25)
