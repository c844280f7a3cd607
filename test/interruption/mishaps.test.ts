// A spread of all that can go wrong once in a fresh setup; all of it is in mishaps.crash.ts.
import {beforeAll, describe, expect, test} from 'vitest'
import {expectTold, type FreshRun, freshRun} from './mishap-loop.js'

const SAMPLE = 3

describe('an effect that goes wrong once', () => {
  let run: FreshRun
  beforeAll(async () => {
    run = await freshRun()
  })

  test('there are many', () => {
    expect(run.misfortunes.length).toBeGreaterThan(1000)
  })

  test.each(Array.from({length: SAMPLE}, (_, index) => index))(`sample %s of ${SAMPLE}`, async (index) => {
    const {misfortunes} = run
    const chosen = misfortunes[Math.floor(((index + 0.5) * misfortunes.length) / SAMPLE)]
    if (chosen) await expectTold(chosen, run)
  })
})
