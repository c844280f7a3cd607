import {describeResetKills} from './reset-kills.js'

const profile = 'ws2022-containerd'

describeResetKills({every: 1, of: 'setup', profile})
describeResetKills({every: 1, of: 'reset', profile})
describeResetKills({every: 1, given: {yes: true}, of: 'reset', profile})
describeResetKills({every: 1, journal: 'lost', of: 'reset', profile})
describeResetKills({every: 1, journal: 'damaged', of: 'reset', profile})
