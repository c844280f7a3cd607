// Chooses which files of a folder to read. klog writes a line into one file per severity up to the line's own: only the
// fullest of them is read, or every warning would be shown twice and every error three times.
import {UTC_ZONE, type Zone} from './zone.js'

/** `kubelet.exe.<host>.<user>.log.INFO.20260101-000000.1234` (klog, logName). */
const KLOG_NAME = /^(.+)\.log\.(INFO|WARNING|ERROR|FATAL)\.(\d{8}-\d{6})\.(\d+)$/i
const FULLEST_FIRST = ['INFO', 'WARNING', 'ERROR', 'FATAL']

/** As kube-log-runner names the log of its daemon, and since 1.34 the full ones (kube-log-runner/internal/logrotation). */
const RUNNER_NAME = /^(?:kube-proxy|kubelet)(?:-\d{8}-\d{6})?\.log$/i

export const isRunnerLog = (name: string): boolean => RUNNER_NAME.test(name)

export interface KlogName {
  readonly process: number
  /** Program, host and user. */
  readonly program: string
  readonly severity: string
  /** Local time of the host: "20260101-000000". */
  readonly stamp: string
}

export function klogName(name: string): KlogName | undefined {
  const match = KLOG_NAME.exec(name)
  if (!match) return undefined
  const [, program = '', severity = '', stamp = '', process = ''] = match
  return {process: Number(process), program: program.toLowerCase(), severity: severity.toUpperCase(), stamp}
}

const TRACE = '.trace'

/** In the order of their names. A trace of k8s-win has all that is in the log beside it: one of the two is read. */
export function readableNames(names: readonly string[], traces = false): string[] {
  const klog = names.flatMap((name) => klogName(name) ?? [])
  return names.filter((name) => {
    if (traces ? names.includes(`${name}${TRACE}`) : name.endsWith(TRACE)) return false
    const own = klogName(name)
    return own === undefined || !klog.some((other) => holds(other, own))
  })
}

/** Whether all lines of a file are also in the other one, which is of the same process and has more severities. */
function holds(other: KlogName, own: KlogName): boolean {
  const isFuller = FULLEST_FIRST.indexOf(other.severity) < FULLEST_FIRST.indexOf(own.severity)
  if (!isFuller || other.process !== own.process || other.program !== own.program) return false
  // klog may create the first file of a severity a second before the fuller one, and creates the next ones later. A file
  // that is much older than the fuller one is of another process with the same number.
  return stampTime(other.stamp, UTC_ZONE) <= stampTime(own.stamp, UTC_ZONE) + 5000
}

/** Milliseconds since 1970. */
export function stampTime(stamp: string, {at}: Zone): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? []
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number)
  return at(year, month, day, hour, minute, second)
}
