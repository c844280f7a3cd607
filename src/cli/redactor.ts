// The one redactor of this process: what a run registers is hidden in everything the process shows, its errors included.
import {createRedactor, type Redactor} from '../output/text/redact.js'
import {withTypedCommands} from './arguments/typed-commands.js'

const own = createRedactor()

export const redactor: Redactor = {...own, redact: (text) => withTypedCommands(own.redact(text))}
