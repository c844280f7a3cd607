import fc from 'fast-check'
import {expect, test} from 'vitest'
import {STEP_IDS} from '../../../src/config/step-ids.js'
import {type RunPage, runPage} from '../../../src/output/report/page.js'
import type {CheckResult, TimedEvent} from '../../../src/pipeline/run/events.js'
import {seconds, tablesOf} from './read-page.js'
import {anyResult, anyRun} from '../run/any-run.js'
import {done, failed, failure, midway, planned, success} from '../run/story.js'
import {readMarkup} from './read-markup.js'

const page = (run: Partial<RunPage>): string =>
  runPage({command: 'setup', events: [], installed: [], needs: {}, simulated: false, version: '0.1.0', ...run})

test('steps and their times, checks, versions and digests on the page are those of the document', () => {
  const installed = [{digest: `sha256:${'0'.repeat(64)}`, name: 'kubelet.exe', version: '1.36.4'}]
  const checks = [{durationMs: 1500, fix: 'do it', id: 'disk', message: 'full', result: 'warn', title: 'Disk'}] as const
  const result = {...done, checks}
  const {
    Checks,
    'Steps and changes': steps,
    'Versions and digests': versions,
  } = tablesOf(page({events: success, installed, result}))
  for (const {durationMs, id, state, title} of done.steps) {
    const row = steps?.find(([name = '']) => name.startsWith(`${title}${id}`))
    expect([row?.[1], row?.[3]]).toEqual([state, seconds(durationMs)])
  }
  expect(Checks).toEqual([['Diskdisk', 'warn', '1.5', 'fullFix: do it']])
  expect(versions).toEqual([['kubelet.exe', '1.36.4', installed[0]?.digest]])
})

test('a failed run has its error, cause and fix', () => {
  const text = readMarkup(page({events: failure, result: failed})).find(({name}) => name === 'main')?.text
  for (const part of [failed.error?.id, failed.error?.cause, failed.error?.fix]) expect(text).toContain(part)
})

test('a plan has no timeline, and every change that would be made', () => {
  const end = planned.at(-1)
  const result = end?.type === 'run-finished' ? end.result : undefined
  const elements = readMarkup(page({events: planned, result}))
  expect(elements.some(({name}) => name === 'svg')).toBe(false)
  const changes = elements.filter(({name}) => name === 'pre').map(({text}) => text)
  expect(changes).toEqual(result?.steps.flatMap((step) => step.changes))
})

test.each([
  [true, 'in progress'],
  [false, 'killed'],
])('a run without a result (in progress: %s) is %s, with what it has done so far', (isRunning, outcome) => {
  const text = page({events: midway, unfinished: {holder: 'process 7', isRunning}})
  const elements = readMarkup(text)
  expect(elements.find(({name}) => name === 'h1')?.text).toBe(`k8s-win setup${outcome}`)
  expect(tablesOf(text)['Steps and changes']?.map(([title]) => title)).toHaveLength(4)
  expect(elements.find(({name}) => name === 'main')?.text).toContain('process 7')
})

test('without the log there is no timeline, and every step', () => {
  const text = page({result: done})
  expect(readMarkup(text).some(({name}) => name === 'svg')).toBe(false)
  expect(tablesOf(text)['Steps and changes']).toHaveLength(done.steps.length)
})

test('of any run: well-formed, at most 150 KB, for screen readers, without scripts or references', () => {
  fc.assert(
    fc.property(anyRun, anyResult, (events, result) => {
      const text = page({events, result})
      expect(text.length).toBeLessThanOrEqual(150_000)
      const elements = readMarkup(text)
      const names = new Set(elements.map(({name}) => name))
      for (const name of ['a', 'base', 'embed', 'form', 'iframe', 'img', 'input', 'link', 'object', 'script']) {
        expect(names).not.toContain(name)
      }
      const attributes = elements.flatMap((element) => Object.keys(element.attributes))
      expect(attributes.filter((name) => /^on|href|src|action|style/.test(name))).toEqual([])
      expect(elements.filter(({name}) => name === 'style').some(({text: css}) => /@import|url\((?!#)/.test(css))).toBe(
        false,
      )
      expect(elements.find(({name}) => name === 'html')?.attributes['lang']).toBe('en')
      const heads = elements.filter(({name}) => name === 'th')
      expect(heads.every((head) => ['col', 'row'].includes(head.attributes['scope'] ?? ''))).toBe(true)
    }),
    {numRuns: 40},
  )
})

test('lists and texts of any length are cut, so that the page stays small; its numbers are of the whole', () => {
  const long = '<\u6F22>'.repeat(100)
  const check = {durationMs: 1, fix: long, id: 'disk', message: long, result: 'pass', title: long} as const
  const steps = STEP_IDS.map(
    (id) =>
      ({
        ...done.steps[0],
        changes: Array<string>(100).fill(long),
        durationMs: 1,
        id,
        state: 'changed',
        title: long,
      }) as const,
  )
  const said: TimedEvent = {at: done.startedAt, level: 'warn', message: long, type: 'log'}
  const progress = STEP_IDS.flatMap((id): TimedEvent[] => [
    {at: done.startedAt, id, title: long, type: 'step-started'},
    ...Array.from({length: 100}, (_, index): TimedEvent => ({
      at: new Date(index * 1000 + 1e12).toISOString(),
      id,
      text: `${index}${long}`,
      type: 'progress',
    })),
  ])
  const events = [...progress, ...Array<TimedEvent>(100).fill(said)]
  const text = page({events, result: {...done, checks: Array<CheckResult>(100).fill(check), steps}})
  expect(text.length).toBeLessThanOrEqual(150_000)
  expect(readMarkup(text).some((element) => element.text.includes('100 passed'))).toBe(true)
})
