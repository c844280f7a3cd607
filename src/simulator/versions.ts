// Versions as programs print them: numbers with dots, with or without a "v".

/** Negative where `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [one = [], other = []] = [a, b].map((text) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number))
  const index = [0, 1, 2].find((at) => (one[at] ?? 0) !== (other[at] ?? 0))
  return index === undefined ? 0 : (one[index] ?? 0) - (other[index] ?? 0)
}

export const isAtLeast = (version: string, minimum: string): boolean => compareVersions(version, minimum) >= 0
