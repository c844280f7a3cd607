// Waiting with a deadline, on the machine's clock.
import {describe, expect, it} from 'vitest'

import {waitFor} from '../../src/host/wait.js'
import {handClock} from '../fakes/hand-clock.js'

const options = {deadlineMs: 10_000, everyMs: 4000}

describe('waitFor', () => {
  it('gives the first answer, and does not sleep for one that is there', async () => {
    const clock = handClock()
    expect(await waitFor(clock, options, async () => 'there')).toBe('there')
    expect(clock.slept).toEqual([])
  })

  it('takes false, null, 0 and the empty text for answers', async () => {
    for (const answer of [false, null, 0, '']) {
      expect(await waitFor(handClock(), options, async () => answer)).toBe(answer)
    }
  })

  it('probes again after each pause', async () => {
    const clock = handClock()
    const answers = [undefined, undefined, 'now']
    expect(await waitFor(clock, options, async () => answers.shift())).toBe('now')
    expect(clock.slept).toEqual([4000, 4000])
  })

  it('probes a last time at the deadline, and never sleeps beyond it', async () => {
    const clock = handClock()
    const at: number[] = []
    const answer = await waitFor(clock, options, async () => void at.push(clock.now()))
    expect(answer).toBeUndefined()
    expect(at).toEqual([0, 4000, 8000, 10_000])
  })

  it('probes once where the deadline is over already', async () => {
    let probes = 0
    await waitFor(handClock(), {deadlineMs: 0, everyMs: 100}, async () => void probes++)
    expect(probes).toBe(1)
  })

  it('counts the time that probes take', async () => {
    const clock = handClock()
    let probes = 0
    await waitFor(clock, options, async () => {
      probes += 1
      clock.advance(9000)
    })
    expect(probes).toBe(2)
    expect(clock.slept).toEqual([1000])
  })

  it.each([
    ['forward', 5 * 3_600_000],
    ['back', -5 * 3_600_000],
  ])('takes as long where the clock is set %s meanwhile', async (_, ms) => {
    const clock = handClock()
    const probes: number[] = []
    const answer = await waitFor(clock, options, async () => {
      if (probes.push(probes.length) === 1) clock.jump(ms)
    })
    expect(answer).toBeUndefined()
    expect(probes).toHaveLength(4)
    expect(clock.slept.reduce((sum, one) => sum + one, 0)).toBe(10_000)
    expect(clock.open()).toBe(0)
  })

  it('ends with the reason of its signal, and with the error of its probe', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(waitFor(handClock(), {...options, signal}, async () => undefined)).rejects.toThrow('enough')
    await expect(waitFor(handClock(), options, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})
