// Every state of the host.
import {describeKilledJoin} from './killed.js'

describeKilledJoin(1)
