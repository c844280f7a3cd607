// The last log lines of a daemon, and what is known about them.
import {type Daemon, logsOf} from '../config/daemons.js'
import type {Node} from '../config/model.js'
import type {Host} from '../host/host.js'
import {lastLogLines} from '../host/services/daemon-log.js'
import {isOfDaemon, recogniseHere} from '../pipeline/run/known-failure.js'
import {hasStarted, isEnd, isLaunch, type Signature} from '../signatures/index.js'

/** Enough to show why a daemon ended, without older failures. */
const LAST_LINES = 40

export interface LastWords {
  /** The last line; empty if there is none. */
  readonly line: string
  readonly signature?: Signature
}

/** Informational lines: those of klog, by itself or in shawl's log, of containerd, and shawl's own. */
const REMARK =
  /^(?:[DI]\d{4} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[(?:DEBUG|INFO)\] (?:std(?:err|out): "(?:[DI]\d{4} |time=\\"[^"]{1,40}\\" level=(?:debug|info) )|(?!std)))/

/**
 * The last log line of an unhealthy daemon, and whether it is a known failure. Informational lines count only if the daemon
 * waits for something, which the last one shows: every start logs warnings that pass. `isOfEnded`: those of its last run that
 * has ended. An unreadable log is not a problem.
 */
export async function lastWords(
  {config, host}: {readonly config: Node; readonly host: Host},
  daemon: Daemon,
  {isOfEnded = false, isWaiting = false}: {readonly isOfEnded?: boolean; readonly isWaiting?: boolean} = {},
): Promise<LastWords> {
  const all = await lastLogLines(host.files, logsOf(config, daemon), LAST_LINES).catch(() => [])
  const lines = isOfEnded ? all.slice(0, all.findLastIndex(isEnd) + 1 || undefined).filter((line) => !isEnd(line)) : all
  const counts = (line: string, index: number): boolean =>
    !REMARK.test(line) || hasStarted(line) || isLaunch(line) || (isWaiting && index === lines.length - 1)
  const alarms = lines.filter(counts)
  const signature = await recogniseHere(host.files, config, alarms.join('\n'), daemon.program, isOfDaemon)
  return {line: lines.at(-1) ?? '', ...(signature && {signature})}
}
