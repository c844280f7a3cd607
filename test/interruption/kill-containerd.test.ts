// A spread of the points, without the largest pull; all of them are in kill-containerd.crash.ts.
import {describeKills} from './kills.js'

describeKills({
  every: 90,
  from: 3,
  given: {'base-images': 'nanoserver'},
  profile: 'ws2022-containerd',
  title: ', with containerd',
})
