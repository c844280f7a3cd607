import fc from 'fast-check'
import {expect, test} from 'vitest'
import {Markup, markup} from '../../../src/output/report/markup.js'
import {timelineOf} from '../../../src/output/report/timeline.js'
import {timelineMarkup} from '../../../src/output/report/timeline-svg.js'
import {harmless} from '../../../src/output/text/harmless.js'
import type {RunEvent, StepState, TimedEvent} from '../../../src/pipeline/run/events.js'
import type {StepId} from '../../../src/pipeline/run/step.js'
import {anyRun} from '../run/any-run.js'
import {readMarkup} from './read-markup.js'

const at = (seconds: number, event: RunEvent): TimedEvent => ({
  at: new Date(Date.UTC(2026, 2, 1) + seconds * 1000).toISOString(),
  ...event,
})
const began = (seconds: number, id: StepId) => at(seconds, {id, title: id, type: 'step-started'})
const ended = (seconds: number, id: StepId, state: StepState = 'changed') =>
  at(seconds, {step: {changes: [], durationMs: 0, id, state, title: id}, type: 'step-finished'})
const says = (seconds: number, id: StepId, text: string) => at(seconds, {id, text, type: 'progress'})
const START = at(0, {command: 'setup', steps: [], type: 'run-started'})

const RUN: readonly TimedEvent[] = [
  START,
  at(2, {check: {durationMs: 2000, id: 'disk', message: '', result: 'pass', title: 'Disk'}, type: 'check'}),
  began(2, 'base-images'),
  began(2, 'flannel-binary'),
  says(2, 'flannel-binary', 'downloading flanneld.exe'),
  at(3, {level: 'info', message: 'GET x failed; trying again in 2 s', step: 'flannel-binary', type: 'log'}),
  says(6, 'base-images', 'pulling nanoserver'),
  says(7, 'base-images', 'pulling nanoserver'),
  ended(8, 'flannel-binary'),
  says(10, 'base-images', 'pulling nanoserver again in 5 s (reset)'),
  says(15, 'base-images', 'pulling nanoserver'),
  ended(20, 'base-images'),
  began(20, 'flanneld-service'),
  ended(21, 'flanneld-service'),
  began(21, 'overlay-network'),
  says(21, 'overlay-network', 'waiting for vxlan0'),
  ended(30, 'overlay-network'),
]
const NEEDS = {'flanneld-service': ['base-images', 'flannel-binary'], 'overlay-network': ['flanneld-service']}

test('a row has every part of its step, each try and each pause between them', () => {
  const images = timelineOf(RUN, NEEDS).rows.find(({id}) => id === 'base-images')
  expect(images?.parts.map(({from, kind, to}) => [kind, from / 1000, to / 1000])).toEqual([
    ['work', 2, 6],
    ['download', 6, 10],
    ['wait', 10, 15],
    ['download', 15, 20],
  ])
  expect(images?.tries?.map(({at: time}) => time)).toEqual([10_000])
})

test('a try that its step reports as a message is on the row of that step', () => {
  const {rows} = timelineOf(RUN, NEEDS)
  expect(rows.filter(({tries}) => tries?.some(({text}) => text.startsWith('GET x')))).toMatchObject([
    {id: 'flannel-binary'},
  ])
})

test('the critical path goes back over what each step waited for longest', () => {
  const {rows} = timelineOf(RUN, NEEDS)
  const path = rows.filter(({isCritical}) => isCritical).map(({id}) => id)
  expect(path).toEqual(['checks', 'base-images', 'flanneld-service', 'overlay-network'])
})

test('the interruption of the network begins with flanneld and ends with the overlay network', () => {
  expect(timelineOf(RUN, NEEDS).interruptions).toMatchObject([{from: 20_000, to: 30_000}])
})

test('an overlay network that is in place interrupts nothing', () => {
  const run = [START, began(1, 'overlay-network'), ended(2, 'overlay-network', 'in-place')]
  expect(timelineOf(run, {}).interruptions).toEqual([])
})

test('a step that did not end lasts until the last event', () => {
  const {rows, totalMs} = timelineOf(RUN.slice(0, 7), NEEDS)
  expect(rows.map(({id, to}) => [id, to])).toEqual([
    ['checks', 2000],
    ['base-images', totalMs],
    ['flannel-binary', totalMs],
  ])
})

test('a run that a service continues begins with the service', () => {
  expect(timelineOf([...RUN, at(40, {command: 'setup', steps: [], type: 'run-started'})], {}).rows).toEqual([])
})

const drawn = (events: readonly TimedEvent[]): string => {
  const timeline = timelineOf(events, NEEDS)
  return timelineMarkup(timeline.rows, {...timeline, summary: 'summary', title: 'title'}).text
}

test('of any run: well-formed, for screen readers, without a script or a reference, and inside its frame', () => {
  fc.assert(
    fc.property(anyRun, (events) => {
      const svg = drawn(events)
      const elements = readMarkup(svg)
      expect(elements[0]?.attributes).toMatchObject({'aria-labelledby': 'tl-title tl-desc', role: 'img'})
      expect(elements.filter(({name}) => ['a', 'image', 'script', 'use'].includes(name))).toEqual([])
      expect(
        elements.flatMap(({attributes}) => Object.keys(attributes).filter((name) => /^on|href|src/.test(name))),
      ).toEqual([])
      const places = elements.flatMap(({attributes: {width = '0', x}}) =>
        x === undefined ? [] : [Number(x) + Number(width)],
      )
      expect(places.every((x) => x >= 0 && x <= 960)).toBe(true)
    }),
    {numRuns: 50},
  )
})

test('what is filled in is text, whatever it contains', () => {
  const hostile = fc.oneof(
    fc.string({unit: fc.nat({max: 0xff_ff}).map((code) => String.fromCharCode(code))}),
    fc.constantFrom(
      '</title><script>alert(1)</script>',
      '" onload="x',
      "'",
      '`',
      '&lt;',
      ']]>',
      '<!--',
      '\uD800',
      '\uFFFF',
    ),
  )
  fc.assert(
    fc.property(hostile, (text) => {
      const {text: page} = markup`<p title="${text}">${[text, markup`<b>${text}</b>`]}</p>`
      const wanted = harmless(text).replaceAll(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
      expect(readMarkup(page)).toEqual([
        {attributes: {title: wanted}, name: 'p', text: wanted + wanted},
        {attributes: {}, name: 'b', text: wanted},
      ])
    }),
  )
  expect(markup`${undefined}${1 / 3}`).toBeInstanceOf(Markup)
})
