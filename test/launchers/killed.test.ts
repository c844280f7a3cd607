import {isWhole} from '../sample.js'
import {describeKilled, describeKilledOnce} from './killed.js'

describeKilledOnce()
if (isWhole) describeKilled(1)
else describeKilled(180, ['cloudbase-init'])
