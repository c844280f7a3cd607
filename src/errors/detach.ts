// Runs that continue as a service of Windows, and attach, which shows a run.
import {defineError} from './define.js'

export const nothingRuns = defineError('NOTHING_RUNS', 9, {
  cause: 'No k8s-win is running on this host: the run has ended, or was not started.',
  fix: 'Check the result of the last run: "k8s-win status".',
  message: 'There is no run to attach to',
})

export const runHasNoLog = defineError('RUN_HAS_NO_LOG', 9, {
  cause: (p: {baseDir: string; holder: string}) =>
    p.holder === ''
      ? `A k8s-win is running on this host, but it has left no information in ${p.baseDir}: it has just started, or uses another base directory.`
      : `The run is ${p.holder}. It could not open a log, from which its progress would be read.`,
  fix: 'Pass the base directory of the run to --base-dir, or wait until the run has ended and use "k8s-win status".',
  message: 'The run cannot be shown',
})

export const runNotBegun = defineError('RUN_NOT_BEGUN', 5, {
  cause: 'The run was handed over to the service k8s-win-run. {reason}.',
  fix: 'Check the event logs Application (source k8s-win) and System (source Service Control Manager), then run the same command again; with --no-detach it shows its errors in this session.',
  message: 'The run did not continue as a service',
})

export const runEndedUnseen = defineError('RUN_ENDED_UNSEEN', 5, {
  cause:
    'The run was {holder}. It no longer holds the lock, and {log} has no result: it was killed, or it was a reset that removed its log.',
  fix: 'Check with "k8s-win status". If the run did not finish, run the same command again to resume.',
  message: 'The run has ended without a result',
})

export const attachInterrupted = defineError('ATTACH_INTERRUPTED', 130, {
  cause: 'Ctrl-C or the end of the session ended attach, and nothing else.',
  fix: 'Attach again to see how it ends: "k8s-win attach".',
  message: 'Not attached any more; the run continues',
})

export const programNotInstalled = defineError('PROGRAM_NOT_INSTALLED', 3, {
  cause:
    'A service runs as SYSTEM, so its program must be where only administrators can change it. {program} is not below Program Files, and is not a single file that could be copied to the base directory.',
  fix: 'Use k8s-win.exe, or install k8s-win below C:\\Program Files. Without a service: pass --no-watch for a node that is not watched, and --no-detach for a run that ends with this session.',
  message: 'This k8s-win cannot run as a service',
})

export const noRunRequested = defineError('NO_RUN_REQUESTED', 9, {
  cause: '{path} {reason}.',
  fix: 'Run setup, upgrade or reset with --detach.',
  message: 'There is no run to continue',
})
