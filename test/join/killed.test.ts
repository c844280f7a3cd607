import {isWhole} from '../sample.js'
import {describeKilledJoin} from './killed.js'

describeKilledJoin(isWhole ? 1 : 160)
