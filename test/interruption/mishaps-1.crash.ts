import {describeMishaps} from './mishap-share.js'

describeMishaps(1)
