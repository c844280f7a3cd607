// Who gets to see what watch finds: files, the log, Windows events and the cluster.
import {reportRepair} from '../launcher/windows-event.js'
import {healthFile} from './health-file.js'
import {metricsFile} from './metrics-file.js'
import type {ReporterInput, WatchRepair, WatchReporter} from './model.js'
import {type NodeHost, nodeIdentity, type NodeIdentity} from './node-identity.js'
import {openPruning} from './prune-logs.js'
import {openPublisher} from './publish.js'
import {openWatchLog} from './watch-log.js'

/** Of one process. What it has shown is not repeated when the configuration of the node changes. */
export function openReporters(input: ReporterInput): (node: NodeHost) => readonly WatchReporter[] {
  const {machine, redact} = input
  const health = healthFile(input)
  const log = openWatchLog(input)
  const prune = openPruning(machine)
  let seen: WeakSet<WatchRepair> | undefined
  const counts = new Map<string, number>()
  const waiting: WatchRepair[] = []
  let isBusy = false
  const news: WatchReporter = {
    async report(state) {
      // The watch before has shown what the first state has.
      seen ??= new WeakSet(state.repairs)
      for (const repair of state.repairs.filter((one) => !seen?.has(one))) {
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
  let node: NodeHost
  const identity = (): Promise<NodeIdentity> => nodeIdentity(node)
  const publisher = openPublisher({clock: machine.clock, identity, isPublished: () => node.config.publish, redact})
  return (current) => {
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
