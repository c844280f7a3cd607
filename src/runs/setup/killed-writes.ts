// What a killed run of setup has left half-written: temporary files with what was to become a key or a kubeconfig.
import {inTime} from '../../host/wait.js'
import {DeadlineError} from '../../machine/clock.js'
import {findKilledWrites} from '../../pipeline/owned/own-file-names.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import {RECORDS_MS} from '../run.js'
import type {SetupRun} from '../phases/setup-run.js'

/** A folder that cannot be read is an error of the step that needs it; here it is only a warning. */
export async function removeKilledWrites({bus, dryRun, limited, node, signal}: SetupRun): Promise<void> {
  const {clock, files} = limited.machine
  const remove = async (deadline: AbortSignal): Promise<void> => {
    for (const path of await findKilledWrites(files, node)) {
      // Later it could be one of this run's own.
      deadline.throwIfAborted()
      if (!dryRun) await files.remove(path)
      const what = dryRun ? 'would remove' : 'removed'
      bus.info(`${what} ${path}, which a killed run had left`)
    }
  }
  try {
    await inTime(clock, RECORDS_MS, [], remove)
  } catch (error) {
    signal.throwIfAborted()
    const known = error instanceof DeadlineError ? error : toUserError(error, 'setup')
    if (!known) throw error
    bus.warn(`partial files of a killed run, which may contain keys, may remain: ${known.message}`)
  }
}
