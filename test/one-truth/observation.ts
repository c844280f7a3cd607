// What was seen of a scenario in one way of running it, as lines under headings; and what differs between two ways.

/** Lines by heading. The order of lines counts. */
export type Observation = Readonly<Record<string, readonly string[]>>

export interface Difference {
  readonly heading: string
  readonly line: string
  /** Which of the two has the line; the other has not. */
  readonly only: 'first' | 'second'
}

/** Nothing where both saw the same. */
export function differences(first: Observation, second: Observation): Difference[] {
  const headings = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return headings.flatMap((heading) => {
    const [a, b] = [first[heading] ?? [], second[heading] ?? []]
    return unshared(a, b).map((found) => ({heading, ...found}))
  })
}

export function tell({heading, line, only}: Difference): string {
  return `${heading} | ${only === 'first' ? '-' : '+'} ${line}`
}

/** The lines that are not in the longest common sequence of both. */
function unshared(a: readonly string[], b: readonly string[]): Omit<Difference, 'heading'>[] {
  const lengths = Array.from({length: a.length + 1}, () => new Uint32Array(b.length + 1))
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i]
    for (let j = b.length - 1; row && j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }

  const found: Omit<Difference, 'heading'>[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]]
    if (one !== undefined && one === other) {
      i++
      j++
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      found.push({line: one, only: 'first'})
      i++
    } else if (other !== undefined) {
      found.push({line: other, only: 'second'})
      j++
    }
  }

  return found
}
