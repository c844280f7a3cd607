// Answers that cost more to work out than to keep: one command reads the same few files many times.

/** The same answers, each worked out once; `most` of them are kept. What `work` throws is not kept. */
export function remembered<T, K extends number | string = string>(work: (key: K) => T, most = 5000): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const answer = known.get(key)
    if (answer !== undefined || known.has(key)) return answer as T
    if (known.size >= most) known.clear()
    const made = work(key)
    known.set(key, made)
    return made
  }
}
