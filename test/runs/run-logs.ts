// logs called in this process, on a simulated host.
import type {LogEntry} from '../../src/logs/entry.js'
import {UTC_ZONE} from '../../src/logs/zone.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {type LogsRun, runLogs} from '../../src/runs/logs/logs.js'
import {type LogsFlags, readLogsRequest} from '../../src/runs/logs/logs-request.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {handClock} from '../fakes/hand-clock.js'
import type {HostFolder} from '../steps/host-folder.js'

interface Shown {
  readonly code: number
  readonly entries: readonly LogEntry[]
  readonly notes: readonly string[]
}

export async function logs(
  host: HostFolder,
  flags: LogsFlags = {},
  words: readonly string[] = [],
  more: Partial<LogsRun> = {},
): Promise<Shown> {
  const entries: LogEntry[] = []
  const notes: string[] = []
  const code = await runLogs({
    clock: handClock(),
    emit: async (some) => {
      entries.push(...some)
      return true
    },
    environment: {},
    machine: more.machine ?? (await openSimulator({dir: host.dir, profile: 'ws2019', readOnly: true})),
    note: (text) => void notes.push(text),
    redactor: createRedactor(),
    request: readLogsRequest(words, flags, UTC_ZONE),
    signal: new AbortController().signal,
    zone: UTC_ZONE,
    ...more,
  })
  return {code, entries, notes}
}
