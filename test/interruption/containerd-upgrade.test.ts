// A spread of the points; all of them are in containerd-upgrade.crash.ts.
import {describeContainerdUpgrade} from './containerd-upgrade.js'

describeContainerdUpgrade(7)
