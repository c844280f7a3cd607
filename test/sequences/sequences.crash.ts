// Many sequences, other ones each time.
import {describeSequences} from './describe.js'

describeSequences({runs: 60})
