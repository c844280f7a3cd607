// Every point.
import {describeKilledUpgrade} from './killed.js'

describeKilledUpgrade(1)
