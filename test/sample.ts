// Long lists whose every entry repeats a whole setup: npm test and npm run test:windows take a spread of them, npm run
// test:crash takes all, and so does K8S_WIN_TESTS=whole npm run test:windows.

/** vitest.crash.config.ts sets it, and runs every test file that imports this one or five-tests.ts. */
export const isWhole = process.env['K8S_WIN_TESTS'] === 'whole'

/** `count` entries at equal distances, with the first and the last. */
export function sample<T>(all: readonly T[], count: number): readonly T[] {
  if (isWhole || count >= all.length) return all
  return all.filter((_, index) => {
    const nth = Math.round((index * (count - 1)) / (all.length - 1))
    return index === Math.round((nth * (all.length - 1)) / (count - 1))
  })
}
