// At every third state: each is followed by a setup and a reset.
import {describePresentKills} from './present-containerd.js'

describePresentKills(3)
