// Whether a daemon has read its configuration files since they were written.
import {SERVED} from '../../../config/daemons.js'
import type {StepContext, StepId} from '../../run/step.js'
import type {Journal} from '../../ledger/journal.js'
import type {Kind, Things} from '../../ledger/kind.js'

/** Services by the step that writes their configuration. */
const CONFIGURED: Things = new Map(
  SERVED.flatMap(({configuredBy, service}) => (configuredBy ? [[service, configuredBy]] : [])),
)

export const configurationRead: Kind = {
  accepts: ({name, process, read}, step) =>
    CONFIGURED.get(name) === step &&
    typeof read === 'boolean' &&
    (process === undefined || typeof process === 'string'),
}

/**
 * Before a file is written that a daemon reads only when it starts. Restoring a changed file is not enough, because the
 * daemon may have read it since, also where the run is killed in between; the mark in the service's environment does not
 * show it, because what is wanted is the same as before. A service that does not exist reads the file when it starts.
 */
export async function noteUnread(
  {host, journal}: Pick<StepContext, 'host' | 'journal'>,
  step: StepId,
  name: string,
): Promise<void> {
  if (await host.services.status(name)) await journal.record(step, {kind: 'configuration-read', name, read: false})
}

export const isUnread = (journal: Pick<Journal, 'entries'>, step: StepId, service: string): boolean =>
  journal.entries(step, 'configuration-read').find(({name}) => name === service)?.read === false

/** After the files were written: one that starts from now on reads them, whoever starts it. */
export async function noteWritten(
  {host, journal}: Pick<StepContext, 'host' | 'journal'>,
  step: StepId,
  name: string,
): Promise<void> {
  if (!isUnread(journal, step, name)) return
  const process = await processOf(host, name)
  await journal.record(step, {kind: 'configuration-read', name, process, read: false})
}

/** Whether the process that runs may be one from before the files were written. */
export async function mayBeOld(
  {host, journal}: Pick<StepContext, 'host' | 'journal'>,
  step: StepId,
  name: string,
): Promise<boolean> {
  if (!isUnread(journal, step, name)) return false
  const {process} = journal.entries(step, 'configuration-read').find((entry) => entry.name === name) ?? {}
  return process === undefined || (process !== '' && (await processOf(host, name)) === process)
}

async function processOf({services}: StepContext['host'], name: string): Promise<string> {
  const wrapped = SERVED.find((daemon) => daemon.service === name && daemon.wrapper === 'shawl')
  const life = await services.life(name, wrapped && `${wrapped.program}.exe`)
  return life ? `${life.id} since ${life.since}` : ''
}

/** After the daemon was started. */
export async function noteRead(journal: Journal, step: StepId, name: string): Promise<void> {
  if (isUnread(journal, step, name)) await journal.record(step, {kind: 'configuration-read', name, read: true})
}
