// The file of a support bundle: where it cannot be written.
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
