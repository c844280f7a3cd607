// At every state.
import {describePresentKills} from './present-containerd.js'

describePresentKills(1)
