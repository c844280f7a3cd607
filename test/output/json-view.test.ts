import {expect, test} from 'vitest'
import {jsonView, ndjsonView} from '../../src/output/json-view.js'
import type {TimedEvent} from '../../src/pipeline/events.js'
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
