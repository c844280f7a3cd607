// The file of a support bundle: where it cannot be written.
import {defineError} from './define.js'

export const bundleExists = defineError<{path: string}>('BUNDLE_EXISTS', 2, {
  cause: 'A bundle does not replace a file unasked.',
  fix: 'Give --bundle another name, or add --yes to replace it.',
  message: (p) => `${p.path} is there already`,
})

export const bundleTargetUnusable = defineError<{path: string; reason: string}>('BUNDLE_TARGET_UNUSABLE', 2, {
  cause: (p) => p.reason,
  fix: String.raw`Give --bundle a new file in a folder that exists, such as C:\support.zip.`,
  message: (p) => `The bundle cannot be written to "${p.path}"`,
})

export const bundleNotWritten = defineError<{path: string; reason: string}>('BUNDLE_NOT_WRITTEN', 5, {
  cause: (p) => `Writing it failed: ${p.reason}.`,
  fix: 'Make room there, or give --bundle a file elsewhere that you may write.',
  message: (p) => `The bundle ${p.path} was not written`,
})
