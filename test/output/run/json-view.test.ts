import {expect, test} from 'vitest'
import {jsonView, ndjsonView} from '../../../src/output/run/json-view.js'
import type {TimedEvent} from '../../../src/pipeline/run/events.js'
import {done, success} from './story.js'

test('json: the document, once, at the end', () => {
  let text = ''
  const view = jsonView({write: (part) => (text += part)})
  for (const event of success.slice(0, -1)) view.listen(event)
  expect(text).toBe('')
  for (const event of success.slice(-1)) view.listen(event)
  expect(JSON.parse(text)).toEqual(done)
})

test('ndjson: every event a line, the last with the document', () => {
  let text = ''
  const view = ndjsonView({write: (part) => (text += part)})
  for (const event of success) view.listen(event)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TimedEvent)
  expect(lines).toEqual(success)
  expect(lines.at(-1)).toMatchObject({result: done, type: 'run-finished'})
})

test('ndjson: a fast download is reported twice a second, a new text at once', () => {
  let text = ''
  const view = ndjsonView({write: (part) => (text += part)})
  const progress = (ms: number, what: string): TimedEvent => ({
    at: new Date(ms).toISOString(),
    current: ms,
    id: 'base-images',
    text: what,
    type: 'progress',
  })
  for (let ms = 0; ms < 2000; ms += 10) view.listen(progress(ms, 'pulling'))
  view.listen(progress(2001, 'extracting'))
  const told = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as TimedEvent & {current: number}).current)
  expect(told).toEqual([0, 500, 1000, 1500, 2001])
})
