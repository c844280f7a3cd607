// The view without a terminal: ASCII lines with their time, a sign of life every half minute, the verdict in the last lines.
import type {RunStepId, StepState, TimedEvent} from '../../pipeline/run/events.js'
import {amount, duration} from '../text/figures.js'
import {plainEnd} from './plain-end.js'
import {plainChange, plainLine, plainLines, WIDTH} from './plain-lines.js'
import {Reminders} from './reminders.js'
import {RunBoard} from './run-board.js'
import {ascii, printable, truncateMiddle} from '../text/text-shape.js'
import {changesToTell, checkText, isCutShort, tallyCount, tallyText} from './verdict.js'
import type {TextViewOptions, View} from './view.js'

/** Nobody waits longer for a word. Progress with a text that was told before is told again after this long, too. */
const SILENCE_MS = 30_000
const TICK_MS = 1000
/** A clock that leaps further was set, and nobody has waited. */
const MOST_MISSED = 10

const STATES: Readonly<Record<StepState, string>> = {
  changed: 'changed',
  failed: 'FAILED',
  'in-place': 'ok',
  'not-run': 'not run',
  skipped: 'skipped',
  'would-change': 'would change',
}

export function plainView({next, now, stream, ticker, verbose}: TextViewOptions): View {
  const board = new RunBoard()
  const reminders = new Reminders()
  const told = new Map<RunStepId, {readonly at: number; readonly texts: ReadonlySet<string>}>()
  let checksTold = false
  let lastAt = Infinity
  let quietTicks = 0
  let stopTicking: (() => void) | undefined

  const print = (lines: readonly string[], time: number): void => {
    if (lines.length === 0) return
    lastAt = time
    quietTicks = 0
    stream.write(lines.map((line) => `${line}\n`).join(''))
    reminders.wrote(lines.reduce((sum, line) => sum + line.length + 1, 0))
  }

  const beat = (): void => {
    quietTicks += 1
    // Counted in ticks: the run's clock may be a simulated one, and people wait in real time.
    if (quietTicks * TICK_MS < SILENCE_MS) return
    tellAlive(now())
  }

  const tellAlive = (time: number): void =>
    print(plainLines(new Date(time).toISOString(), heartbeat(board, time)), time)

  /** Simulated minutes pass between two ticks: what would have been told in them is told before the next event. */
  const catchUp = (time: number): void => {
    const missed = Math.ceil((time - lastAt) / SILENCE_MS) - 1
    if (missed > MOST_MISSED) return
    for (let count = 0; count < missed; count += 1) tellAlive(lastAt + SILENCE_MS)
  }

  const stop = (): void => {
    stopTicking?.()
    stopTicking = undefined
    board.stop()
  }

  const progress = (event: TimedEvent & {readonly type: 'progress'}): string[] => {
    const time = Date.parse(event.at)
    const before = told.get(event.id)
    // Layers of an image are fetched and extracted side by side: their texts alternate many times a second.
    if (before?.texts.has(event.text) && time - before.at < SILENCE_MS) return []
    told.set(event.id, {at: time, texts: new Set([...(before?.texts ?? []), event.text])})
    const counted = amount(event.current, event.total)
    const room = WIDTH - event.at.length - event.id.length - counted.length - 4
    const text = truncateMiddle(ascii(printable(event.text)), room, '...')
    return [plainLine(event.at, [`${event.id}: ${text}`, counted].filter(Boolean).join(' '))]
  }

  /** Once, when they are through. */
  const tellChecks = (at: string): string[] => {
    if (checksTold || tallyCount(board.checks) === 0) return []
    checksTold = true
    return [plainLine(at, `checks: ${tallyText(board.checks)}`)]
  }

  const linesOf = (event: TimedEvent): string[] => {
    const {at} = event
    switch (event.type) {
      case 'run-started': {
        return [plainLine(at, `k8s-win ${event.command}: ${event.steps.length} steps`)]
      }
      case 'check': {
        const {looked = true, result} = event.check
        const word = looked ? result : 'not made'
        return verbose || result !== 'pass' ? plainLines(at, `check ${word}: ${checkText(event.check)}`) : []
      }
      case 'step-started': {
        return [...tellChecks(at), plainLine(at, `${event.id}: ${event.title}`)]
      }
      case 'progress': {
        return progress(event)
      }
      case 'step-finished': {
        const {durationMs, id, state} = event.step
        return [
          ...changesToTell(event.step, verbose).flatMap((change) => plainChange(at, id, change)),
          plainLine(
            at,
            `${id}: ${isCutShort(event.step) ? 'interrupted' : STATES[state]}${state === 'would-change' ? '' : ` ${duration(durationMs)}`}`,
          ),
        ]
      }
      case 'log': {
        return plainLines(at, `${event.level === 'warn' ? 'warning: ' : ''}${event.message}`)
      }
      case 'run-finished': {
        return [...tellChecks(at), ...plainEnd(event.result, {at, next, reminders})]
      }
    }
  }

  const listen = (event: TimedEvent): void => {
    const time = Date.parse(event.at)
    catchUp(time)
    if (event.type === 'run-finished') stop()
    board.note(event)
    if (event.type === 'run-started') stopTicking ??= ticker(TICK_MS, beat)
    if (event.type === 'check' && event.check.result === 'warn') reminders.warn(checkText(event.check))
    if (event.type === 'log' && event.level === 'warn') reminders.warn(event.message)
    print(linesOf(event), time)
  }
  return {listen, stop}
}

/** "still at base-images (2m 10s, 37%), cni-binaries (30s)" */
function heartbeat(board: RunBoard, now: number): string {
  const {running, startedAt} = board
  const since = (time: number): string => duration(Math.max(0, now - time))
  if (running.length === 0) return `still ${board.phase === 'checking' ? 'checking' : 'working'} (${since(startedAt)})`
  const steps = running.map(({current, id, startedAt: began, text, total}) => {
    const parts = [since(began), printable(text), amount(current, total)].filter((part) => part !== '')
    return `${id} (${parts.join(', ')})`
  })
  return `still at ${steps.join('; ')}`
}
