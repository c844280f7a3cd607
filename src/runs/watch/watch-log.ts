// The log of watch, beside those of runs: a line per change, repair and give-up. `logs k8s-win` shows it.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import {ADMINISTRATORS_ONLY, isPlainPath} from '../../host/security/security.js'
import {logLine, logName} from '../../output/run/run-log.js'
import type {LogLevel} from '../../logs/entry.js'
import type {ReporterInput, WatchRepair, WatchState} from './model.js'

/** Then the next file begins; old ones are pruned. */
const LARGEST = 1024 ** 2

export type WatchLog = (state: WatchState, repairs: readonly WatchRepair[]) => Promise<void>

/** Lines that cannot be written are lost: what is wrong now is in health.json. */
export function openWatchLog({baseDir, machine: {files}, redact}: ReporterInput): WatchLog {
  const folder = win32.join(layoutOf(baseDir).logs, 'k8s-win')
  let shown = ''
  let file: {readonly path: string; size: number} | undefined
  return async (state, repairs) => {
    const {at, detail, troubles, verdict} = state
    const key = JSON.stringify([verdict, detail, troubles.map(({component, error}) => [component, error.id])])
    const problems = troubles.map(({error}) => `${error.message} (${error.id})`)
    const now = [verdict, ...(detail === undefined ? [] : [detail]), ...problems].join('; ')
    const line = (time: number, level: LogLevel, text: string): string =>
      logLine(new Date(time).toISOString(), {level, message: redact(text)})
    const lines = repairs.map((repair) => line(repair.at, LEVEL[repair.outcome], repairText(repair)))
    if (key !== shown) lines.push(line(at, problems.length > 0 ? 'warning' : 'info', now))
    if (lines.length === 0 || !(await isPlainPath(files, folder))) return
    if (!file || file.size > LARGEST) {
      await files.makeDirectory(folder, {security: ADMINISTRATORS_ONLY})
      file = {path: win32.join(folder, logName('watch-service', at)), size: 0}
    }
    const text = lines.join('')
    file.size += text.length
    shown = key
    await files.append(file.path, text)
  }
}

const LEVEL = {failed: 'warning', 'gave up': 'error', repaired: 'info'} as const

const repairText = ({outcome, what, why}: WatchRepair): string =>
  `${outcome}: ${what}${why === undefined ? '' : `: ${why}`}`
