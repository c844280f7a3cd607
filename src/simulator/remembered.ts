// A run asks the same few questions thousands of times.

const MOST = 5000

/** The same answers, each worked out once. */
export function remembered<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const answer = known.get(text)
    if (answer !== undefined || known.has(text)) return answer as T
    if (known.size >= MOST) known.clear()
    const made = work(text)
    known.set(text, made)
    return made
  }
}
