// A spread of the points; more of them are in host-ends.crash.ts.
import {describeHostEnds} from './host-ends.js'

describeHostEnds({every: 40, of: 'setup', profile: 'ws2022-containerd'})
describeHostEnds({every: 20, of: 'reset', profile: 'ws2022-containerd'})
