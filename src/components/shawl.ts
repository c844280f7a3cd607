// shawl in front of a daemon that does not speak to the service manager, or too late.
import {win32} from 'node:path'
import type {Layout} from '../config/layout.js'

/**
 * Between Ctrl-C and the end that shawl forces, in milliseconds. It is the same for a stop and for a shutdown, where Windows
 * ends every service after 5 s (WaitToKillServiceTimeout). 1.3.0 and 1.9.0 both have every option that is used here.
 */
export const STOP_TIMEOUT: readonly string[] = ['--stop-timeout', '4000']

/**
 * The beginning of the service's command line; the daemon's program and arguments follow. One supervisor each: shawl restarts
 * the daemon a second after it has ended, whatever its exit code, or unless it is one of `ends`; the service manager restarts
 * shawl. What shawl reports as stopped the service manager restarts only if Windows was started since the service was created
 * (docs/facts.md#services).
 */
export function underShawl(
  {logs, shawl}: Pick<Layout, 'logs' | 'shawl'>,
  name: string,
  ends: readonly number[] = [],
): readonly string[] {
  const restart = ends.length === 0 ? ['--restart'] : ['--restart-if-not', ends.join(',')]
  return [shawl, 'run', '--name', name, '--log-dir', win32.join(logs, name), ...restart, ...STOP_TIMEOUT, '--']
}
