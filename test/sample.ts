// Long lists whose every entry repeats a whole setup: npm test and npm run test:windows take a spread of them, npm run
// test:crash takes all, and so does K8S_WIN_TESTS=whole npm run test:windows.

/** vitest.crash.config.ts sets it, and runs every test file that imports this one or five-tests.ts. */
export const isWhole = process.env['K8S_WIN_TESTS'] === 'whole'

/** `count` entries, at least two, at equal distances, with the first and the last; and all that are named after a finding. */
export function sample<T>(all: readonly T[], count: number): readonly T[] {
  if (isWhole || count >= all.length) return all
  return all.filter((entry, index) => {
    const nth = Math.round((index * (count - 1)) / (all.length - 1))
    return index === Math.round((nth * (all.length - 1)) / (count - 1)) || isOfFinding(entry)
  })
}

/**
 * For entries that several tests take, or that have a test of their own elsewhere: about `count` of them, at equal distances,
 * and others for another `nth`.
 */
export function turn<T>(all: readonly T[], nth: number, count = 1): readonly T[] {
  const every = Math.ceil(all.length / count)
  return isWhole ? all : all.filter((_, index) => index % every === nth % every)
}

/** test/review.test.ts: each finding of the reviews has its test in npm test. A row is named by its first column or its `name`. */
function isOfFinding(entry: unknown): boolean {
  const row = typeof entry === 'object' ? Object.entries(entry ?? {}) : [['name', entry]]
  return row.some(([key, value]) => (key === 'name' || key === '0') && /(?:^|: )review /.test(String(value)))
}
