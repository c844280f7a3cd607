// Runs that continue as a service of Windows.
import {defineError} from './define.js'

export const programNotInstalled = defineError('PROGRAM_NOT_INSTALLED', 3, {
  cause:
    'A service runs as SYSTEM, so its program must be where only administrators can change it. {program} is not below Program Files, and is not a single file that could be copied to the base directory.',
  fix: 'Use k8s-win.exe, install k8s-win below C:\\Program Files, or pass --no-detach and keep this session open until the run has ended.',
  message: 'This k8s-win cannot continue as a service',
})

export const noRunRequested = defineError('NO_RUN_REQUESTED', 9, {
  cause: '{path} {reason}.',
  fix: 'Run setup, upgrade or reset with --detach.',
  message: 'There is no run to continue',
})
