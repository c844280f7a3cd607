// The view without a terminal: one ASCII line an event, with its time, and the verdict in the last lines.
import type {RunResultDocument, StepState, TimedEvent} from '../pipeline/events.js'
import type {StepId} from '../pipeline/step-id.js'
import {errorLines} from './error-text.js'
import {amount, duration} from './figures.js'
import {ascii, printable, truncate, wrap} from './text-shape.js'
import {checkText, errorsOf, nodeLine, recapLine, verdictLine} from './verdict.js'
import type {TextViewOptions, View} from './view.js'

const WIDTH = 120

/** Progress of one step is told again when its text changes, or after this long. */
const PROGRESS_MS = 10_000

const STATES: Readonly<Record<StepState, string>> = {
  changed: 'changed',
  failed: 'FAILED',
  'in-place': 'ok',
  'not-run': 'not run',
  skipped: 'skipped',
  'would-change': 'would change',
}

export function plainView({next, stream, verbose}: TextViewOptions): View {
  const told = new Map<StepId, {readonly at: number; readonly text: string}>()

  const clean = (text: string): string => ascii(printable(text))
  const line = (at: string, text: string): void => {
    stream.write(`${truncate(`${at} ${clean(text)}`, WIDTH, '...')}\n`)
  }
  /** What must not be cut goes on in further lines. */
  const lines = (at: string, text: string, indent = ''): void => {
    for (const part of wrap(clean(text), WIDTH - at.length - 1 - indent.length, '  '))
      stream.write(`${at} ${indent}${part}\n`)
  }

  const finish = (at: string, result: RunResultDocument): void => {
    const node = nodeLine(result)
    if (result.outcome === 'done') for (const command of next) lines(at, `next: ${command}`)
    for (const text of errorLines(errorsOf(result))) lines(at, text, text.startsWith(' ') ? '  ' : '')
    if (node !== undefined) lines(at, node)
    line(at, recapLine(result.recap))
    line(at, verdictLine(result))
  }

  const listen = (event: TimedEvent): void => {
    const {at} = event
    switch (event.type) {
      case 'run-started': {
        line(at, `k8s-win ${event.command}: ${event.steps.length} steps`)
        break
      }
      case 'check': {
        const {result} = event.check
        if (verbose || result !== 'pass') lines(at, `check ${result}: ${checkText(event.check)}`)
        break
      }
      case 'step-started': {
        line(at, `${event.id}: ${event.title}`)
        break
      }
      case 'progress': {
        const last = told.get(event.id)
        const time = Date.parse(at)
        if (last !== undefined && last.text === event.text && time - last.at < PROGRESS_MS) break
        told.set(event.id, {at: time, text: event.text})
        line(at, [`${event.id}: ${event.text}`, amount(event.current, event.total)].filter(Boolean).join(' '))
        break
      }
      case 'step-finished': {
        const {changes, durationMs, id, state} = event.step
        if (verbose) for (const change of changes) line(at, `${id}: ${change}`)
        line(at, `${id}: ${STATES[state]} ${duration(durationMs)}`)
        break
      }
      case 'log': {
        lines(at, `${event.level === 'warn' ? 'warning: ' : ''}${event.message}`)
        break
      }
      case 'run-finished': {
        finish(at, event.result)
        break
      }
    }
  }
  return {listen, stop: () => undefined}
}
