// What `pause` and `resume` share: they write one record, and print one document.
import {pauseLine, type PauseDocument} from '../../output/text/pause-text.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import type {NodeRequest} from '../../runs/known-node.js'
import {chooseMachine} from '../choose-machine.js'
import type {GlobalFlags} from '../arguments/flag-table.js'
import {print} from '../print.js'
import {watchIfSimulated, withSession} from './run-with-view.js'

/** For their help. */
export const PAUSE_EXIT = [
  3,
  'this is not Windows, you are not an administrator, or other accounts can change the folder of the record',
] as const

export async function printPause(
  flags: GlobalFlags & {readonly 'base-dir'?: string | undefined},
  packageRoot: string,
  change: (request: NodeRequest) => Promise<PauseDocument>,
): Promise<number> {
  const chosen = await chooseMachine(flags, process.platform)
  return withSession(chosen, flags, packageRoot, async (session) => {
    const document = await change({...session, baseDir: flags['base-dir']})
    await watchIfSimulated(session)
    for (const warning of document.warnings) process.stderr.write(`Warning: ${warning}.\n`)
    return print(flags, [pauseLine(document)], document)
  }).catch((error: unknown) => {
    // Ctrl-C, or what Windows refuses; any other unexpected error is a bug.
    throw toUserError(error, 'Write the record of the pause') ?? error
  })
}
