// Windows features, and the restarts that they and other installations require.
import {defineError} from './define.js'

/** Exit code 10 is a request to a launcher, too: restart Windows, and start the same command again. */
export const restartRequired = defineError<{reasons: string}>('RESTART_REQUIRED', 10, {
  cause: (p) =>
    `An installation or a change of the configuration is incomplete until Windows is restarted: ${p.reasons}.`,
  fix: 'Restart Windows, then run the same command again: it continues where this run stopped.',
  message: 'Windows must be restarted',
})

export const featureNotEnabled = defineError<{advice: string; code: string; log: string; said: string}>(
  'FEATURE_NOT_ENABLED',
  5,
  {
    cause: (p) => `dism.exe ended with ${p.code}: ${p.said}.`,
    fix: (p) =>
      `${p.advice} (${p.log} has the details), then run the same command again; or enable the feature yourself with "Install-WindowsFeature Containers".`,
    message: 'The Windows feature Containers could not be enabled',
  },
)

export const restartLoop = defineError<{restarts: string}>('RESTART_LOOP', 5, {
  cause: (p) =>
    `Windows was restarted ${p.restarts} times for this node, and still reports that a restart is required.`,
  fix: 'Find out what requires the restart (RESTART_REQUIRED names it) and fix it. Then restart Windows, and run the same command again.',
  message: 'Windows is not restarted again',
})
