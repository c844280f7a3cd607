// Numbers as text: durations, bytes, progress.

export function duration(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours}h ${twoDigits(minutes % 60)}m`
  const days = Math.floor(hours / 24)
  return days < 14 ? `${days}d ${twoDigits(hours % 24)}h` : `${days}d`
}

export const megabytes = (bytes: number): string => `${mega(bytes)} MB`

/** "12/45 MB", or "12 MB" where the total is not known. */
export const bytesOfTotal = (bytes: number, total: number | undefined): string =>
  total === undefined || total <= 0 ? megabytes(bytes) : `${mega(Math.min(bytes, total))}/${megabytes(total)}`

/** "4 s", "3 min", "1 h 05 min": an estimate has no tenths. */
export function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`
}

const mega = (bytes: number): string => (bytes < 9_950_000 ? (bytes / 1e6).toFixed(1) : (bytes / 1e6).toFixed(0))
const twoDigits = (count: number): string => String(count).padStart(2, '0')
