// What a run did when, from its events: a row per step with its parts and tries, interruptions, and the critical path.
import type {StepResult, TimedEvent} from '../../pipeline/run/events.js'
import {duration} from '../text/figures.js'
import type {PartKind, TimelineRow, TimelineSpan} from './timeline-svg.js'

export interface StepRow extends TimelineRow {
  readonly from: number
  readonly id: string
  /** Undefined for checks, and for a step that did not end. */
  readonly result?: StepResult
  readonly to: number
}

export interface Timeline {
  readonly interruptions: readonly TimelineSpan[]
  /** Everything that was reported beside the steps. */
  readonly notes: readonly {readonly at: number; readonly label: string; readonly text: string}[]
  readonly rows: readonly StepRow[]
  /** Milliseconds since 1970; undefined where there are no events. */
  readonly startedAt: number | undefined
  readonly totalMs: number
}

/** What each step waits for. */
export type Needs = Readonly<Record<string, readonly string[]>>

interface OpenRow {
  readonly from: number
  readonly id: string
  isFailed: boolean
  readonly label: string
  parts: {from: number; kind: PartKind; text: string; to: number}[]
  result?: StepResult
  to: number
  readonly tries: {at: number; text: string}[]
}

const CHECKS = 'checks'
const FINAL_CHECKS = 'final-checks'
/** They create or remove the virtual switch of the overlay network. */
const INTERRUPTING = ['external-network', 'overlay-network']
/** Starts the program that creates it, a moment before. */
const BEGINS_BEFORE = 'flanneld-service'

/** Of the last run in the events: one that was handed over to a service begins once more. */
export function timelineOf(
  events: readonly TimedEvent[],
  needs: Needs,
  ended?: {readonly durationMs: number; readonly startedAt: string},
): Timeline {
  const own = events.slice(
    Math.max(
      0,
      events.findLastIndex(({type}) => type === 'run-started'),
    ),
  )
  const begun = ended?.startedAt ?? own[0]?.at
  const startedAt = begun === undefined ? undefined : Date.parse(begun)
  const rows: OpenRow[] = []
  const notes: Timeline['notes'][number][] = []
  const open = (id: string, label: string, from: number): OpenRow => {
    rows.push({from, id, isFailed: false, label, parts: [], to: from, tries: []})
    return find(id) as OpenRow
  }
  const find = (id: string | undefined): OpenRow | undefined => rows.findLast((row) => row.id === id)
  const note = (at: number, row: OpenRow | undefined, text: string, isMarked: boolean): void => {
    notes.push({at, label: row?.label ?? '', text})
    if (isMarked) row?.tries.push({at, text})
  }
  let last = 0
  for (const event of own) {
    const at = Date.parse(event.at) - (startedAt ?? 0)
    last = Math.max(last, at)
    if (event.type === 'check') {
      const isFinal = rows.some(({id}) => id !== CHECKS)
      const row = isFinal
        ? (find(FINAL_CHECKS) ?? open(FINAL_CHECKS, 'Final checks', Math.max(...rows.map(({to}) => to))))
        : (find(CHECKS) ?? open(CHECKS, 'Check host and cluster', 0))
      row.to = at
      row.isFailed ||= event.check.result === 'fail'
    } else if (event.type === 'log') {
      note(at, find(event.step), event.message, event.level === 'warn' || isTry(event.message))
    } else if (event.type === 'step-started') {
      begin(open(event.id, event.title, at), at, event.title)
    } else if (event.type === 'progress') {
      const row = find(event.id)
      if (!row || row.parts.at(-1)?.text === event.text) continue
      if (isTry(event.text)) note(at, row, event.text, true)
      begin(row, at, event.text)
    } else if (event.type === 'step-finished') {
      const row = find(event.step.id)
      if (row) Object.assign(row, {isFailed: event.step.error !== undefined, result: event.step, to: at})
    }
  }
  const totalMs = ended?.durationMs ?? last
  for (const row of rows) close(row, totalMs)
  const critical = criticalPath(rows, needs)
  return {
    interruptions: interruptionsOf(rows),
    notes,
    rows: rows.map((row) => ({...row, isCritical: critical.has(row)})),
    startedAt,
    totalMs,
  }
}

const isTry = (text: string): boolean => /\bagain in \d/.test(text)

function kindOf(text: string): PartKind {
  if (/^(?:draining|waiting)\b/.test(text) || isTry(text)) return 'wait'
  return /^(?:downloading|pulling)\b/.test(text) ? 'download' : 'work'
}

function begin(row: OpenRow, at: number, text: string): void {
  const before = row.parts.at(-1)
  if (before) before.to = at
  row.parts.push({from: at, kind: kindOf(text), text, to: at})
}

/** A step that did not end lasts until the last thing that is known of the run. What took no time is left out. */
function close(row: OpenRow, last: number): void {
  if (row.parts.length === 0) begin(row, row.from, row.label)
  else if (!row.result) row.to = last
  Object.assign(row.parts.at(-1) ?? {}, {to: row.to})
  const lasting = row.parts.filter(({from, to}) => to > from)
  row.parts = lasting.length > 0 ? lasting : row.parts.slice(0, 1)
}

/** Back from the step that ended last: what each had to wait for longest. */
function criticalPath(rows: readonly OpenRow[], needs: Needs): ReadonlySet<OpenRow> {
  const path = new Set<OpenRow>()
  const latest = (of: readonly OpenRow[]): OpenRow | undefined =>
    [...of].sort((one, other) => other.to - one.to || one.from - other.from)[0]
  for (let row = latest(rows); row;) {
    const {from, id} = row
    path.add(row)
    const before = rows.filter((one) => one.to <= from && !path.has(one))
    const needed = before.filter((one) => needs[id]?.includes(one.id))
    row = latest(needed.length > 0 ? needed : before)
  }
  return path
}

/** Not known to the second: connections are lost some time between the start of flanneld and the end of the wait for its network. */
function interruptionsOf(rows: readonly OpenRow[]): TimelineSpan[] {
  return rows
    .filter(({id, result}) => INTERRUPTING.includes(id) && !['in-place', 'skipped'].includes(result?.state ?? ''))
    .map(({from, to}) => {
      const start = rows.find(({id, result}) => id === BEGINS_BEFORE && result?.state === 'changed')
      const begins = start && start.to <= from ? start.from : from
      return {from: begins, text: `network interrupted within these ${duration(to - begins)}`, to}
    })
}
