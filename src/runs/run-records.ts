// What a run has left of itself, as far as it can be read: a disk that was full, or a power loss, leaves anything.
import {anyOf, type Guard, isNumber, isRecord, isText, isTime, listOf, shaped} from '../config/shape.js'
import {at, listAt} from '../host/document.js'
import type {CheckResult, ErrorDocument, RunResultDocument, StepResult, TimedEvent} from '../pipeline/run/events.js'

const maybe =
  (is: Guard): Guard =>
  (value): value is unknown =>
    value === undefined || is(value)
const isAmount: Guard = (value): value is unknown => isNumber(value) && Number.isFinite(value)
/** It is a part of a file name. */
const isCommand: Guard = (value): value is unknown => isText(value) && /^[a-z]+$/.test(value)

const isError = shaped<ErrorDocument>({
  cause: isText,
  command: (value): value is unknown => value === null || isText(value),
  fix: isText,
  id: isText,
  message: isText,
})
const isStep = shaped<StepResult>({
  changes: listOf(isText),
  durationMs: isAmount,
  error: maybe(isError),
  id: isText,
  state: anyOf('changed', 'failed', 'in-place', 'not-run', 'skipped', 'would-change'),
  title: isText,
})
const isCheck = shaped<CheckResult>({
  durationMs: isAmount,
  fix: maybe(isText),
  id: isText,
  message: isText,
  result: anyOf('fail', 'not-checked', 'pass', 'warn'),
  title: isText,
})
const isResult = shaped<RunResultDocument>({
  command: isCommand,
  durationMs: isAmount,
  exitCode: isAmount,
  outcome: anyOf('detached', 'done', 'failed', 'interrupted', 'not-checked', 'planned', 'restart-required'),
  recap: shaped({changed: isAmount, failed: isAmount, ok: isAmount, skipped: isAmount}),
  startedAt: isTime,
})
/** Left out where it is something else. */
const PARTS: Readonly<Partial<Record<string, Guard>>> = {
  error: isError,
  errors: listOf(isError),
  launcher: shaped({exitCode: isAmount, name: isText}),
  log: isText,
  node: shaped({ip: isText, name: isText, podCIDR: isText}),
  restartsIn: isAmount,
  summary: listOf(isText),
  upgrade: shaped({from: isText, to: isText}),
}

/** Undefined where it is no result. Steps and checks that cannot be read are left out. */
export function resultIn(value: unknown): RunResultDocument | undefined {
  if (!isResult(value)) return undefined
  const parts = Object.entries(value).filter(([name, part]) => PARTS[name]?.(part) ?? true)
  const [checks, steps] = [listAt(value, 'checks').filter(isCheck), listAt(value, 'steps').filter(isStep)]
  return {...(Object.fromEntries(parts) as unknown as RunResultDocument), checks, steps}
}

const EVENTS: Readonly<Record<TimedEvent['type'], Guard>> = {
  check: shaped({check: isCheck}),
  log: shaped({message: isText}),
  progress: shaped({id: isText, text: isText}),
  'run-finished': shaped({result: isRecord}),
  'run-started': shaped({command: isCommand}),
  'step-finished': shaped({step: isStep}),
  'step-started': shaped({id: isText, title: isText}),
}

export function eventsIn(events: readonly TimedEvent[]): TimedEvent[] {
  return events.flatMap((event): TimedEvent[] => {
    if (!isTime(event.at) || !isText(at(event, 'type'))) return []
    const is = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined
    if (!is?.(event)) return []
    if (event.type !== 'run-finished') return [event]
    const result = resultIn(event.result)
    return result ? [{...event, result}] : []
  })
}
