import {describeResetKills} from './reset-kills.js'

describeResetKills({every: 1, of: 'reset'})
describeResetKills({every: 1, given: {yes: true}, of: 'reset'})
describeResetKills({every: 1, journal: 'lost', of: 'reset'})
describeResetKills({every: 1, journal: 'damaged', of: 'reset'})
