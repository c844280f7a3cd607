import {describeKills} from './kills.js'

describeKills({every: 4, from: 0})
