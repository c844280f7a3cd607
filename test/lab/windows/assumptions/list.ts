// The list of assumptions: the table in docs/assumptions.md.
import {readFileSync} from 'node:fs'

export interface Assumption {
  readonly id: string
  /** A command to run on a real Windows Server, and what to check in its output. */
  readonly settledBy: string
  readonly statement: string
}

/** The page itself, in a bundled suite: node.exe does not have this checkout (test/lab/bundle-suites.ts). */
declare const ASSUMPTIONS_PAGE: string | undefined

const page =
  typeof ASSUMPTIONS_PAGE === 'string'
    ? ASSUMPTIONS_PAGE
    : readFileSync(new URL('../../../../docs/assumptions.md', import.meta.url), 'utf8')

export const ASSUMPTIONS: readonly Assumption[] = page
  .split('\n')
  .filter((line) => /^\| [a-z][a-z-]+ \| [A-Z]/.test(line))
  .map((line) => {
    const [id = '', statement = '', settledBy = ''] = line
      .slice(2, -2)
      .split(/ (?<!\\)\| /)
      .map((cell) =>
        cell
          .replaceAll('&lt;', '<')
          .replaceAll(String.raw`\|`, '|')
          .trim(),
      )
    return {id, settledBy, statement}
  })
