// Lines of shawl itself.
import {shawl, shawlSays} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

export const SHAWL_LINES: readonly SignatureLine[] = [
  line(
    'shawl',
    'shawl-cannot-launch',
    shawlSays('ERROR', 'Unable to launch command: Das System kann die angegebene Datei nicht finden. (os error 2)'),
    shawlSays('INFO', 'Launching command'),
    shawl('Unable to launch command later (os error 2)'),
  ),
  line(
    'shawl',
    'shawl-child-interrupted',
    shawlSays('INFO', 'Command exited with code -1073741510'),
    shawlSays('INFO', 'Command exited with code 1'),
  ),
  line(
    'shawl',
    'shawl-child-not-initialised',
    shawlSays('INFO', 'Command exited with code -1073741502'),
    shawlSays('INFO', 'Command exited with code -1073741510'),
  ),
]
