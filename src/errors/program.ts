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
  fix: (p) => `Mend it, remove ${p.dir} to begin with a fresh one, or name another folder with --simulate-dir.`,
  message: (p) => `The simulated machine in ${p.dir} cannot be used`,
})
