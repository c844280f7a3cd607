// Who gets to see what watch finds: files, its log, Windows events and the cluster.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import {ADMINISTRATORS_ONLY, isPlainPath} from '../../host/security/security.js'
import type {LogLevel} from '../../logs/entry.js'
import {logLine, logName} from '../../output/run/run-log.js'
import {reportRepair} from '../launcher/windows-event.js'
import {oneAtATime, type ReporterInput, type WatchRepair, type WatchReporter, type WatchState} from './model.js'
import {type NodeHost, nodeIdentity, type NodeIdentity} from './node-identity.js'
import {openPruning} from './prune-logs.js'
import {openPublisher} from './publish.js'
import {healthFile, metricsFile} from './state-files.js'

/** Of one process. What it has shown is not repeated when the configuration of the node changes. */
export function openReporters(input: ReporterInput): (node?: NodeHost) => readonly WatchReporter[] {
  const {machine, redact} = input
  const health = healthFile(input)
  const log = openLog(input)
  const prune = openPruning(machine)
  let seen: WeakSet<WatchRepair> | undefined
  const counts = new Map<string, number>()
  const waiting: WatchRepair[] = []
  const show = oneAtATime(async (state) => {
    const repairs = waiting.splice(0)
    await log(state, repairs).catch(() => {})
    for (const {why, ...repair} of repairs)
      await reportRepair(machine, {...repair, ...(why !== undefined && {why: redact(why)})}).catch(() => {})
  })
  const news: WatchReporter = {
    report(state) {
      // The watch before has shown what the first state has.
      seen ??= new WeakSet(state.repairs)
      for (const repair of state.repairs.filter((one) => one.outcome !== 'begun' && !seen?.has(one))) {
        seen.add(repair)
        waiting.push(repair)
        if (repair.outcome !== 'gave up') counts.set(repair.what, (counts.get(repair.what) ?? 0) + 1)
      }
      return show(state)
    },
  }
  let node: NodeHost
  const identity = (): Promise<NodeIdentity> => nodeIdentity(node)
  const publisher = openPublisher({clock: machine.clock, identity, isPublished: () => node.config.publish, redact})
  return (current) => {
    if (!current) return [news, health]
    node = current
    const {config} = current
    return [
      // First: it counts what the metrics show.
      news,
      health,
      ...(config.metricsFile === undefined ? [] : [metricsFile(machine, config.metricsFile, counts)]),
      publisher,
      {report: (state) => prune(config, state)},
    ]
  }
}

/** Then the next file begins; old ones are pruned. */
const LARGEST = 1024 ** 2
const LEVEL = {begun: 'info', failed: 'warning', 'gave up': 'error', repaired: 'info'} as const

/**
 * A line per change, repair and give-up, beside the logs of runs: `logs k8s-win` shows it. Lines that cannot be written are lost:
 * what is wrong now is in health.json.
 */
function openLog({baseDir, machine: {files}, redact}: ReporterInput) {
  const folder = win32.join(layoutOf(baseDir).logs, 'k8s-win')
  let shown = ''
  let file: {readonly path: string; size: number} | undefined
  return async ({at, detail, troubles, verdict}: WatchState, repairs: readonly WatchRepair[]): Promise<void> => {
    const key = JSON.stringify([verdict, detail, troubles.map(({component, error}) => [component, error.id])])
    const problems = troubles.map(({error}) => `${error.message} (${error.id})`)
    const now = [verdict, ...(detail === undefined ? [] : [detail]), ...problems].join('; ')
    const line = (time: number, level: LogLevel, text: string): string =>
      logLine(new Date(time).toISOString(), {level, message: redact(text)})
    const lines = repairs.map(({at: time, outcome, what, why}) =>
      line(time, LEVEL[outcome], [outcome, what, ...(why === undefined ? [] : [why])].join(': ')),
    )
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
