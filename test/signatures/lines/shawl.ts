// Lines of shawl itself.
import type {SignatureSource} from '../../../src/signatures/index.js'
import {shawl, shawlSays} from '../log-lines.js'
import {line, type SignatureLine} from './line.js'

const ofShawl = (source: SignatureSource, ids: string, at: string): readonly SignatureLine[] => [
  line(
    source,
    `${ids}-cannot-launch`,
    at,
    shawlSays('ERROR', 'Unable to launch command: Das System kann die angegebene Datei nicht finden. (os error 2)'),
    shawlSays('INFO', 'Launching command'),
    shawl('Unable to launch command later (os error 2)'),
  ),
  line(
    source,
    `${ids}-child-interrupted`,
    at,
    shawlSays('INFO', 'Command exited with code -1073741510'),
    shawlSays('INFO', 'Command exited with code 1'),
  ),
  line(
    source,
    `${ids}-child-not-initialised`,
    at,
    shawlSays('INFO', 'Command exited with code -1073741502'),
    shawlSays('INFO', 'Command exited with code -1073741510'),
  ),
]

export const SHAWL_LINES: readonly SignatureLine[] = [
  // src/service.rs has the same words in both.
  ...['shawl 1.3.0', 'shawl 1.9.0'].flatMap((at) => [
    ...ofShawl('shawl', 'shawl', at),
    ...ofShawl('containerd', 'containerd', at),
  ]),
]
