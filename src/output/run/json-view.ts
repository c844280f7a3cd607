// The views for programs: the result as one document, or every event as a line of JSON.
import type {TimedEvent} from '../../pipeline/run/events.js'
import type {Sink} from '../screen.js'
import type {View} from './text-view.js'

/** Progress of one step is written no more often than this. */
const PROGRESS_MS = 500

const nothingToStop = (): void => undefined

export function jsonView(stream: Sink): View {
  const listen = (event: TimedEvent): void => {
    if (event.type === 'run-finished') stream.write(documentText(event.result))
  }
  return {listen, stop: nothingToStop}
}

export function ndjsonView(stream: Sink): View {
  const written = new Map<string, {readonly at: number; readonly text: string}>()
  /** A fast download reports its progress thousands of times. */
  const isNews = ({at, id, text}: TimedEvent & {readonly type: 'progress'}): boolean => {
    const before = written.get(id)
    const time = Date.parse(at)
    if (before?.text === text && time - before.at < PROGRESS_MS) return false
    written.set(id, {at: time, text})
    return true
  }
  const listen = (event: TimedEvent): void => {
    if (event.type !== 'progress' || isNews(event)) stream.write(eventText(event))
  }
  return {listen, stop: nothingToStop}
}

/** A document for programs: indented, or (ndjson) in one line. */
export function documentText(document: object, format: 'json' | 'ndjson' = 'json'): string {
  return `${JSON.stringify(document, undefined, format === 'json' ? 2 : undefined)}\n`
}

export function eventText(event: TimedEvent): string {
  return `${JSON.stringify(event)}\n`
}
