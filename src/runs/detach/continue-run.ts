// The service's side: waits until the run that handed it over has ended, reads the request, and runs what it asks for.
import {layoutOf} from '../../config/layout.js'
import {noRunRequested} from '../../errors/detach.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {waitFor} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import {reportProblem} from '../launcher/windows-event.js'
import {isLockHeld, isRunActive} from '../run-lock.js'
import {readRequest, type RunRequest, writeToken} from './request.js'
import {removeRun} from './end-service.js'
import {deleteRunService} from './run-service.js'

/** The run that handed it over only writes its result. Where another one holds the lock, the command says so. */
const LOCK_MS = 60_000
const POLL_MS = 250
/** Services start before the network and Docker do (Icinga/icinga2#10092): what fails for that is tried again. */
const MOST_TRIES = 4
const AGAIN_AFTER_MS = 60_000
/** docs/launchers.md: what time may cure is among these. */
const MAY_PASS: readonly number[] = [3, 4, 5, 6]
/** A restart is required, which Azure's extension gets 0 for; another run holds the lock; stopped. */
const ENDED: readonly number[] = [0, 10, 11, 130]
const UNBEGUN: readonly number[] = [11, 130]

export async function continueRun(
  machine: Machine,
  baseDir: string,
  run: (request: RunRequest, token: string | undefined) => Promise<number>,
): Promise<number> {
  const isFree = async (): Promise<true | undefined> => ((await isRunActive(machine)) ? undefined : true)
  const waited = await waitFor(machine.clock, {deadlineMs: LOCK_MS, everyMs: POLL_MS}, isFree)
  // Read only now: a run that was started by hand meanwhile has done the work, and has removed the request.
  let {request, token} = await readRequest(machine, baseDir).catch(async (error: unknown) => {
    // Its run has ended, and was killed before it could delete the service: that would start with Windows for ever.
    if (waited && noRunRequested.is(error)) await deleteRunService(machine, baseDir).catch(() => {})
    if (error instanceof K8sWinError) await reportProblem(machine, error).catch(() => {})
    throw error
  })
  const isLeft = async (): Promise<boolean> => (await machine.files.status(layoutOf(baseDir).request)) !== undefined
  for (let tries = request.isResumed === true ? MOST_TRIES : 1; ; tries--) {
    const code = await run(request, token).catch(async (error: unknown) => {
      // It did not come to its own end, so nothing else would ever remove it.
      if (!(await isLockHeld(machine))) await removeRun(machine, baseDir)
      throw error
    })
    if (!(await isLeft())) return code
    if (ENDED.includes(code)) {
      // Stopped, or not begun: the same run continues at the next start, and may still need the token. One that waits for a
      // restart has written its own request.
      if (UNBEGUN.includes(code) && token !== undefined) await writeToken(machine.files, baseDir, token)
      return code
    }

    // Also one that failed before it had the lock: it would be tried again at every start of Windows.
    if (tries <= 1 || !MAY_PASS.includes(code)) {
      await removeRun(machine, baseDir)
      return code
    }

    // The process may be ended while it waits, and a run that was started by hand may end the request.
    if (token !== undefined) await writeToken(machine.files, baseDir, token)
    await machine.clock.sleep(AGAIN_AFTER_MS)
    if (!(await isLeft())) return code
    ;({request, token} = await readRequest(machine, baseDir))
  }
}
