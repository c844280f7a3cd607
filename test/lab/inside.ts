// How a Linux process gets into a running lab machine.
import {once} from 'node:events'
import {text} from 'node:stream/consumers'
import {spawnContained} from './contained.js'

/** Nothing of the outer environment is passed on. LC_ALL makes Wine take names of files as UTF-8. */
export const MACHINE_ENVIRONMENT = {
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  WINEDEBUG: '-all',
  WINEPREFIX: '/lab/prefix',
} as const

export interface LinuxResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The words in front of a command that make it run in the machine whose process 1 has this number outside. */
export function enter(initPid: number): string[] {
  return [
    'nsenter',
    '--target',
    String(initPid),
    '--mount',
    '--pid',
    '--uts',
    '--ipc',
    '--net',
    '--root',
    '--wd=/',
    '--',
  ]
}

/** Runs a Linux program of the chroot to its end. */
export async function runLinux(initPid: number, argv: readonly string[], timeoutMs: number): Promise<LinuxResult> {
  const child = spawnContained({
    argv: [...enter(initPid), 'timeout', '--signal=KILL', String(timeoutMs / 1000), ...argv],
    env: MACHINE_ENVIRONMENT,
    namespaces: 'none',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), closed])
  return {code: code ?? 137, stderr, stdout}
}
