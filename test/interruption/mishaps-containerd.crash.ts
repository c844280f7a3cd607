import {describeContainerdMishaps} from './mishap-share.js'

describeContainerdMishaps()
