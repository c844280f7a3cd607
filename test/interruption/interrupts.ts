// Ctrl-C at an effect: the run ends with 130, nothing is changed after its end, and run again it continues.
import {expect} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {describeEffect} from '../../src/machine/pending-effects.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {type Comparable, comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './setup-run.js'

/** The run's own last words: how it ended, and that its lock is free. */
const RECORDS = /[\\/](?:k8s-win[\\/](?:result|lock)\.json|logs[\\/]k8s-win)|\\k8s-win$/

/** False where the run has fewer effects before its verdict, or only reads after this one: then it is complete. */
export async function expectResumable(nth: number, undisturbed: Comparable): Promise<boolean> {
  const host = HostFolder.empty()
  const stop = new AbortController()
  const late: string[] = []
  let effects = 0
  let isComplete = true
  let isOver = false
  let where = ''
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      const isChange = effect.kind === 'change' && !RECORDS.test(effect.args[0] ?? '')
      if (isChange && isOver) late.push(describeEffect(effect))
      if (isChange && where !== '') isComplete = false
      if (++effects === nth && !isOver) {
        where = describeEffect(effect)
        stop.abort(new InterruptedError())
      }

      return perform()
    })
  try {
    const {bug, events, result} = await setupOn(host.dir, {
      onFinished: () => (isOver = true),
      signal: stop.signal,
      wrap,
    })
    if (!stop.signal.aborted || (isComplete && result?.outcome === 'done')) return false
    expect({bug, exitCode: result?.exitCode, outcome: result?.outcome}, where).toEqual({
      exitCode: 130,
      outcome: 'interrupted',
    })
    expect(events.at(-1)?.type, where).toBe('run-finished')
    const again = await setupOn(host.dir)
    expect({bug: again.bug, error: again.result?.error, exitCode: again.result?.exitCode}, where).toEqual({exitCode: 0})
    expect(late, where).toEqual([])
    expect(comparable(host), where).toEqual(undisturbed)
    return true
  } finally {
    host.discard()
  }
}
