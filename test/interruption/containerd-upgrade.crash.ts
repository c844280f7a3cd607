// At every state.
import {describeContainerdUpgrade} from './containerd-upgrade.js'

describeContainerdUpgrade(1)
