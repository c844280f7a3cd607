// The views for programs: the result as one document, or every event as a line of JSON.
import type {RunResultDocument, TimedEvent} from '../pipeline/events.js'
import type {Sink, View} from './view.js'

const nothingToStop = (): void => undefined

export function jsonView(stream: Sink): View {
  const listen = (event: TimedEvent): void => {
    if (event.type === 'run-finished') stream.write(documentText(event.result))
  }
  return {listen, stop: nothingToStop}
}

export function ndjsonView(stream: Sink): View {
  const listen = (event: TimedEvent): void => {
    stream.write(eventText(event))
  }
  return {listen, stop: nothingToStop}
}

export function documentText(result: RunResultDocument): string {
  return `${JSON.stringify(result, null, 2)}\n`
}

export function eventText(event: TimedEvent): string {
  return `${JSON.stringify(event)}\n`
}
