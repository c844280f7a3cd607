// The journal, judged before it is read: whoever can write it decides what reset removes and what setup takes for verified.
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {type Journal, openJournal} from './journal.js'

export interface TrustedJournal {
  /** Why nothing of it was read: then it has no entries and takes none. */
  readonly distrust?: K8sWinError
  readonly journal: Journal
}

export async function openTrustedJournal(
  {clock, files, trust}: Pick<Host, 'clock' | 'files' | 'trust'>,
  path: string,
): Promise<TrustedJournal> {
  const distrust = await trust.problem(path)
  if (distrust) return {distrust, journal: closedJournal(distrust)}
  return {journal: await openJournal(files, path, () => clock.now())}
}

function closedJournal(distrust: K8sWinError): Journal {
  const refuse = (): Promise<void> => Promise.reject(distrust)
  return {all: () => [], damage: undefined, entries: () => [], forget: refuse, record: refuse, recordLines: refuse}
}
