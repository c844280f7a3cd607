// The one redactor of this process: what a run registers is hidden in everything the process shows, its errors included.
import {createRedactor} from '../output/redact.js'

export const redactor = createRedactor()
