import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {unifiedDiff} from '../../../src/pipeline/plan/file-lines.js'

/** As patch does it, without being lenient: what a hunk says was there must be there. */
function patched(before: readonly string[], diff: readonly string[]): string[] {
  const result: string[] = []
  let at = 0
  let left = {after: 0, before: 0}
  for (const line of diff) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(line)
    if (header && left.before + left.after === 0) {
      left = {after: Number(header[4] ?? 1), before: Number(header[2] ?? 1)}
      const start = left.before === 0 ? Number(header[1]) : Number(header[1]) - 1
      while (at < start) result.push(before[at++] ?? '')
      expect(result.length).toBe(left.after === 0 ? Number(header[3]) : Number(header[3]) - 1)
      continue
    }

    if (!line.startsWith('+')) {
      expect(before[at++]).toBe(line.slice(1))
      left.before--
    }
    if (!line.startsWith('-')) {
      result.push(line.slice(1))
      left.after--
    }
  }

  expect(left).toEqual({after: 0, before: 0})
  return [...result, ...before.slice(at)]
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '@@ -1 +1 @@', '+', ''), {maxLength: 30})
const textOf = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

describe('a unified diff', () => {
  test('makes the one text of the other', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(patched(before, unifiedDiff(textOf(before), textOf(after)))).toEqual(after)
      }),
    )
  })

  test('of the same text is empty', () => {
    fc.assert(
      fc.property(lines, (all) => {
        expect(unifiedDiff(textOf(all), textOf(all))).toEqual([])
      }),
    )
  })

  test('shows three lines around a change, and what is far from it in a hunk of its own', () => {
    const before = Array.from({length: 20}, (_, index) => `line ${index + 1}`)
    const after = before.map((line) => (line === 'line 5' || line === 'line 18' ? `${line}!` : line))
    expect(unifiedDiff(textOf(before), textOf(after))).toEqual([
      '@@ -2,7 +2,7 @@',
      ' line 2',
      ' line 3',
      ' line 4',
      '-line 5',
      '+line 5!',
      ' line 6',
      ' line 7',
      ' line 8',
      '@@ -15,6 +15,6 @@',
      ' line 15',
      ' line 16',
      ' line 17',
      '-line 18',
      '+line 18!',
      ' line 19',
      ' line 20',
    ])
  })

  test('of a new file begins before its first line', () => {
    expect(unifiedDiff('', 'one\n')).toEqual(['@@ -0,0 +1 @@', '+one'])
    expect(unifiedDiff('one\n', '')).toEqual(['@@ -1 +0,0 @@', '-one'])
  })

  test("Windows' line ends are no difference", () => {
    expect(unifiedDiff('one\r\ntwo\r\n', 'one\ntwo\n')).toEqual([])
  })
})
