import {describeKills} from './kills.js'

describeKills({every: 1, profile: 'ws2022-containerd', title: ', with containerd'})
