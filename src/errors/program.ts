// What can go wrong with the program as a whole: a simulated machine that cannot be used, or a bug in k8s-win.
import {defineError} from './define.js'

export const bug = defineError<{log: string; message: string}>('BUG', 1, {
  cause: (p) => p.message,
  fix: (p) =>
    p.log === ''
      ? 'Please report it, with what --verbose shows.'
      : `Please report it with the log in ${p.log}. --verbose shows where it happened.`,
  message: 'This is a bug in k8s-win',
})

export const simulatorUnusable = defineError<{dir: string; reason: string}>('SIMULATOR_UNUSABLE', 3, {
  cause: (p) => p.reason,
  fix: 'Fix the cause, or pass a new folder to --simulate-dir: a new machine is created in it.',
  message: (p) => `The simulated machine in ${p.dir} cannot be used`,
})

export const checkBroken = defineError<{id: string; reason: string}>('CHECK_BROKEN', 1, {
  cause: (p) => `It ended with: ${p.reason}. That is a bug in k8s-win; the stack is in the log.`,
  fix: (p) => `Report it with the log. To continue without this check, pass --ignore-check ${p.id}.`,
  message: (p) => `The check "${p.id}" failed unexpectedly`,
})

export const outputLost = defineError<{code: string}>('OUTPUT_LOST', 5, {
  cause: (p) =>
    `Writing to standard output failed with ${p.code}${p.code === 'ENOSPC' ? ': the disk is full' : ''}. The command itself completed.`,
  fix: String.raw`Free up space or redirect the output, and run the same command again: it repeats nothing. The result of setup, upgrade, reset and verify is also in <BaseDir>\k8s-win\result.json.`,
  message: 'The output could not be written',
})

export const addonNotExtracted = defineError<{folder: string; reason: string}>('ADDON_NOT_EXTRACTED', 3, {
  cause: (p) =>
    `k8s-win.exe calls Windows through a library that must be a file, and creating it failed with ${p.reason}. Only administrators can write to this folder.`,
  fix: 'Run the command once as an administrator; afterwards other users can run it too. The portable zip and the npm package write nothing to this folder.',
  message: (p) => `The library of k8s-win.exe could not be written to ${p.folder}`,
})

export const addonTampered = defineError<{file: string}>('ADDON_TAMPERED', 4, {
  cause:
    'It is not the file that k8s-win.exe contains, and it could not be replaced: a process has it loaded, or it is a link. k8s-win did not load it.',
  fix: (p) =>
    `Find out who changed it. Then end the processes that use it and delete ${p.file}: k8s-win creates it again.`,
  message: (p) => `${p.file} was changed`,
})

export const workingFolderMissing = defineError<Record<never, string>>('WORKING_FOLDER_MISSING', 3, {
  cause: 'It was deleted, or its drive is gone, so relative paths have no meaning. Nothing was changed.',
  fix: 'Change to a folder that exists, such as C:\\, and run the same command again.',
  message: 'The current folder does not exist',
})
