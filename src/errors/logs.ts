// The logs of a node: what cannot be shown.
import {defineError} from './define.js'

export const noNode = defineError('NO_NODE', 9, {
  cause: 'Setup was not run there, or did not finish.',
  fix: 'Pass the base directory of the node to --base-dir, or run "k8s-win setup" first.',
  message: 'No node is set up in {baseDir}',
})

export const unknownComponent = defineError('UNKNOWN_COMPONENT', 2, {
  cause: 'No log has that name.',
  fix: (p: {known: string; suggestion: string}) =>
    p.suggestion === '' ? `Name one of: ${p.known}.` : `Did you mean ${p.suggestion}? There are: ${p.known}.`,
  message: 'Unknown component "{name}"',
})

export const slowPattern = defineError('SLOW_PATTERN', 2, {
  cause: 'Matching one log line takes too many attempts, as with nested repetitions.',
  fix: 'Avoid nested repetitions: "a+$" instead of "(a+)+$".',
  message: '{flag} "{pattern}" takes too long',
})
