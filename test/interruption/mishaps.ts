// A machine on which one chosen effect goes wrong, once.
import {DeadlineError} from '../../src/machine/clock.js'
import {HttpError} from '../../src/machine/http.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {answerOf, type Mishap, refusalOf} from './wrong-answers.js'

/** An effect by what it is and how often that was asked for before: runs side by side may change places. */
export interface Site {
  readonly effect: Effect
  readonly nth: number
  readonly text: string
}

const FOR_EVER_MS = 7 * 24 * 60 * 60 * 1000

/** Without what is another in every run. */
export function textOf(effect: Effect): string {
  return `${effect.via} ${describeEffect(effect)}`
    .replace(/setup-[\dTZ-]+\.log/, 'setup.log')
    .replace(/[\da-f]{64}/g, '<id>')
}

export function counting(): (effect: Effect) => Site {
  const seen = new Map<string, number>()
  return (effect) => {
    const text = textOf(effect)
    const nth = (seen.get(text) ?? 0) + 1
    seen.set(text, nth)
    return {effect, nth, text}
  }
}

export function withMishap(
  machine: Machine,
  site: Pick<Site, 'nth' | 'text'>,
  mishap: Mishap,
  {onStruck, over}: {onStruck: () => void; over: AbortSignal},
): Machine {
  const siteOf = counting()
  return interceptMachine(machine, async (effect, perform) => {
    const {nth, text} = siteOf(effect)
    if (nth !== site.nth || text !== site.text) return perform()
    onStruck()
    if (mishap === 'error') throw refusalOf(effect) ?? new Error('cannot be refused')
    if (mishap === 'hang') return hang(machine, effect, over)
    return (answerOf(effect, mishap)?.() ?? undefined) as Awaited<ReturnType<typeof perform>>
  })
}

/** Until its deadline, where it has one, its caller gives up, or the process is gone. */
async function hang(
  {clock}: Machine,
  {args, deadlineMs = FOR_EVER_MS, signal, via}: Effect,
  over: AbortSignal,
): Promise<never> {
  await clock.sleep(deadlineMs, signal ? AbortSignal.any([signal, over]) : over)
  const passed = new DeadlineError(deadlineMs)
  throw via === 'http'
    ? new HttpError(args[0] ?? '', 'ETIMEDOUT', `${args[0]}: ${passed.message}`, {cause: passed})
    : passed
}
