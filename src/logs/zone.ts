// The local time of the host, which daemons write into their logs.

export interface Zone {
  /** Milliseconds since 1970 of a local time; the month is 1 to 12. */
  at(year: number, month: number, day: number, hour: number, minute: number, second: number): number
  /** "2026-11-15 06:04:02.823" */
  text(time: number): string
}

/** The zone of the machine that this program runs on. */
export const HOST_ZONE: Zone = {
  at: (year, month, day, hour, minute, second) => new Date(year, month - 1, day, hour, minute, second).getTime(),
  text(time) {
    const at = new Date(time)
    const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
    const clock = [two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join(':')
    return `${date} ${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`
  },
}

export const UTC_ZONE: Zone = {
  at: (year, month, day, hour, minute, second) => Date.UTC(year, month - 1, day, hour, minute, second),
  text: (time) => new Date(time).toISOString().replace('T', ' ').slice(0, -1),
}

const two = (value: number): string => String(value).padStart(2, '0')
