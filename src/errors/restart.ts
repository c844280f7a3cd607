// Windows features, and the restarts that they and other installations require.
import {defineError} from './define.js'

/** Exit code 10 is a request to a launcher, too: restart Windows, and start the same command again. */
export const restartRequired = defineError('RESTART_REQUIRED', 10, {
  cause: 'An installation or a change of the configuration is incomplete until Windows is restarted: {reasons}.',
  fix: 'Restart Windows, then run the same command again: it continues where this run stopped.',
  message: 'Windows must be restarted',
})

export const featureNotEnabled = defineError('FEATURE_NOT_ENABLED', 5, {
  cause: 'dism.exe ended with {code}: {said}.',
  fix: '{advice} ({log} has the details), then run the same command again; or enable the feature yourself with "Install-WindowsFeature Containers" in PowerShell.',
  message: 'The Windows feature Containers could not be enabled',
})

export const restartLoop = defineError('RESTART_LOOP', 5, {
  cause: 'Windows was restarted {restarts} times for this node, and still reports that a restart is required.',
  fix: 'Find out what requires the restart (RESTART_REQUIRED names it) and fix it. Then restart Windows, and run the same command again.',
  message: 'Windows is not restarted again',
})
