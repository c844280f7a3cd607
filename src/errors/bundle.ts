// The file of a support bundle: where it cannot be written.
import {defineError} from './define.js'

export const bundleExists = defineError<{path: string}>('BUNDLE_EXISTS', 2, {
  cause: 'A bundle does not overwrite an existing file by default.',
  fix: 'Pass another file name to --bundle, or add --yes to overwrite it.',
  message: (p) => `${p.path} already exists`,
})

export const bundleTargetUnusable = defineError<{path: string; reason: string}>('BUNDLE_TARGET_UNUSABLE', 2, {
  cause: (p) => p.reason,
  fix: String.raw`Pass a new file in an existing folder to --bundle, such as C:\support.zip.`,
  message: (p) => `The bundle cannot be written to "${p.path}"`,
})

export const bundleNotWritten = defineError<{path: string; reason: string}>('BUNDLE_NOT_WRITTEN', 5, {
  cause: (p) => `Writing it failed: ${p.reason}.`,
  fix: 'Free up space there, or pass a file in a folder that you can write to.',
  message: (p) => `The bundle ${p.path} was not written`,
})
