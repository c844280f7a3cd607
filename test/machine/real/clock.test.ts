import {describe, expect, it} from 'vitest'
import {DeadlineError} from '../../../src/machine/clock.js'
import {openRealClock} from '../../../src/machine/real/clock.js'

const clock = openRealClock()

describe('the clock', () => {
  it('reports the time', () => {
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000)
    expect(openRealClock(() => 42).now()).toBe(42)
  })

  it('sleeps', async () => {
    const start = performance.now()
    await clock.sleep(20)
    expect(performance.now() - start).toBeGreaterThan(15)
  })

  it('wakes with the signal’s reason', async () => {
    const reason = new Error('interrupted')
    const controller = new AbortController()
    const sleeping = clock.sleep(60_000, controller.signal)
    controller.abort(reason)
    await expect(sleeping).rejects.toBe(reason)
    await expect(clock.sleep(0, controller.signal)).rejects.toBe(reason)
  })

  it('ends a deadline with its error', async () => {
    const {signal} = clock.deadline(5)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    expect(signal.reason).toEqual(new DeadlineError(5))
  })

  it('lets a cancelled deadline be', async () => {
    const deadline = clock.deadline(5)
    deadline.cancel()
    await clock.sleep(20)
    expect(deadline.signal.aborted).toBe(false)
  })

  it('does not end a very long deadline at once', async () => {
    const deadline = clock.deadline(2 ** 40)
    await clock.sleep(10)
    expect(deadline.signal.aborted).toBe(false)
    deadline.cancel()
  })
})
