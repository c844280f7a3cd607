// Any run that can happen, as events: checks, steps side by side with their progress, notices, and an end.
import fc from 'fast-check'
import {STEP_IDS} from '../../../src/config/step-ids.js'
import type {
  CheckResult,
  RunEvent,
  RunResultDocument,
  StepResult,
  TimedEvent,
} from '../../../src/pipeline/run/events.js'
import {failed} from './story.js'

/** Of letters whose width the fake terminal knows: narrow, wide, none at all, and what must not reach a terminal. */
const letter = fc.constantFrom(
  ...'abcXYZ0189 .,:;/\\-_"<>',
  ...[
    'é',
    'ß',
    'e\u0301',
    '漢',
    '字',
    '한',
    '🎉',
    '🚀',
    '\n',
    '\r\n',
    '\t',
    '\u0007',
    '\u001B[2J',
    '\u001B[31m',
    '\u202E',
  ],
)
const letters = fc.array(letter, {maxLength: 120}).map((parts) => parts.join(''))
const names = fc.constantFrom(
  'downloading kubernetes-node-windows-amd64-v1.21.5.tar.gz',
  'pulling mcr.microsoft.com/windows/servercore:ltsc2019',
  'waiting',
)
export const anyText = fc.oneof(letters, names)

const bytes = fc.option(fc.nat({max: 9_000_000_000}), {nil: undefined})
const error = fc.record({
  cause: anyText,
  fix: anyText,
  id: fc.constantFrom('SOME_ID', 'ANOTHER_RATHER_LONG_ID', 'THIRD_ID', 'FOURTH_ID'),
  message: anyText,
  command: fc.constant(null),
  url: fc.constant('docs/errors.md#some_id'),
})
const check: fc.Arbitrary<CheckResult> = fc.record({
  durationMs: fc.nat(),
  fix: anyText,
  id: fc.constant('some-check'),
  message: anyText,
  result: fc.constantFrom('pass', 'warn', 'fail'),
  title: anyText,
})
const state = fc.constantFrom<StepResult['state'][]>(
  'changed',
  'failed',
  'in-place',
  'skipped',
  'would-change',
  'not-run',
)

interface Deed {
  readonly changes: readonly string[]
  readonly current: number | undefined
  readonly kind: 'finish' | 'log' | 'progress' | 'start'
  readonly state: StepResult['state']
  readonly text: string
  readonly total: number | undefined
  readonly which: number
}
const deed: fc.Arbitrary<Deed> = fc.record({
  changes: fc.array(anyText, {maxLength: 3}),
  current: bytes,
  kind: fc.constantFrom('finish', 'log', 'progress', 'start', 'start', 'start', 'start'),
  state,
  text: anyText,
  total: bytes,
  which: fc.nat(),
})

export const anyResult: fc.Arbitrary<RunResultDocument> = fc
  .record({
    errors: fc.array(error, {maxLength: 12}),
    log: fc.option(anyText, {nil: undefined}),
    outcome: fc.constantFrom<RunResultDocument['outcome'][]>(
      'done',
      'failed',
      'interrupted',
      'planned',
      'restart-required',
    ),
  })
  .map(({errors, log, outcome}) => {
    const {error: _, ...rest} = failed
    return {...rest, errors, ...(errors[0] ? {error: errors[0]} : {}), ...(log === undefined ? {} : {log}), outcome}
  })

/** Without its end where it was stopped midway. */
export const anyRun: fc.Arbitrary<TimedEvent[]> = fc
  .record({
    checks: fc.array(check, {maxLength: 8}),
    deeds: fc.array(deed, {maxLength: 60}),
    result: fc.option(anyResult, {nil: undefined}),
    titles: fc.array(anyText, {maxLength: STEP_IDS.length, minLength: 1}),
  })
  .map(({checks, deeds, result, titles}) => {
    const steps = titles.map((title, index) => ({id: STEP_IDS[index] ?? 'docker', title}))
    const events: RunEvent[] = [
      {command: 'setup', steps, type: 'run-started'},
      ...checks.map((one) => ({check: one, type: 'check'}) as const),
      ...deedsOf(steps, deeds),
      ...(result === undefined ? [] : [{result, type: 'run-finished'} as const]),
    ]
    return events.map((event, index) => ({at: new Date(1_770_000_000_000 + index * 700).toISOString(), ...event}))
  })

function deedsOf(steps: readonly Pick<StepResult, 'id' | 'title'>[], deeds: readonly Deed[]): RunEvent[] {
  const waiting = [...steps]
  const running: Pick<StepResult, 'id' | 'title'>[] = []
  return deeds.flatMap(({changes, current, kind, state: ended, text, total, which}): RunEvent[] => {
    if (kind === 'log') return [{level: which % 2 === 0 ? 'warn' : 'info', message: text, type: 'log'}]
    if (kind === 'start') {
      const step = waiting.shift()
      if (step === undefined) return []
      running.push(step)
      return [{...step, type: 'step-started'}]
    }
    const step = running[which % Math.max(1, running.length)]
    if (step === undefined) return []
    if (kind === 'progress') {
      const counted = {...(current === undefined ? {} : {current}), ...(total === undefined ? {} : {total})}
      return [{...counted, id: step.id, text, type: 'progress'}]
    }
    running.splice(running.indexOf(step), 1)
    return [{step: {...step, changes, durationMs: which, state: ended}, type: 'step-finished'}]
  })
}
