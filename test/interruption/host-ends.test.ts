import {isWhole} from '../sample.js'
import {describeHostEnds} from './host-ends.js'

if (isWhole) {
  for (const profile of ['ws2019', 'ws2022-containerd']) {
    describeHostEnds({every: 4, of: 'setup', profile})
    describeHostEnds({every: 4, of: 'reset', profile})
  }
} else {
  describeHostEnds({every: 300, of: 'setup', profile: 'ws2022-containerd'})
  describeHostEnds({every: 180, of: 'reset', profile: 'ws2022-containerd'})
}
