import {describeHostEnds} from './host-ends.js'

for (const profile of ['ws2019', 'ws2022-containerd']) {
  describeHostEnds({every: 4, of: 'setup', profile})
  describeHostEnds({every: 4, of: 'reset', profile})
}
