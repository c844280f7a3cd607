// A spread of the points; all of them are in kill-containerd.crash.ts.
import {describeKills} from './kills.js'

describeKills({every: 10, from: 3, profile: 'ws2022-containerd', title: ', with containerd'})
