// The record of `k8s-win pause`: since when, and until when, watch repairs nothing.
import {layoutOf} from '../../config/layout.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {parseJson, textAt} from '../../host/document.js'
import {ADMINISTRATORS_ONLY_FILE} from '../../host/security/security.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'
import type {PauseStatus} from '../../pipeline/run/status-report.js'

export interface Pause {
  readonly since: number
  /** Without one it lasts until `resume`. */
  readonly until?: number
}

/** A clock that is corrected by minutes does not end a pause. */
const CORRECTED_MS = 5 * 60_000

/** Undefined also for one that has ended. */
export async function readPause(
  machine: Pick<Machine, 'clock' | 'files' | 'win32'>,
  baseDir: string,
): Promise<Pause | undefined> {
  // Only administrators may pause: what other accounts could have written is none.
  const content = await readUserFile(trustedFilesOf(machine), layoutOf(baseDir).pause).catch(() => undefined)
  return content && pauseIn(parseJson(content.toString('utf8')), machine.clock.now())
}

/** A user has asked for a pause whose record is damaged: until `resume` it counts as one without an end. */
export function pauseIn(record: unknown, now: number): Pause | undefined {
  const [since, until] = [Date.parse(textAt(record, 'since')), Date.parse(textAt(record, 'until'))]
  if (Number.isNaN(since)) return {since: now}
  if (Number.isNaN(until)) return {since}
  // Before its beginning: the clock went back, and the pause would last longer than it was meant to.
  return now < until && now >= since - CORRECTED_MS ? {since, until} : undefined
}

/** Into a folder that is there, and that only administrators can change. */
export async function writePause({files}: Pick<Machine, 'files'>, baseDir: string, pause: Pause): Promise<void> {
  const text = JSON.stringify({schemaVersion: 1, ...pauseStatus(pause)}, undefined, 2)
  await files.write(layoutOf(baseDir).pause, `${text}\n`, {sddl: ADMINISTRATORS_ONLY_FILE})
}

export const pauseStatus = ({since, until}: Pause): PauseStatus => ({
  since: new Date(since).toISOString(),
  until: until === undefined ? null : new Date(until).toISOString(),
})
