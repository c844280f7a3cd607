// A run that may continue as a service: it is started, and shown wherever it runs.
import {isOn, type Layered} from '../../config/options/layers.js'
import {openRealClock} from '../../machine/real/clock.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {attach} from '../../runs/attach/attach.js'
import type {SetupInput} from '../../runs/phases/setup-run.js'
import {chooseDetachment, demandService, withoutDetachedEnd} from './detach.js'
import {runWithView, type ViewedSession, type WatchedRun} from './run-with-view.js'

const FOLLOWED = 'the run continues as the service k8s-win-run, and is shown here from its beginning'

export interface DetachableRun extends WatchedRun {
  readonly asked: Pick<Layered, 'given'>
  readonly configFile?: string | undefined
}

type DetachableSession = Pick<SetupInput, 'detaches'> & ViewedSession

/** The exit code. */
export async function runDetachable(
  {asked, configFile, ...watched}: DetachableRun,
  run: (session: DetachableSession) => Promise<RunResultDocument>,
): Promise<number> {
  const {baseDir, chosen, dryRun = false} = watched
  if (isOn(asked, 'detach') && !dryRun) demandService(chosen.machine)
  const detachment = chooseDetachment(asked, chosen.machine, process)
  return runWithView(watched, async (parts) => {
    const bus = detachment.isFollowed ? withoutDetachedEnd(parts.bus) : parts.bus
    const detaches = (interrupts: boolean, signal: AbortSignal) => detachment.isWanted(interrupts, {...parts, signal})
    const result = await run({...parts, bus, detaches})
    if (result.outcome !== 'detached' || !detachment.isFollowed) return result
    parts.follow()
    parts.bus.info(FOLLOWED)
    return attach({...parts, baseDir, clock: openRealClock(), configFile, handedOverAt: result.finishedAt})
  })
}
