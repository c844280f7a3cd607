// Answers that cost more to work out than to keep: one command reads the same few files many times.

/** The same answers, each worked out once; `most` of them are kept. What `work` throws is not kept. */
export function remembered<T>(work: (text: string) => T, most = 5000): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const answer = known.get(text)
    if (answer !== undefined || known.has(text)) return answer as T
    if (known.size >= most) known.clear()
    const made = work(text)
    known.set(text, made)
    return made
  }
}
