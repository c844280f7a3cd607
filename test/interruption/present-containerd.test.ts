// A spread of the points; all of them are in present-containerd.crash.ts.
import {describePresentKills} from './present-containerd.js'

describePresentKills(29)
