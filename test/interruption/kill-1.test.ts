import {describeKills} from './kills.js'

describeKills({share: 1})
