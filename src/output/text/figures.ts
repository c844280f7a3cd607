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

export function megabytes(bytes: number): string {
  const mega = bytes / 1_000_000
  return `${mega < 10 ? mega.toFixed(1) : mega.toFixed(0)} MB`
}

/** "12 MB of 45 MB, 27%"; empty where nothing is counted. */
export function amount(current: number | undefined, total: number | undefined): string {
  if (current === undefined) return ''
  if (total === undefined || total <= 0) return megabytes(current)
  const percent = Math.min(100, Math.floor((current / total) * 100))
  return `${megabytes(current)} of ${megabytes(total)}, ${percent}%`
}

const twoDigits = (count: number): string => String(count).padStart(2, '0')
