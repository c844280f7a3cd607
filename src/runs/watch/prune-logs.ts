// Deletes old logs of k8s-win and rotated ones of its daemons: klog and old releases of kube-log-runner never do. Logs of containers are
// the kubelet's to rotate.
import {win32} from 'node:path'
import {daemonsOf} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {isPlainPath} from '../../host/security/security.js'
import {openTrust} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'
import {isDaemonLog, isRunLog} from '../../pipeline/owned/own-file-names.js'
import type {WatchState} from './model.js'
import {ageOf} from '../../machine/clock.js'

const DAY_MS = 24 * 3_600_000
/** After the start, when Windows and the daemons are at rest. */
const FIRST_MS = 3_600_000
const OLDEST_MS = 30 * DAY_MS
/** Of one sort; so many stay however old they are: the clock may be wrong. */
const [FEWEST, MOST] = [5, 50]
/** Of one folder; the check `log-folders` warns at twice as much. */
const MOST_BYTES = 2 ** 29

/** Once a day. */
export function openPruning(machine: Machine): (config: Decided, state: WatchState) => Promise<void> {
  const {clock} = machine
  let due = clock.elapsed() + FIRST_MS
  return async (config, {isBusy, verdict}) => {
    if (isBusy || verdict === 'unknown' || clock.elapsed() < due) return
    due = clock.elapsed() + DAY_MS
    await pruneLogs(machine, config).catch(() => {})
  }
}

export async function pruneLogs({clock, files, win32: calls}: Machine, config: Decided): Promise<void> {
  const {logs} = layoutOf(config.baseDir)
  const folders = [
    ['k8s-win', isRunLog],
    ...daemonsOf(config).map(({service}) => [service, isDaemonLog] as const),
  ] as const
  for (const [name, isOurs] of folders) {
    const folder = win32.join(logs, name)
    if (!(await isPlainPath(files, folder)) || (await openTrust(calls).problem(folder, 'folder'))) continue
    const paths = (await files.list(folder)).filter(isOurs).map((one) => win32.join(folder, one))
    const found = await Promise.all(paths.map(async (path) => ({path, status: await files.status(path)})))
    const newestFirst = found
      .flatMap(({path, status}) => (status?.kind === 'file' ? [{...status, path}] : []))
      .sort((one, other) => other.modifiedMs - one.modifiedMs)
    const counts = new Map<string, number>()
    let bytes = 0
    for (const {modifiedMs, path, size} of newestFirst) {
      // Files of one sort differ in times and numbers; what is in use is the newest of its sort, and of those without a number the only one.
      const sort = path.replaceAll(/\d+/g, '')
      const before = counts.get(sort) ?? 0
      counts.set(sort, before + 1)
      bytes += size
      const isOld = before >= FEWEST && ageOf(clock, modifiedMs) > OLDEST_MS
      // Windows refuses to delete what a daemon has open.
      if (before > 0 && (isOld || before >= MOST || bytes > MOST_BYTES)) await files.remove(path).catch(() => {})
    }
  }
}
