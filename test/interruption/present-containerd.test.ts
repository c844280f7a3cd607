// Each state is followed by a setup and a reset.
import {isWhole} from '../sample.js'
import {describePresentKills} from './present-containerd.js'

describePresentKills(isWhole ? 3 : 360)
