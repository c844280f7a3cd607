// The logs of a node, the support bundle and the page of a run: what cannot be shown, and where it cannot be written.
import {defineError} from './define.js'

export const bundleExists = defineError('BUNDLE_EXISTS', 2, {
  cause: 'A bundle does not overwrite an existing file by default.',
  fix: 'Pass another file name to --bundle, or add --yes to overwrite it.',
  message: '{path} already exists',
})

export const bundleTargetUnusable = defineError('BUNDLE_TARGET_UNUSABLE', 2, {
  cause: '{reason}',
  fix: 'Pass a new file in an existing folder to --bundle, such as C:\\support.zip.',
  message: 'The bundle cannot be written to "{path}"',
})

export const bundleNotWritten = defineError('BUNDLE_NOT_WRITTEN', 5, {
  cause: 'Writing it failed: {reason}.',
  fix: 'Free up space there, or pass a file in a folder that you can write to.',
  message: 'The bundle {path} was not written',
})

export const reportTargetUnusable = defineError('REPORT_TARGET_UNUSABLE', 2, {
  cause: '{reason}',
  fix: 'Pass a new file in an existing folder, such as C:\\setup.html.',
  message: 'The page of the run cannot be written to "{path}"',
})

export const reportNotWritten = defineError('REPORT_NOT_WRITTEN', 5, {
  cause: 'Writing it failed: {reason}.',
  fix: 'Free up space there, or pass a file in a folder that you can write to: "k8s-win report <file.html>".',
  message: 'The page of the run was not written to {path}',
})

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
