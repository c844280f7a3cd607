// How a run is counted and how it ended, in words.
import {expect, test} from 'vitest'
import {clean} from '../../../src/output/run/plain-lines.js'
import {RunState} from '../../../src/output/run/run-state.js'
import {recapLine, verdictLine} from '../../../src/output/run/verdict.js'
import {resultOf} from '../../../src/runs/result.js'
import {done, failed} from './story.js'

test('review U2-15: where no step ran there is no recap', () => {
  const {recap} = failed
  const steps = failed.steps.map((step) => ({...step, state: 'not-run' as const}))
  expect(recapLine({...failed, steps: []})).toBeUndefined()
  expect(recapLine({...failed, steps})).toBeUndefined()
  expect(recapLine(failed)).toContain(`failed=${recap.failed}`)
})

test('review U2-16: a step that was begun and interrupted is not done, on the screen and in the recap', () => {
  const [first, second, third] = done.steps
  const cut = {...third!, error: failed.error!}
  const state = new RunState()
  for (const step of [first!, second!, cut]) state.note({at: done.startedAt, step, type: 'step-finished'})
  const {recap} = resultOf({
    checks: [],
    command: 'setup',
    finishedAt: 0,
    simulated: false,
    startedAt: 0,
    steps: [first!, second!, cut],
  })
  expect(recap).toEqual({changed: 0, failed: 0, ok: 2, skipped: 1})
  expect(state.finished).toBe(recap.ok + recap.changed)
})

test('review U2-29: an upgrade ends with both releases', () => {
  const upgrade = {from: '1.34.2', to: '1.36.4'}
  expect(verdictLine({...done, command: 'upgrade', upgrade})).toMatch(/1\.34\.2 \u2192 1\.36\.4$/)
  expect(clean(verdictLine({...done, command: 'upgrade', upgrade}))).toMatch(/1\.34\.2 -> 1\.36\.4$/)
})
