// shawl in front of a daemon that does not speak to the service manager, or too late.
import {win32} from 'node:path'
import type {Layout} from '../config/layout.js'

/** The beginning of the service's command line; the daemon's program and arguments follow. */
export function underShawl({logs, shawl}: Layout, name: string): readonly string[] {
  return [
    shawl,
    'run',
    '--name',
    name,
    '--log-dir',
    win32.join(logs, name),
    // One supervisor each: shawl restarts the daemon, whatever its exit code; the service manager restarts shawl.
    '--restart',
    '--stop-timeout',
    '10000',
    '--',
  ]
}
