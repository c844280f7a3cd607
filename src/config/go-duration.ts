// Durations as Go's programs read them.

const NANOSECONDS = {h: 3.6e12, m: 6e10, ms: 1e6, ns: 1, s: 1e9, us: 1000, '\u00B5s': 1000, '\u03BCs': 1000} as const

/** As time.ParseDuration, in nanoseconds; undefined for what it refuses, a number of them above an int64 included. */
export function goDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const rest = /^[+-]/.test(text) ? text.slice(1) : text
  if (rest === '0') return 0
  // Sticky: every letter is read once, however long the text is.
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h)/y
  let sum = 0
  while (part.lastIndex < rest.length) {
    const [, number, unit] = part.exec(rest) ?? []
    if (unit === undefined) return undefined
    sum += Number(number) * NANOSECONDS[unit as keyof typeof NANOSECONDS]
  }

  return rest === '' || sum >= 2 ** 63 ? undefined : sign * sum
}
