// Exit code 2: what user data cannot contain; exit code 5: a volume for it that cannot be written.
import {defineError} from './define.js'

/** `readers`: who can read the user data of this cloud. */
export const userdataSecret = defineError('USERDATA_SECRET', 2, {
  cause: 'User data can be read by {readers}.',
  fix: '{advice}',
  message: '{where}: a secret would be in the user data',
})

export const userdataUnquotable = defineError('USERDATA_UNQUOTABLE', 2, {
  cause: '{reason}',
  fix: 'Write the value into a configuration file, and pass its path to --config: the file is embedded as base64.',
  message: '{where} "{value}" cannot be written into a batch script',
})

export const userdataTooLarge = defineError('USERDATA_TOO_LARGE', 2, {
  cause: 'The limit is {limit}.',
  fix: 'Shorten the options and the embedded files. Options that are long or many fit into the file of --config, which is embedded in pieces.',
  message: '{what} has {size} characters',
})

export const userdataTargetUnusable = defineError('USERDATA_TARGET_UNUSABLE', 2, {
  cause: '{reason}',
  fix: 'Pass a new file in an existing folder to --iso, such as C:\\win-1.iso.',
  message: 'The volume with the user data cannot be written to "{path}"',
})

export const userdataNotWritten = defineError('USERDATA_NOT_WRITTEN', 5, {
  cause: 'Writing it failed: {reason}.',
  fix: 'Free up space there, or pass a file in a folder that you can write to.',
  message: 'The volume with the user data was not written to {path}',
})
