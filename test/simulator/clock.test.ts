// Simulated time: nothing waits, everything wakes in order, and time stands still while something is being done.
import {describe, expect, it} from 'vitest'

import {DeadlineError} from '../../src/machine/clock.js'
import {createSimulatedClock} from '../../src/simulator/clock.js'

const START = 1_000_000
const open = (onHop: () => Promise<void> = async () => {}) => createSimulatedClock(START, onHop)
const realPause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

describe('the simulated clock', () => {
  it('passes an hour at once', async () => {
    const clock = open()
    const before = Date.now()
    await clock.sleep(3_600_000)
    expect(clock.now()).toBe(START + 3_600_000)
    expect(Date.now() - before).toBeLessThan(2000)
  })

  it('wakes sleepers in the order of their time, each at its own', async () => {
    const clock = open()
    const woken: [string, number][] = []
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms)
      woken.push([name, clock.now() - START])
    }

    await Promise.all([sleeper('late', 5000), sleeper('early', 700), sleeper('middle', 1200)])
    expect(woken).toEqual([
      ['early', 700],
      ['middle', 1200],
      ['late', 5000],
    ])
  })

  it('lets what was woken continue before time passes', async () => {
    const clock = open()
    const poll = async (): Promise<number> => {
      for (let turn = 0; turn < 10; turn++) await clock.sleep(100)
      return clock.now() - START
    }

    const [polled] = await Promise.all([poll(), clock.sleep(60_000)])
    expect(polled).toBe(1000)
  })

  it('stands still while an effect is in progress', async () => {
    const clock = open()
    let isDone = false
    const effect = clock.whileBusy(async () => {
      await realPause(20)
      isDone = true
    })
    await clock.sleep(10)
    expect(isDone).toBe(true)
    await effect
  })

  it('continues while the effect itself sleeps', async () => {
    const clock = open()
    await clock.whileBusy(() => clock.elapse(5000))
    expect(clock.now()).toBe(START + 5000)
  })

  it('hops at most a second, so that daemons look around', async () => {
    const hops: number[] = []
    const clock = open(async () => void hops.push(clock.now() - START))
    await clock.sleep(2500)
    expect(hops).toEqual([1000, 2000, 2500])
  })

  it('is not moved by a deadline, which fires when time passes it', async () => {
    const clock = open()
    const deadline = clock.deadline(1500)
    await realPause(10)
    expect(clock.now()).toBe(START)
    let firedAt = 0
    deadline.signal.addEventListener('abort', () => (firedAt = clock.now() - START))
    await clock.sleep(10_000)
    expect(firedAt).toBe(1500)
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineError)
  })

  it('forgets a cancelled deadline', async () => {
    const clock = open()
    const deadline = clock.deadline(1000)
    deadline.cancel()
    await clock.sleep(5000)
    expect(deadline.signal.aborted).toBe(false)
  })

  it('ends a sleep at once when its signal is aborted, and time does not pass for it', async () => {
    const clock = open()
    const controller = new AbortController()
    const sleep = clock.whileBusy(() => clock.elapse(1e12, controller.signal))
    controller.abort(new Error('enough'))
    await expect(sleep).rejects.toThrow('enough')
    await clock.sleep(1000)
    expect(clock.now()).toBeLessThan(START + 5000)
  })

  it('ends a hang with a deadline', async () => {
    const clock = open()
    const {signal} = clock.deadline(30_000)
    await expect(clock.whileBusy(() => clock.elapse(1e12, signal))).rejects.toBeInstanceOf(DeadlineError)
    expect(clock.now()).toBe(START + 30_000)
  })
})

describe('review U2-10: --simulate-speed', () => {
  /** The clock of this machine, on which nothing waits. */
  const watch = (factor: number) => {
    let at = 0
    const slept: number[] = []
    const sleep = async (ms: number): Promise<void> => {
      slept.push(ms)
      at += ms
    }
    const clock = createSimulatedClock(START, async () => {}, {factor, real: {now: () => at, sleep}})
    return {clock, passed: () => at, slept, stand: (ms: number) => void (at += ms)}
  }

  it.each([
    [1, 10_000, 100],
    [20, 500, 50],
    [0.5, 20_000, 100],
  ])('%d: ten seconds take %d ms, a tenth of a second at a time', async (factor, total, longest) => {
    const {clock, passed, slept} = watch(factor)
    await clock.sleep(10_000)
    expect(clock.now()).toBe(START + 10_000)
    expect(passed()).toBeCloseTo(total)
    expect(Math.max(...slept)).toBeLessThanOrEqual(longest + 0.001)
  })

  it('0: nothing waits', async () => {
    const {clock, slept} = watch(0)
    await clock.sleep(3_600_000)
    expect(slept).toEqual([])
  })

  it('what effects took is made up for, a question to a user is not', async () => {
    const {clock, passed, stand} = watch(1)
    stand(500)
    await clock.sleep(2000)
    expect(passed()).toBe(2000)
    stand(60_000)
    await clock.sleep(2000)
    expect(passed()).toBe(62_000 + 900)
  })

  it('time does not pass over an effect that begins meanwhile', async () => {
    const real = {
      now: () => 0,
      sleep: async (): Promise<void> => void (effect ??= clock.whileBusy(() => realPause(20))),
    }
    let effect: Promise<void> | undefined
    const clock = createSimulatedClock(START, async () => {}, {factor: 1, real})
    const sleeping = clock.sleep(50)
    await realPause(5)
    expect(clock.now()).toBe(START)
    await sleeping
    await effect
    expect(clock.now()).toBe(START + 50)
  })
})
