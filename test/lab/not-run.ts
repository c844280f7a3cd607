// The lab cannot be had on this machine, for a reason that is not a failure: said loudly, and never called passed.
import {execFile} from 'node:child_process'
import {promisify} from 'node:util'

const execFileAsync = promisify(execFile)

/** EX_TEMPFAIL: the suites were not run. Neither 0 (passed) nor 1 (failed). */
export const NOT_RUN_EXIT_CODE = 75

export class LabNotRun extends Error {
  override readonly name = 'LabNotRun'
}

export function notRunNotice(reason: string): string {
  const line = '='.repeat(78)
  return [
    line,
    'NOT RUN: the Windows lab (npm run test:windows).',
    `Reason: ${reason}`,
    'Not run: the real CLI on the real Windows Node, the service manager, HNS through',
    'a DLL, host-local.exe, Docker, containerd, every other suite under test/lab.',
    'This is not a pass. The supported way is root on a Debian of x86_64, or Windows.',
    line,
    '',
  ].join('\n')
}

export interface LabPlace {
  readonly arch: string
  readonly platform: string
  /** Undefined where users have no numbers. */
  readonly uid: number | undefined
}

const here = (): LabPlace => ({arch: process.arch, platform: process.platform, uid: process.getuid?.()})

/** Cheap: asked before anything is built. */
export async function assertLabPossible({arch, platform, uid}: LabPlace = here()): Promise<void> {
  if (platform !== 'linux') throw new LabNotRun(`the lab is built on Linux, not on ${platform}`)
  if (arch !== 'x64') {
    throw new LabNotRun(`this machine is ${arch}; Wine runs node.exe for x64 at a bearable speed only on x86_64`)
  }
  if (uid !== 0) throw new LabNotRun('it needs root, for a chroot and mounts of its own')
  await execFileAsync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'lab', '/mnt']).catch(
    (error: unknown) => {
      throw new LabNotRun(`this root may not mount: ${String((error as {stderr?: string}).stderr).trim()}`)
    },
  )
}
