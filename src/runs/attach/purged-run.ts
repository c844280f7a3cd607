// The end of a reset --purge, which removes its log and leaves no result: attach learns it from the host and from the Windows
// event. Any account may add an event of any source to the log Application, so the event alone proves nothing. It is believed
// only where everything is removed, and where no event of k8s-win since the beginning of the run says anything else.
import {openEventLog, type WindowsEvent} from '../../host/event-log.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import {waitFor} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {Machine} from '../../machine/machine.js'
import {EVENT_SOURCE} from '../../machine/win32.js'
import type {RunResultDocument, TimedEvent} from '../../pipeline/run/events.js'
import {type NodeRequest, readKnownNode} from '../known-node.js'
import {EVENTS} from '../launcher/windows-event.js'
import {PURGE_TITLE} from '../reset/removals.js'
import {resultOf} from '../result.js'

/** What attach has read of a run that no longer holds the lock. */
export interface FollowedRun {
  readonly events: readonly TimedEvent[]
  readonly log: string
  /** When it held the lock. */
  readonly since: string
}

/** The event is written before the lock is released; the service of the event logs may show it a moment later. */
const EVENT_MS = 5000
const CHECK_EVERY_MS = 250
/** Other sources have events of these numbers, too. */
const MOST_EVENTS = 200

export const LAST_STEPS_UNSEEN =
  'the run has removed its log, as --purge requires: its last steps are not listed, and its end is read from the Windows event'

/** Undefined where it is not proven that the run has removed everything. The document lists only the steps that were seen. */
export async function purgedResult(
  run: NodeRequest & {readonly clock: Clock},
  {events, log, since}: FollowedRun,
): Promise<RunResultDocument | undefined> {
  const {clock, machine, signal} = run
  const begun = events.find((event) => event.type === 'run-started')
  if (!begun?.steps.some(({title}) => title === PURGE_TITLE)) return undefined
  // The journal is removed, or closed, after everything else.
  const {distrust, journal, state} = await readKnownNode(run)
  if (state !== 'absent' || journal.damage || distrust || (await trustedFilesOf(machine).status(log))) return undefined
  const ends = await waitFor(clock, {deadlineMs: EVENT_MS, everyMs: CHECK_EVERY_MS, signal}, () =>
    endsSince(machine, since),
  )
  const [end] = ends ?? []
  if (!end || ends?.some(({id}) => id !== EVENTS.done.id)) return undefined
  return resultOf({
    checks: [],
    command: begun.command,
    finishedAt: Date.parse(end.at),
    simulated: machine.simulated,
    startedAt: Date.parse(begun.at),
    steps: events.flatMap((event) => (event.type === 'step-finished' ? [event.step] : [])),
  })
}

/** The newest first; undefined where there is none yet, and where there are too many to see all of them. */
async function endsSince({win32}: Pick<Machine, 'win32'>, since: string): Promise<WindowsEvent[] | undefined> {
  const only = {ids: Object.values(EVENTS).map(({id}) => id), levels: []}
  const newest = await openEventLog(win32)
    .newest('Application', MOST_EVENTS, only)
    .catch(() => [])
  const later = newest.filter(({at}) => Date.parse(at) >= Date.parse(since))
  const ends = later.filter(({provider}) => provider === EVENT_SOURCE)
  return ends.length > 0 && later.length < MOST_EVENTS ? ends : undefined
}
