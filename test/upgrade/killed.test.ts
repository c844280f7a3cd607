import {isWhole} from '../sample.js'
import {describeKilledUpgrade} from './killed.js'

describeKilledUpgrade(isWhole ? 1 : 36)
