// What can go wrong with the program as a whole: a simulated machine that cannot be used, or a bug in k8s-win.
import {defineError} from './define.js'

export const bug = defineError('BUG', 1, {
  cause: '{message}',
  fix: (p: {log: string}) =>
    p.log === ''
      ? 'Please report it, with what --verbose shows.'
      : `Please report it with the log in ${p.log}. --verbose shows where it happened.`,
  message: 'This is a bug in k8s-win',
})

export const simulatorUnusable = defineError('SIMULATOR_UNUSABLE', 3, {
  cause: '{reason}',
  fix: 'Fix the cause, or pass a new folder to --simulate-dir: a new machine is created in it.',
  message: 'The simulated machine in {dir} cannot be used',
})

export const checkBroken = defineError('CHECK_BROKEN', 1, {
  cause: 'It ended with: {reason}. That is a bug in k8s-win; the stack is in the log.',
  fix: 'Report it with the log. To continue without this check, pass --ignore-check {id} to setup or upgrade.',
  message: 'The check "{id}" failed unexpectedly',
})

export const outputLost = defineError('OUTPUT_LOST', 5, {
  cause: (p: {code: string}) =>
    `Writing to standard output failed with ${p.code}${p.code === 'ENOSPC' ? ': the disk is full' : ''}. The command itself completed.`,
  fix: 'Free up space or redirect the output, and run the same command again: it repeats nothing. The result of setup, upgrade, reset and verify is also in <BaseDir>\\k8s-win\\result.json.',
  message: 'The output could not be written',
})

export const addonNotExtracted = defineError('ADDON_NOT_EXTRACTED', 3, {
  cause:
    'k8s-win.exe calls Windows through a library that must be a file, and creating it failed with {reason}. Only administrators can write to this folder.',
  fix: 'Run the command once as an administrator; afterwards other users can run it too. The portable zip and the npm package write nothing to this folder.',
  message: 'The library of k8s-win.exe could not be written to {folder}',
})

export const addonTampered = defineError('ADDON_TAMPERED', 4, {
  cause:
    'It is not the file that k8s-win.exe contains, and it could not be replaced: a process has it loaded, or it is a link. k8s-win did not load it.',
  fix: 'Find out who changed it. Then end the processes that use it and delete {file}: k8s-win creates it again.',
  message: '{file} was changed',
})

export const workingFolderMissing = defineError('WORKING_FOLDER_MISSING', 3, {
  cause: 'It was deleted, or its drive is gone, so relative paths have no meaning. Nothing was changed.',
  fix: 'Change to a folder that exists, such as C:\\, and run the same command again.',
  message: 'The current folder does not exist',
})
