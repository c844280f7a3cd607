// The logs of a node: what cannot be shown.
import {defineError} from './define.js'

export const noNode = defineError<{baseDir: string}>('NO_NODE', 9, {
  cause: 'Setup was not run there, or did not finish.',
  fix: 'Pass the base directory of the node to --base-dir, or run "k8s-win setup" first.',
  message: (p) => `No node is set up in ${p.baseDir}`,
})

export const unknownComponent = defineError<{known: string; name: string; suggestion: string}>('UNKNOWN_COMPONENT', 2, {
  cause: 'No log has that name.',
  fix: (p) =>
    p.suggestion === '' ? `Name one of: ${p.known}.` : `Did you mean ${p.suggestion}? There are: ${p.known}.`,
  message: (p) => `Unknown component "${p.name}"`,
})

export const slowPattern = defineError<{flag: string; pattern: string}>('SLOW_PATTERN', 2, {
  cause: 'Matching one log line takes too many attempts, as with nested repetitions.',
  fix: 'Avoid nested repetitions: "a+$" instead of "(a+)+$".',
  message: (p) => `${p.flag} "${p.pattern}" takes too long`,
})
