// Which of a folder's files are to be read. klog writes a line into a file for each severity up to its own: only the
// fullest of them is, or every warning would be told twice and every error three times.

/** `kubelet.exe.<host>.<user>.log.INFO.20260101-000000.1234` (klog, logName). */
const KLOG_NAME = /^(.+)\.log\.(INFO|WARNING|ERROR|FATAL)\.(\d{8}-\d{6})\.(\d+)$/i
const FULLEST_FIRST = ['INFO', 'WARNING', 'ERROR', 'FATAL']

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

/** In the order of their names. */
export function readableNames(names: readonly string[]): string[] {
  const klog = names.flatMap((name) => klogName(name) ?? [])
  return names.filter((name) => {
    const own = klogName(name)
    return own === undefined || !klog.some((other) => holds(other, own))
  })
}

/** Whether all lines of a file are also in the other one, which is of the same process and has more severities. */
function holds(other: KlogName, own: KlogName): boolean {
  const isFuller = FULLEST_FIRST.indexOf(other.severity) < FULLEST_FIRST.indexOf(own.severity)
  if (!isFuller || other.process !== own.process || other.program !== own.program) return false
  // A severity's first file may be begun a second before the fuller one's; and it begins its next one when it is full,
  // which is later. A file that ends long before the other begins is of another process with the same number.
  return secondsOf(other.stamp) <= secondsOf(own.stamp) + 5
}

function secondsOf(stamp: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) / 1000
}
