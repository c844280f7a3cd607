import {isWhole} from '../sample.js'
import {describeContainerdUpgrade} from './containerd-upgrade.js'

describeContainerdUpgrade(isWhole ? 1 : 40)
