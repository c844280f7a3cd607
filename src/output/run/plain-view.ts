// The view without a terminal: ASCII lines with their time, a sign of life every half minute, the verdict in the last lines.
import type {StepState, TimedEvent} from '../../pipeline/run/events.js'
import type {Sink} from '../screen.js'
import {duration} from '../text/figures.js'
import {estimateText} from './estimate.js'
import {plainEnd} from './plain-end.js'
import {bytesOf, clean, plainChange, plainLine} from './plain-lines.js'
import type {RunState} from './run-state.js'
import {type TextViewOptions, textView, unchanged, type View} from './text-view.js'
import {changesToShow, checkText, isCutShort, tallyText, titleLine} from './verdict.js'

/** The longest time without a line. Progress with a text that was shown before is shown again after this long, too. */
const SILENCE_MS = 30_000
const TICK_MS = 1000
/** A larger step means that the clock was set, not that time passed. */
const MOST_MISSED = 10

const STATES: Readonly<Record<StepState, string>> = {
  changed: 'changed',
  failed: 'FAILED',
  'in-place': 'ok',
  'not-run': 'not run',
  skipped: 'skipped',
  'would-change': 'would change',
}

export function plainView(options: TextViewOptions & {readonly stream: Sink}): View {
  const {now, redact = unchanged, stream, verbose} = options
  return textView(options, (state) => {
    const shown = new Map<string, {readonly at: number; readonly texts: ReadonlySet<string>}>()
    let lastAt = Infinity
    let quietTicks = 0

    const write = (lines: readonly string[], time: number): void => {
      if (lines.length === 0) return
      lastAt = time
      quietTicks = 0
      stream.write(lines.map((line) => `${line}\n`).join(''))
      state.wrote(bytesOf(lines))
    }

    const beat = (time: number): void => {
      write([plainLine(new Date(time).toISOString(), heartbeat(state, time))], time)
      // It has what the steps are at.
      for (const id of state.running.keys()) shown.set(id, {at: time, texts: shown.get(id)?.texts ?? new Set()})
    }

    const progress = ({at, id, text}: TimedEvent & {readonly type: 'progress'}): string[] => {
      const time = Date.parse(at)
      const before = shown.get(id)
      // Layers of an image are fetched and extracted side by side: their texts alternate many times a second.
      if (before?.texts.has(text) && time - before.at < SILENCE_MS) return []
      shown.set(id, {at: time, texts: new Set([...(before?.texts ?? []), text])})
      const counted = state.transferOf(id)?.text(time) ?? ''
      return [plainLine(at, [`${id}: ${clean(text)}`, counted].filter(Boolean).join(' '))]
    }

    const linesOf = (event: TimedEvent): string[] => {
      const {at} = event
      switch (event.type) {
        case 'run-started':
          return [plainLine(at, titleLine(event.command, event.steps.length))]
        case 'check': {
          const {result} = event.check
          const word = result === 'not-checked' ? '' : `check ${result}: `
          return verbose || state.isNotable(event.check) ? [plainLine(at, `${word}${checkText(event.check)}`)] : []
        }
        case 'step-started':
          return [plainLine(at, `${event.id}: ${event.title}`)]
        case 'progress':
          return progress(event)
        case 'step-finished': {
          const {durationMs, id, state: ended} = event.step
          const word = isCutShort(event.step) ? 'interrupted' : STATES[ended]
          return [
            ...changesToShow(event.step, verbose).flatMap((change) => plainChange(at, id, change)),
            plainLine(at, `${id}: ${word}${ended === 'would-change' ? '' : ` ${duration(durationMs)}`}`),
          ]
        }
        case 'log':
          return [plainLine(at, `${event.level === 'warn' ? 'warning: ' : ''}${event.message}`)]
        case 'run-finished':
          return plainEnd(event.result, {at, redact, state})
      }
    }

    return {
      // Simulated minutes pass between two ticks: their beats are written before the next event.
      before({at}) {
        const missed = Math.ceil((Date.parse(at) - lastAt) / SILENCE_MS) - 1
        if (missed > MOST_MISSED) return
        for (let count = 0; count < missed; count += 1) beat(lastAt + SILENCE_MS)
      },
      checksLine: (at) => plainLine(at, `checks: ${tallyText(state.checks)}`),
      linesOf,
      print: (lines, {at}) => write(lines, Date.parse(at)),
      tick() {
        quietTicks += 1
        // Counted in ticks: the run's clock may be a simulated one, and people wait in real time.
        if (quietTicks * TICK_MS >= SILENCE_MS) beat(now())
      },
      tickMs: TICK_MS,
    }
  })
}

/** "still at base-images (2m 10s, pulling ..., 44/88 MB  12 MB/s  4 s left); 12 of 21 steps done, about 3 min left" */
function heartbeat(state: RunState, now: number): string {
  const {finished, phase, running, startedAt, titles, wait} = state
  const since = (time: number): string => duration(Math.max(0, now - time))
  // Before the run has begun there is no time to count from.
  if (startedAt === 0) return 'still working'
  if (wait) return `still ${clean(wait.text)} (${since(wait.startedAt)})`
  if (running.size === 0) return `still ${phase === 'checking' ? 'checking' : 'working'} (${since(startedAt)})`
  const steps = [...running.values()].map(({id, startedAt: began, text = '', transfer}) => {
    const parts = [since(began), clean(text), transfer?.text(now) ?? ''].filter((part) => part !== '')
    return `${id} (${parts.join(', ')})`
  })
  const far = [titles.length === 0 ? '' : `${finished} of ${titles.length} steps done`, estimateText(state, now)]
  return `still at ${[...steps, far.filter(Boolean).join(', ')].filter(Boolean).join('; ')}`
}
