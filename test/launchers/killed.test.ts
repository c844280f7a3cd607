// A spread of the states; all of them, under every launcher, are in killed.crash.ts.
import {describeKilled, describeKilledOnce} from './killed.js'

describeKilledOnce()
describeKilled(60, ['cloudbase-init'])
