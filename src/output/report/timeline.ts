// What a run did when, from its events: a row per step with its parts, tries and interruptions, and the critical path.
import type {StepState, TimedEvent} from '../../pipeline/run/events.js'
import {duration} from '../text/figures.js'
import type {PartKind, TimelineRow, TimelineSpan} from './timeline-svg.js'

export interface StepRow extends TimelineRow {
  readonly from: number
  readonly id: string
  /** Undefined for a step that did not end. */
  readonly state?: StepState
  readonly to: number
}

export interface Timeline {
  readonly interruptions: readonly TimelineSpan[]
  readonly rows: readonly StepRow[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly totalMs: number
}

/** What each step waits for. */
export type Needs = Readonly<Record<string, readonly string[]>>

interface OpenRow {
  from: number
  id: string
  isFailed: boolean
  label: string
  parts: {from: number; kind: PartKind; text: string; to: number}[]
  state?: StepState
  to: number
  tries: {at: number; text: string}[]
}

const CHECKS = 'checks'
const FINAL_CHECKS = 'final-checks'
/** They create or remove the virtual switch of the overlay network. */
const INTERRUPTING = ['external-network', 'overlay-network']
/** Starts the program that creates it, a moment before. */
const BEGINS_BEFORE = 'flanneld-service'

/** Of the last run in the events: one that was handed over to a service begins once more. */
export function timelineOf(events: readonly TimedEvent[], needs: Needs): Timeline {
  const own = events.slice(events.findLastIndex(({type}) => type === 'run-started'))
  const startedAt = Date.parse(own[0]?.at ?? '')
  const timeOf = ({at}: TimedEvent): number => Date.parse(at) - startedAt
  const rows: OpenRow[] = []
  const rowOf = (id: string, label: string, at: number): OpenRow => {
    const row: OpenRow = {from: at, id, isFailed: false, label, parts: [], to: at, tries: []}
    rows.push(row)
    return row
  }
  const find = (id: string | undefined): OpenRow | undefined => rows.findLast((row) => row.id === id)
  let last = 0
  for (const event of own) {
    const at = timeOf(event)
    last = Math.max(last, at)
    switch (event.type) {
      case 'check': {
        const isFinal = rows.some(({id}) => id !== CHECKS)
        const row = isFinal
          ? (find(FINAL_CHECKS) ?? rowOf(FINAL_CHECKS, 'Final checks', Math.max(...rows.map(({to}) => to))))
          : (find(CHECKS) ?? rowOf(CHECKS, 'Check host and cluster', 0))
        row.to = at
        row.isFailed ||= event.check.result === 'fail'
        break
      }
      case 'log': {
        const row = find(event.step) ?? (rows.length > 1 ? undefined : rows[0])
        if (event.level === 'warn' || isTry(event.message)) row?.tries.push({at, text: event.message})
        break
      }
      case 'progress': {
        const row = find(event.id)
        if (!row || row.parts.at(-1)?.text === event.text) break
        if (isTry(event.text)) row.tries.push({at, text: event.text})
        begin(row, at, event.text)
        break
      }
      case 'step-finished': {
        const {error, id, state} = event.step
        const row = find(id)
        if (row) Object.assign(row, {isFailed: error !== undefined, state, to: at})
        break
      }
      case 'step-started':
        begin(rowOf(event.id, event.title, at), at, event.title)
        break
      default:
        break
    }
  }
  for (const row of rows) close(row, last)
  const critical = criticalPath(rows, needs)
  return {
    interruptions: interruptionsOf(rows),
    rows: rows.map((row) => ({...row, isCritical: critical.has(row)})),
    startedAt,
    totalMs: last,
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
  const isOpen = row.state === undefined && row.id !== CHECKS && row.id !== FINAL_CHECKS
  if (isOpen) row.to = last
  if (row.parts.length === 0) begin(row, row.from, row.label)
  Object.assign(row.parts.at(-1) ?? {}, {to: row.to})
  const lasting = row.parts.filter(({from, to}) => to > from)
  row.parts = lasting.length > 0 ? lasting : row.parts.slice(0, 1)
}

/** Back from the step that ended last: what each had to wait for longest. */
function criticalPath(rows: readonly OpenRow[], needs: Needs): ReadonlySet<OpenRow> {
  const path = new Set<OpenRow>()
  const latest = (of: readonly OpenRow[]): OpenRow | undefined =>
    [...of].sort((one, other) => other.to - one.to || other.to - other.from - (one.to - one.from))[0]
  for (let row = latest(rows); row;) {
    const {from, id} = row
    path.add(row)
    const before = rows.filter((one) => one.to <= from && !path.has(one))
    const needed = before.filter((one) => needs[id]?.includes(one.id))
    row = latest(needed.length > 0 ? needed : before)
  }
  return path
}

/** It is not known to the second: connections are lost some time between the first of these and the end of the second. */
function interruptionsOf(rows: readonly OpenRow[]): TimelineSpan[] {
  return rows
    .filter(({id, state}) => INTERRUPTING.includes(id) && state !== 'in-place' && state !== 'skipped')
    .map(({from, id, to}) => {
      const start = rows.find((row) => row.id === BEGINS_BEFORE && row.state === 'changed' && row.to <= from)
      const begins = id === 'overlay-network' && start ? start.from : from
      return {from: begins, text: `network interrupted within these ${duration(to - begins)}`, to}
    })
}
