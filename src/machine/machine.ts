// The effect boundary: everything k8s-win does to, or learns from, the outside world goes through a Machine.
import type {Clock} from './clock.js'
import type {Files} from './files.js'
import type {Http} from './http.js'
import type {Net} from './net.js'
import type {Run} from './run.js'
import type {Win32} from './win32.js'

/** Three kinds exist: the real one, the simulated one, and decorators around either. */
export interface Machine {
  readonly clock: Clock
  readonly files: Files
  readonly http: Http
  readonly net: Net
  readonly run: Run
  /** Every document says so: what was rehearsed must not be taken for done. */
  readonly simulated: boolean
  readonly win32: Win32
}
