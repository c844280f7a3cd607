// A spread of the points; all of them are in host-ends.crash.ts.
import {describeHostEnds} from './host-ends.js'

describeHostEnds({every: 30, of: 'setup', profile: 'ws2022-containerd'})
describeHostEnds({every: 16, of: 'reset', profile: 'ws2022-containerd'})
