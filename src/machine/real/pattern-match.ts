// Regular expressions of users, with a time limit: some never end on some lines ("(a+)+$").
import {Script, createContext} from 'node:vm'

/** For one batch, which a decent pattern is done with in milliseconds. */
const LIMIT_MS = 1000
/** Characters searched at once. */
const BATCH = 500_000

/** The pattern was not done in time. */
export class SlowPatternError extends Error {
  constructor(readonly pattern: RegExp) {
    super(`the pattern ${String(pattern)} takes too long`)
    this.name = 'SlowPatternError'
  }
}

/** Which of the texts the pattern matches. V8 ends a script that takes too long also in the midst of matching. */
export function openPatternMatch(pattern: RegExp): (texts: readonly string[]) => boolean[] {
  const script = new Script('found = texts.map(test)')
  const box = {
    found: [] as boolean[],
    test: (text: string): boolean => pattern.test(text),
    texts: [] as readonly string[],
  }
  const context = createContext(box)
  const within = (texts: readonly string[]): boolean[] => {
    try {
      box.texts = texts
      script.runInContext(context, {timeout: LIMIT_MS})
      return box.found
    } catch (error) {
      const isSlow = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      throw isSlow ? new SlowPatternError(pattern) : error
    }
  }

  // The limit is of the wall's clock: on a busy host a whole batch may miss it, one text does not.
  const oneByOneIfSlow = (texts: readonly string[]): boolean[] => {
    try {
      return within(texts)
    } catch (error) {
      if (!(error instanceof SlowPatternError) || texts.length === 1) throw error
      return texts.flatMap((text) => within([text]))
    }
  }

  return (texts) => {
    const found: boolean[] = []
    for (let at = 0; at < texts.length;) {
      let end = at
      for (let size = 0; end < texts.length && (end === at || size < BATCH); end++) size += texts[end]?.length ?? 0
      for (const isFound of oneByOneIfSlow(texts.slice(at, end))) found.push(isFound)
      at = end
    }
    return found
  }
}
