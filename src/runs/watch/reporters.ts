// Who gets to see what watch finds: files, the log, Windows events and the cluster.
import {reportRepair} from '../launcher/windows-event.js'
import {healthFile} from './health-file.js'
import {metricsFile} from './metrics-file.js'
import type {ReporterInput, WatchRepair, WatchReporter} from './model.js'
import type {NodeHost} from './node-identity.js'
import {openPruning} from './prune-logs.js'
import {publisherOf} from './publish.js'
import {openWatchLog} from './watch-log.js'

/** Of one process. What it has shown is not repeated when the configuration of the node changes. */
export function openReporters(input: ReporterInput): (node: NodeHost) => readonly WatchReporter[] {
  const {machine, redact} = input
  const health = healthFile(input)
  const log = openWatchLog(input)
  const prune = openPruning(machine)
  const seen = new WeakSet<WatchRepair>()
  const counts = new Map<string, number>()
  const waiting: WatchRepair[] = []
  let isBusy = false
  const news: WatchReporter = {
    async report(state) {
      for (const repair of state.repairs.filter((one) => !seen.has(one))) {
        seen.add(repair)
        waiting.push(repair)
        if (repair.outcome !== 'gave up') counts.set(repair.what, (counts.get(repair.what) ?? 0) + 1)
      }
      // A disk that hangs must not collect lines.
      if (isBusy) return
      isBusy = true
      const repairs = waiting.splice(0)
      await log(state, repairs).catch(() => {})
      for (const {why, ...repair} of repairs)
        await reportRepair(machine, {...repair, ...(why !== undefined && {why: redact(why)})}).catch(() => {})
      isBusy = false
    },
  }
  return ({config, host}) => [
    // First: it counts what the metrics show.
    news,
    health,
    ...(config.metricsFile === undefined ? [] : [metricsFile(machine, config.metricsFile, counts)]),
    publisherOf({config, host}, redact),
    {report: (state) => prune(config, state)},
  ]
}
