// What can go wrong with the program as a whole: a simulated machine that cannot be used, or a bug of ours.
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
  fix: 'Mend what the cause names, or give --simulate-dir a new folder: a fresh machine is made in it.',
  message: (p) => `The simulated machine in ${p.dir} cannot be used`,
})

export const checkBroken = defineError<{id: string; reason: string}>('CHECK_BROKEN', 1, {
  cause: (p) => `It ended with: ${p.reason}. That is a bug in k8s-win; the stack is in the log.`,
  fix: (p) => `Report it with the log. To go on without this check give --ignore-check ${p.id}.`,
  message: (p) => `The check "${p.id}" broke`,
})

export const outputLost = defineError<{code: string}>('OUTPUT_LOST', 5, {
  cause: (p) =>
    `Writing to standard output failed with ${p.code}${p.code === 'ENOSPC' ? ': the disk is full' : ''}. The command itself ran to its end.`,
  fix: String.raw`Make room, or send the output elsewhere, and run the same command again: it does nothing twice. How a setup or reset ended also stands in <BaseDir>\k8s-win\result.json.`,
  message: 'The output could not be written',
})
