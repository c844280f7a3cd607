// Run again from every state.
import {describeKilled} from './killed.js'

describeKilled(1)
