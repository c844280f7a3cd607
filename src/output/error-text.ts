// An error as people read it: what, why, what to do, and where to read more.
import type {ErrorDocument} from '../pipeline/events.js'

/** Unwrapped lines; the ones after the first of an error are indented. */
export function errorLines(errors: readonly ErrorDocument[]): string[] {
  return errors.flatMap((error) => [
    `Error: ${error.message}`,
    `  Cause: ${error.cause}`,
    `  Fix: ${error.fix}`,
    `  ${error.id}, see ${error.url}`,
  ])
}
