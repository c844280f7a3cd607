// Durations as people write them: 90s, 15m, 1h, 1h30m.

const LONGEST_MS = 24 * 3_600_000

/** In milliseconds, from one second to a day; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,5})h)?(?:(\d{1,5})m)?(?:(\d{1,5})s)?$/.exec(text)
  if (!match) return undefined
  const [hours, minutes, seconds] = [1, 2, 3].map((group) => Number(match[group] ?? 0)) as [number, number, number]
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000
  return ms >= 1000 && ms <= LONGEST_MS ? ms : undefined
}
