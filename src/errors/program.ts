// What can go wrong with the program as a whole: the wrong system, or a bug of ours.
import {defineError} from './define.js'

export const notWindows = defineError<{platform: string}>('NOT_WINDOWS', 3, {
  cause: 'k8s-win sets up the machine it runs on, and that must be a Windows Server.',
  fix: 'Run it on the Windows host, or rehearse here: add --simulate ws2019.',
  message: (p) => `This machine is not Windows (${p.platform})`,
})

export const bug = defineError<{log: string; message: string}>('BUG', 1, {
  cause: (p) => p.message,
  fix: (p) => `Please report it with the log in ${p.log}. --verbose shows where it happened.`,
  message: 'This is a bug in k8s-win',
})
