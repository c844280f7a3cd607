// Windows features, and the restarts that they and other installations require.
import {defineError} from './define.js'

/** Exit code 10 is a request to a launcher, too: restart Windows, and start the same command again. */
export const restartRequired = defineError<{reasons: string}>('RESTART_REQUIRED', 10, {
  cause: (p) =>
    `An installation or a change of the configuration is incomplete until Windows is restarted: ${p.reasons}.`,
  fix: 'Restart Windows, then run the same command again: it continues where this run stopped.',
  message: 'Windows must be restarted',
})
